"""Neighbour expansion: after a chunk is found, take the chunks beside it (paper 1.3 and 3.5)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from seams_core.evaluation.bench import Bench
from seams_core.evaluation.comparators.base import Answer, OverChunks, chosen


@dataclass(frozen=True)
class Neighbours(OverChunks):
    """Static: each hit brings both chunks beside it, at its place."""

    name: str = "both neighbours of each hit"

    def answer(self, bench: Bench, question: int, budget: int) -> Answer:
        """Hits in order, each followed by its neighbours."""
        found: dict[str, None] = {}
        for id in self._ranked(bench, question):
            found.update(dict.fromkeys((id, *bench.neighbours[id])))
            if len(found) >= budget:
                break
        return chosen(bench.chunks, list(found), budget)

    def settings(self) -> dict[str, Any]:
        """Its name."""
        return {"method": "neighbours"}


@dataclass(frozen=True)
class Smoothed(OverChunks):
    """Each chunk gets a share of the fused scores of the chunks beside it; no seams at all.

    :param share: Of a neighbour's score.
    """

    share: float = 0.25

    @property
    def name(self) -> str:
        """With the share."""
        return f"smoothed by {self.share:g} of the neighbours' scores"

    def answer(self, bench: Bench, question: int, budget: int) -> Answer:
        """The chunks by their smoothed scores."""
        fused = bench.fused(question, [("chunk", bench.chunks)])
        own = {entry.id: score for entry, score in fused.scores.items()}
        scores = dict(own)
        for id, score in own.items():
            for other in bench.neighbours[id]:
                scores[other] = scores.get(other, 0.0) + self.share * score
        order = sorted(scores, key=lambda id: (-scores[id], id))
        return chosen(bench.chunks, order, budget)

    def settings(self) -> dict[str, Any]:
        """Its share."""
        return {"method": "smoothed", **asdict(self)}


@dataclass(frozen=True)
class Adaptive(OverChunks):
    """SCAR (arXiv 2606.16661): a neighbour joins where it is near the question.

    Neighbour n of hit c joins, behind it, if
    ``cos(q, n) - penalty * (1 - cos(c, n)) > threshold * cos(q, c)``.

    :param threshold: Relative to the hit's own cosine.
    :param penalty: For a neighbour unlike its hit.
    """

    threshold: float = 0.80
    penalty: float = 0.1

    @property
    def name(self) -> str:
        """With the threshold."""
        return f"adaptive neighbours (SCAR, {self.threshold:g})"

    def answer(self, bench: Bench, question: int, budget: int) -> Answer:
        """Hits in order, each followed by the neighbours that join."""
        held = bench.chunks
        places = {unit.id: place for place, unit in enumerate(held.units)}
        query, vectors = bench.question_vectors[question], held.vectors
        found: dict[str, None] = {}
        for id in self._ranked(bench, question):
            found.setdefault(id)
            hit = vectors[places[id]]
            for other in bench.neighbours[id]:
                beside = vectors[places[other]]
                near = float(query @ beside) - self.penalty * (1 - float(hit @ beside))
                if near > self.threshold * float(query @ hit):
                    found.setdefault(other)
            if len(found) >= budget:
                break
        return chosen(held, list(found), budget)

    def settings(self) -> dict[str, Any]:
        """Threshold and penalty."""
        return {"method": "scar", **asdict(self)}
