"""The harm of a split as such: one question, its cut moved through the evidence and away.

The paper lacks this experiment. The grid of cuts is shifted over the whole corpus step by step,
so that the same evidence is whole on some grids and split on others, and each question is its own
control. Questions with one span of evidence that were met both ways count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from seams_core.evaluation.bench import Bench, Settings
from seams_core.evaluation.comparators.base import Method
from seams_core.evaluation.data import EvaluationSet, Span
from seams_core.evaluation.embedding import CachedEmbedder
from seams_core.evaluation.runner import run_methods

LENGTHS = (0, 100, 200, 300, 450, 700, 1024)  # edges of the bins, in tokens
PLACES = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)  # edges, as shares of the evidence before the cut


@dataclass(frozen=True, slots=True)
class Sight:
    """One question on one grid.

    :param question: Its place in the set.
    :param length: Of the evidence, in tokens.
    :param before: Share of the evidence before the cut; ``None`` where it is whole.
    :param full: For each method whether the whole evidence was retrieved.
    """

    question: int
    length: int
    before: float | None
    full: dict[str, float]


def shift_grid(
    data: EvaluationSet,
    embedder: CachedEmbedder,
    methods: Sequence[Method],
    *,
    settings: Settings | None = None,
    budget: int = 10,
    steps: int = 8,
    state: Path | None = None,
) -> list[Sight]:
    """Ask every question on every grid.

    :param methods: Compared on each grid.
    :param budget: In chunks.
    :param steps: Grids, at equal distances over one chunk.
    :param state: Folder in which results are kept, grid by grid.
    :raises ValueError: If ``steps`` is below 2: nothing would move.
    """
    if steps < 2:
        raise ValueError(f"steps={steps!r} is not allowed: give a whole number of at least 2")
    settings = settings or Settings()
    sights = []
    for step in range(steps):
        bench = Bench(data, embedder, settings, shift=step * settings.chunk_size // steps)
        run = run_methods(bench, methods, budgets=(budget,), state=state)
        for place, question in enumerate(data.questions):
            if len(question.evidence) != 1:
                continue
            span = question.evidence[0]
            crossing = [c for c in bench.cuts[span.document_id] if span.start < c < span.end]
            if len(crossing) > 1:
                continue
            length = bench.ruler.count(span)
            before = None
            if crossing:
                part = bench.ruler.count(Span(span.document_id, span.start, crossing[0]))
                before = part / length if length else 0.5
            full = {m.name: m.columns[str(budget)]["full"][place] for m in run.methods}
            sights.append(Sight(place, length, before, full))
    return sights


def compare(sights: Sequence[Sight]) -> dict[str, Any]:
    """Full coverage with no cut in the evidence and with one, each question its own control.

    A question counts once for whole and once for split, each the mean over its grids.
    """
    if not sights:
        return {"questions": 0, "methods": {}}
    names = list(sights[0].full)
    both = _met_both_ways(sights)
    kept = [sight for sight in sights if sight.question in both]
    return {
        "questions": len(both),
        "methods": {name: _row(kept, name, lambda _: True) for name in names},
        "by_length": {
            f"{low} to {high}": {
                name: _row(kept, name, lambda s, low=low, high=high: low <= s.length < high)  # type: ignore[misc]
                for name in names
            }
            for low, high in zip(LENGTHS, LENGTHS[1:], strict=False)
        },
        "by_place_of_cut": {
            f"{low:g} to {high:g}": {
                name: _mean(
                    s.full[name]
                    for s in kept
                    if s.before is not None and low <= s.before < high + (high == 1)
                )
                for name in names
            }
            for low, high in zip(PLACES, PLACES[1:], strict=False)
        },
    }


def risk_by_length(
    sights: Sequence[Sight], chunk_size: int
) -> list[tuple[float, float, float, int]]:
    """Mean length, share of sights that were split, the paper's L / C, and how many there are."""
    rows = []
    for low, high in zip(LENGTHS, LENGTHS[1:], strict=False):
        inside = [s for s in sights if low <= s.length < high]
        if inside:
            length = float(np.mean([s.length for s in inside]))
            share = float(np.mean([s.before is not None for s in inside]))
            rows.append((length, share, min(1.0, length / chunk_size), len(inside)))
    return rows


def _met_both_ways(sights: Sequence[Sight]) -> set[int]:
    split = {s.question for s in sights if s.before is not None}
    return split & {s.question for s in sights if s.before is None}


def _row(sights: Sequence[Sight], name: str, keep: Callable[[Sight], bool]) -> dict[str, Any]:
    by_question: dict[int, tuple[list[float], list[float]]] = {}
    for sight in sights:
        if keep(sight):
            pair = by_question.setdefault(sight.question, ([], []))
            pair[sight.before is not None].append(sight.full[name])
    return {
        "questions": len(by_question),
        "whole": _mean(float(np.mean(whole)) for whole, _ in by_question.values()),
        "split": _mean(float(np.mean(split)) for _, split in by_question.values()),
    }


def _mean(values: Any) -> float | None:
    held = list(values)
    return round(float(np.mean(held)), 4) if held else None
