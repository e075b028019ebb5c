"""Chunks alone: disjoint, overlapping, or with a prefix (paper 3.5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from seams_core.evaluation.bench import Bench
from seams_core.evaluation.collection import Collection, Unit
from seams_core.evaluation.comparators.base import Answer, OverChunks, OverOwnChunks, chosen
from seams_core.evaluation.data import Span


@dataclass(frozen=True)
class Plain(OverChunks):
    """Hybrid search over the disjoint chunks: what everything is measured against."""

    name: str = "plain hybrid"

    def answer(self, bench: Bench, question: int, budget: int) -> Answer:
        """The first chunks of the fused ranking."""
        return chosen(bench.chunks, self._ranked(bench, question), budget)

    def settings(self) -> dict[str, Any]:
        """Its name."""
        return {"method": "plain"}


@dataclass(frozen=True)
class Overlap(OverOwnChunks):
    """Chunks of the same size that repeat the end of the one before.

    :param share: Of the chunk size that is repeated, over 0 and under 1.
    """

    share: float

    @property
    def name(self) -> str:
        """With the share in per cent."""
        return f"overlap of {self.share:.1%}"

    def _chunks(self, bench: Bench) -> Collection:
        def units() -> list[Unit]:
            size = bench.settings.chunk_size
            return windows(bench, size, size - round(self.share * size), link=False)

        return bench.collection(("overlap", self.share), units)

    def settings(self) -> dict[str, Any]:
        """Its share."""
        return {"method": "overlap", **asdict(self)}


@dataclass(frozen=True)
class Contextual(OverOwnChunks):
    """Chunks that are searched with a prefix of the user's making (Contextual Retrieval).

    :param prefix: From document text and chunk text to what is put before the chunk.
    :param label: Tells this prefix from others, in tables and in stored results.
    """

    prefix: Callable[[str, str], str]
    label: str

    @property
    def name(self) -> str:
        """With the label."""
        return f"contextual prefix: {self.label}"

    def _chunks(self, bench: Bench) -> Collection:
        def units() -> list[Unit]:
            texts = bench.data.texts
            return [
                Unit(
                    unit.id,
                    unit.span,
                    f"{self.prefix(texts[unit.span.document_id], unit.text)}\n\n{unit.text}",
                )
                for unit in bench.chunks.units
            ]

        return bench.collection(("contextual", self.label), units)

    def settings(self) -> dict[str, Any]:
        """Its label."""
        return {"method": "contextual", "label": self.label}


def windows(bench: Bench, size: int, stride: int, *, link: bool) -> list[Unit]:
    """Windows of ``size`` tokens that begin every ``stride`` tokens of each document.

    :param link: Make every chunk that a window overlaps its parent; else it stands for itself.
    """
    by_document: dict[str, list[Unit]] = {}
    if link:
        for unit in bench.chunks.units:
            by_document.setdefault(unit.span.document_id, []).append(unit)
    units = []
    for id, text in bench.data.texts.items():
        starts = np.append(bench.ruler.starts(id), len(text))
        tokens = len(starts) - 1
        for begin in range(0, tokens, stride):
            span = Span(id, int(starts[begin]), int(starts[min(tokens, begin + size)]))
            own = f"{id}:{span.start}-{span.end}"
            parents = tuple(
                chunk.id
                for chunk in by_document.get(id, ())
                if chunk.span.start < span.end and span.start < chunk.span.end
            )
            if span.start < span.end:
                units.append(Unit(own, span, text[span.start : span.end], parents or (own,)))
            if begin + size >= tokens:
                break
    return units
