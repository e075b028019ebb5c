"""A fire test that asks for an anchor: one linked chunk that ranks well by itself.

The paper's margin test (3.2, step 3) fires when a seam outranks both of its chunks, which is
mostly the case when neither of them matters. Evidence that is really split nearly always has one
chunk that ranks well, the anchor. Here a pair gets a fused score of its own, from its seam, its
anchor and its weaker chunk, and fires where that lifts the weaker chunk.

The sum of the weights does what the margin was meant to do: the smaller it is, the clearer the
win that it takes. Weight on the weaker chunk asks that all three be found, which tells split
evidence from an edge that happens to match. The defaults were chosen with the convex combination on
half of the questions that cookbook/results reports on the other half of; more weight on the
stronger and less on the weaker serves long evidence better and costs other evidence more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from seams_core.fire import Firing, Links, Verdict, scored
from seams_core.fusion import FusedRanking
from seams_core.types import Entry


@dataclass(frozen=True, slots=True)
class AnchoredFireTest:
    """Place each pair by a weighted sum of fused scores.

    ``pair = seam * score(seam) + stronger * score(anchor) + weaker * score(other)``; the seam
    fires when that is more than the other chunk's own score, and the pair is placed where a chunk
    of the pair's score would stand. An absent chunk has score 0.

    :param seam: Weight of the seam's fused score, 0 or more.
    :param stronger: Weight of the better chunk's fused score, 0 or more.
    :param weaker: Weight of the other chunk's fused score, 0 or more.
    :param least: What calibrating sets: a seam fires only if its pair also has more than this
        share of its better chunk's score; 0 asks nothing of the kind.
    :raises ValueError: If a weight is negative or no finite number.
    """

    seam: float = 0.35
    stronger: float = 0.45
    weaker: float = 0.2
    least: float = 0.0

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if isinstance(value, bool) or not (math.isfinite(value) and value >= 0):
                raise ValueError(
                    f"{name}={value!r} is not allowed: give a finite weight of 0 or more"
                )

    def __call__(self, fused: Sequence[Entry], links: Links) -> Firing:
        """Judge every linked seam of ``fused``.

        :raises ValueError: If ``fused`` knows no scores; fuse lists to get them.
        """
        ranking = scored(fused, "AnchoredFireTest")
        placed: dict[Entry, float] = {}
        verdicts: list[Verdict] = []
        score, position = ranking.scores.get, ranking.position
        for place, entry in enumerate(fused, 1):
            own = score(entry, 0.0)
            if entry[0] == "chunk":
                placed[entry] = own
                continue
            link = links.get(entry[1])
            if link is None:
                continue
            left, right = Entry("chunk", link[0]), Entry("chunk", link[1])
            high, low, weaker = score(left, 0.0), score(right, 0.0), link[1]
            if high < low:
                high, low, weaker = low, high, link[0]
            pair = self._pair(own, high, low)
            fired = pair > low and (not self.least or not high or pair / high > self.least)
            if fired:
                placed[entry] = pair
            blocked_by = () if fired else (weaker,)
            verdicts.append(
                Verdict(entry[1], place, position(left), position(right), fired, blocked_by)
            )
        return Firing(list(FusedRanking.from_scores(placed)), verdicts)

    def _pair(self, own: float, high: float, low: float) -> float:
        return math.fsum((self.seam * own, self.stronger * high, self.weaker * low))

    @property
    def lowest(self) -> float:
        """Scores are never below 0."""
        return 0.0

    def head_starts(self, fused: Sequence[Entry], links: Links) -> dict[str, float]:
        """For each linked seam its pair's score as a share of its better chunk's (paper 3.2).

        :return: Infinite where neither chunk is found; minus infinite where no threshold would
            let the seam fire.
        """
        ranking = scored(fused, "AnchoredFireTest")
        starts: dict[str, float] = {}
        for kind, id in fused:
            if kind == "chunk" or id not in links:
                continue
            low, high = sorted(ranking.score(Entry("chunk", chunk)) for chunk in links[id])
            pair = self._pair(ranking.score(Entry("seam", id)), high, low)
            if not pair > low:
                starts[id] = -math.inf
            else:
                starts[id] = pair / high if high else math.inf
        return starts

    def above(self, threshold: float) -> AnchoredFireTest:
        """This test, firing for head starts above ``threshold`` alone.

        :param threshold: A share; one that is infinite lets nothing fire.
        """
        if threshold == math.inf:
            return AnchoredFireTest(0.0, 0.0, 0.0)
        return replace(self, least=max(0.0, threshold))

    def to_dict(self) -> dict[str, Any]:
        """The name and the settings, as JSON."""
        settings = asdict(self)
        if not self.least:
            del settings["least"]
        return {"name": "anchored", **settings}
