"""Seams itself, with any fire test and any width (paper 3.2)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from seams_core.evaluation.bench import Bench
from seams_core.evaluation.collection import Collection
from seams_core.evaluation.comparators.base import Answer
from seams_core.fire import FireTest, Firing, Links
from seams_core.selection import select_chunks
from seams_core.types import Entry


@dataclass(frozen=True)
class Seams:
    """Four lists, fused; the fire test; the budget filled in rank order.

    :param fire_test: Says which seams fire, and where their pairs stand.
    :param label: What the tables call it; the fire test's own settings if empty.
    :param half_width: k, in tokens taken from each side of a cut.
    """

    fire_test: FireTest
    label: str = ""
    half_width: int = 150

    @property
    def name(self) -> str:
        """The label, with k where it is not the paper's."""
        test = dict(self.fire_test.to_dict())
        shown = self.label or f"Seams, {test.pop('name')} " + ", ".join(
            f"{key}={value}" for key, value in test.items()
        )
        return shown if self.half_width == 150 else f"{shown}, k = {self.half_width}"

    def collections(self, bench: Bench) -> list[Collection]:
        """Chunks and seams."""
        return [bench.chunks, bench.seams(self.half_width)]

    def returned(self, bench: Bench) -> Collection:
        """The chunks."""
        return bench.chunks

    def answer(self, bench: Bench, question: int, budget: int) -> Answer:
        """What the core selects, with the pairs that fired seams brought in."""
        return select(bench, self.fire_test, self.half_width, question, budget)

    def settings(self) -> dict[str, Any]:
        """Fire test and width."""
        return {
            "method": "seams",
            "fire_test": self.fire_test.to_dict(),
            "half_width": self.half_width,
        }


@dataclass(frozen=True)
class _Fired:
    """A fire test whose outcome for this question is known: budgets differ in the filling alone."""

    firing: Firing
    fire_test: FireTest

    def __call__(self, fused: Sequence[Entry], links: Links) -> Firing:
        return self.firing

    def to_dict(self) -> dict[str, Any]:
        return self.fire_test.to_dict()


def select(
    bench: Bench, fire_test: FireTest, half_width: int, question: int, budget: int
) -> Answer:
    """The core's selection over four lists, with the pairs that took slots."""
    chunks, links = bench.chunks, bench.links(half_width)
    fused = bench.fused(question, [("chunk", chunks), ("seam", bench.seams(half_width))])
    key = ("firing", half_width, json.dumps(fire_test.to_dict(), sort_keys=True))
    firing = bench.remember(question, key, lambda: fire_test(fused, links))
    selection = select_chunks(fused, links, budget=budget, fire_test=_Fired(firing, fire_test))
    pairs = []
    for step in selection.trace.steps:
        if step.entry.kind == "seam" and step.fits and step.added:
            left, right = links[step.entry.id]
            pairs.append((chunks.by_id[left], chunks.by_id[right]))
    return Answer([chunks.by_id[id] for id in selection.chunk_ids], pairs)
