"""The score-ratio form of the fire test, which the paper mentions (3.2, step 3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from seams_core.fire import Firing, Links, Verdict, scored
from seams_core.types import Entry


@dataclass(frozen=True, slots=True)
class ScoreRatioFireTest:
    """A seam fires if its fused score is at least ``ratio`` times that of each of its chunks.

    The paper warns that raw scores are distorted by length; fused scores are not, so those are
    compared. An absent chunk has score 0 and never blocks. The pair takes the seam's own place.

    :param ratio: Over 0; 1 asks that the seam be no worse than either chunk.
    :raises ValueError: If ``ratio`` is not a finite number over 0.
    """

    ratio: float = 1.0

    def __post_init__(self) -> None:
        if isinstance(self.ratio, bool) or not (math.isfinite(self.ratio) and self.ratio > 0):
            raise ValueError(f"ratio={self.ratio!r} is not allowed: give a finite number over 0")

    def __call__(self, fused: Sequence[Entry], links: Links) -> Firing:
        """Judge every linked seam of ``fused``.

        :raises ValueError: If ``fused`` knows no scores; fuse lists to get them.
        """
        ranking = scored(fused, "ScoreRatioFireTest")
        order: list[Entry] = []
        verdicts: list[Verdict] = []
        for place, entry in enumerate(fused, 1):
            if entry.kind == "chunk":
                order.append(entry)
                continue
            link = links.get(entry.id)
            if link is None:
                continue
            ends = [Entry("chunk", id) for id in link]
            own = ranking.score(entry)
            blocked_by = tuple(
                end.id for end in ends if _multiple(own, ranking.score(end)) < self.ratio
            )
            if not blocked_by:
                order.append(entry)
            left, right = map(ranking.position, ends)
            verdicts.append(Verdict(entry.id, place, left, right, not blocked_by, blocked_by))
        return Firing(order, verdicts)

    @property
    def lowest(self) -> float:
        """Scores are never below 0."""
        return 0.0

    def head_starts(self, fused: Sequence[Entry], links: Links) -> dict[str, float]:
        """For each linked seam its fused score as a multiple of its better chunk's.

        :return: Infinite where neither chunk is found.
        """
        ranking = scored(fused, "ScoreRatioFireTest")
        starts: dict[str, float] = {}
        for kind, id in fused:
            if kind == "seam" and id in links:
                high = max(ranking.score(Entry("chunk", chunk)) for chunk in links[id])
                starts[id] = _multiple(ranking.score(Entry("seam", id)), high)
        return starts

    def above(self, threshold: float) -> ScoreRatioFireTest:
        """The test with the least ratio above ``threshold``.

        :raises ValueError: If ``threshold`` is infinite: no ratio keeps every seam from firing.
        """
        if threshold == math.inf:
            raise ValueError(
                "no ratio keeps every seam from firing: neither chunk is found for more of the "
                "questions than may fire; calibrate MarginFireTest or AnchoredFireTest"
            )
        return ScoreRatioFireTest(math.nextafter(max(0.0, threshold), math.inf))

    def to_dict(self) -> dict[str, Any]:
        """The name and the settings, as JSON."""
        return {"name": "score ratio", **asdict(self)}


def _multiple(score: float, of: float) -> float:
    """One score as a multiple of another; an absent chunk's never blocks."""
    return score / of if of else math.inf
