"""Relevant-segment extraction as dsRAG defines it: the runs of chunks worth most together."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from seams_core.evaluation.bench import Bench
from seams_core.evaluation.comparators.base import Answer, OverChunks, chosen


@dataclass(frozen=True)
class Segments(OverChunks):
    """Runs of adjacent chunks whose values sum to most, greedily, until the budget is full.

    The value of a chunk is ``exp(-rank / decay) * relevance - penalty``, times its length over a
    reference length where that is above 1; chunks that were not found are worth ``-penalty``. The
    settings are dsRAG's "balanced" preset. Its relevance is a reranker's absolute score; where
    there is none, the cosine to the question stretched from the least to the most of the list
    stands in, which dsRAG's own users without a reranker have to calibrate as well. What the
    segments leave free is filled by the plain ranking, so that every method has the same budget.

    :param penalty: What a chunk costs a segment.
    :param decay: How fast a rank loses value, in ranks.
    :param longest: Most chunks in a segment.
    :param least: Least value of a segment.
    :param documents: Segments are sought in the documents of that many first hits.
    :param reference: Length, in characters, from which a chunk counts by its length; dsRAG's
        own 700 is the length of its usual chunk, so the chunk size stands in if 0.
    """

    penalty: float = 0.18
    decay: float = 30
    longest: int = 15
    least: float = 0.5
    documents: int = 10
    reference: int = 0

    @property
    def name(self) -> str:
        """With the penalty."""
        return f"relevant segments (dsRAG, penalty {self.penalty:g})"

    def answer(self, bench: Bench, question: int, budget: int) -> Answer:
        """The best segments, then the plain ranking."""
        ranked = self._ranked(bench, question)
        held = bench.chunks
        rank = {id: place for place, id in enumerate(ranked)}
        relevance = self._relevance(bench, question)
        wanted = {held.by_id[id].span.document_id for id in ranked[: self.documents]}
        typical = max((len(unit.text) for unit in held.units), default=1)
        reference = self.reference or typical
        runs: list[list[tuple[str, float]]] = []
        before = None
        for unit in held.units:
            document = unit.span.document_id
            if document not in wanted:
                continue
            if document != before:
                runs.append([])
                before = document
            value = -self.penalty
            if unit.id in rank:
                value += math.exp(-rank[unit.id] / self.decay) * relevance.get(unit.id, 0.0)
            runs[-1].append((unit.id, value * max(1.0, len(unit.text) / reference)))
        taken: dict[str, None] = {}
        while len(taken) < budget:
            best = self._best(runs, budget - len(taken), taken)
            if best is None:
                break
            taken.update(dict.fromkeys(best))
        order = list(dict.fromkeys([*taken, *ranked]))
        return chosen(held, order, budget)

    def _relevance(self, bench: Bench, question: int) -> dict[str, float]:
        held = bench.chunks
        ranking = held.dense[question]
        low, high = float(ranking.scores.min()), float(ranking.scores.max())
        width = (high - low) or 1.0
        return {
            held.units[place].id: (score - low) / width
            for place, score in zip(ranking.units.tolist(), ranking.scores.tolist(), strict=True)
        }

    def _best(
        self, runs: list[list[tuple[str, float]]], room: int, taken: dict[str, None]
    ) -> list[str] | None:
        best: list[str] | None = None
        most = self.least
        for run in runs:
            for start, (id, first) in enumerate(run):
                if first < 0 or id in taken:
                    continue
                total = 0.0
                for end in range(start, min(len(run), start + min(self.longest, room))):
                    other, value = run[end]
                    if other in taken:
                        break
                    total += value
                    if value >= 0 and total > most:
                        most, best = total, [each for each, _ in run[start : end + 1]]
        return best

    def settings(self) -> dict[str, Any]:
        """All of them."""
        return {"method": "segments", **asdict(self)}
