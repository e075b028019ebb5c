"""Seams with a side dropped where its half of the window adds nothing (paper 3.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from seams_core.evaluation.bench import Bench
from seams_core.evaluation.collection import Collection, Unit
from seams_core.evaluation.comparators.base import Answer
from seams_core.evaluation.comparators.seams import Seams, select
from seams_core.evaluation.data import Span
from seams_core.fire import FireTest
from seams_core.sides import DropSideFireTest


@dataclass(frozen=True)
class SeamsDroppingSides:
    """As :class:`Seams`; the halves of the windows have a keyword index of their own, no vectors.

    :param fire_test: Says which seams fire, and where their pairs stand.
    :param least: Share of the better half's score that a half must reach.
    :param half_width: k, in tokens taken from each side of a cut.
    """

    fire_test: FireTest
    least: float = 0.1
    half_width: int = 150

    @property
    def name(self) -> str:
        """That of Seams, with the threshold."""
        return (
            f"{Seams(self.fire_test, '', self.half_width).name}, side dropped under {self.least:g}"
        )

    def collections(self, bench: Bench) -> list[Collection]:
        """Chunks and seams."""
        return [bench.chunks, bench.seams(self.half_width)]

    def returned(self, bench: Bench) -> Collection:
        """The chunks."""
        return bench.chunks

    def _halves(self, bench: Bench) -> Collection:
        key = ("halves", self.half_width)
        if key not in bench.extra:
            units = []
            for seam in bench.seams(self.half_width).units:
                document, start, end = seam.span
                cut = bench.chunks.by_id[seam.parents[0]].span.end
                text = seam.text
                for side, low, high in (("left", start, cut), ("right", cut, end)):
                    half = text[low - start : high - start]
                    units.append(Unit(f"{seam.id}/{side}", Span(document, low, high), half))
            seams = bench.seams(self.half_width)
            # All hits count: a half that is not among them has score 0.
            bench.extra[key] = Collection(
                units, seams.vectors, seams.questions, seams.question_vectors, len(units)
            )
        return bench.extra[key]

    def _scores(self, bench: Bench, question: int) -> dict[str, tuple[float, float]]:
        hits = self._halves(bench).keywords[question]
        scores = dict(zip(hits.units.tolist(), hits.scores.tolist(), strict=True))
        return {
            unit.id: (scores.get(2 * place, 0.0), scores.get(2 * place + 1, 0.0))
            for place, unit in enumerate(bench.seams(self.half_width).units)
            if 2 * place in scores or 2 * place + 1 in scores
        }

    def answer(self, bench: Bench, question: int, budget: int) -> Answer:
        """What the core selects, with the pairs that kept both sides."""
        both = bench.remember(
            question, ("halves", self.half_width), lambda: self._scores(bench, question)
        )
        test = DropSideFireTest(self.fire_test, both, self.least)
        return select(bench, test, self.half_width, question, budget)

    def settings(self) -> dict[str, Any]:
        """Fire test, threshold and width."""
        test = DropSideFireTest(self.fire_test, {}, self.least)
        return {"method": "seams", "fire_test": test.to_dict(), "half_width": self.half_width}
