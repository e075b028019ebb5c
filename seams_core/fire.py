"""The fire test: which seams bring in their chunks, and where (paper 3.2, step 3; rule R9)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, runtime_checkable

from seams_core.fusion import FusedRanking
from seams_core.types import Entry

Links = Mapping[str, tuple[str, str]]


class Verdict(NamedTuple):
    """What a fire test said of one seam. Positions are from 1; ``None`` is an absent chunk."""

    seam_id: str
    position: int
    left_position: int | None
    right_position: int | None
    fired: bool
    blocked_by: tuple[str, ...] = ()


@dataclass(slots=True)
class Firing:
    """The outcome of a fire test.

    :param order: The list that the budget is filled from: every chunk of the fused ranking and
        the seams that fired, each at the place its pair takes.
    :param verdicts: One per linked seam of the fused ranking, in its order.
    """

    order: list[Entry]
    verdicts: list[Verdict] = field(default_factory=list)


@runtime_checkable
class FireTest(Protocol):
    """Says which seams fire and where in the list each pair is placed.

    It may read positions and fused scores, never raw scores of different lists.
    """

    def __call__(self, fused: Sequence[Entry], links: Links) -> Firing:
        """Judge every seam of ``fused`` that ``links`` maps to its left and right chunk.

        A seam without a link can not fire and is left out of the order.
        """
        ...

    def to_dict(self) -> dict[str, Any]:
        """The name and the settings, as JSON."""
        ...


@runtime_checkable
class CalibratableFireTest(FireTest, Protocol):
    """A fire test with one number that says how clear a win it takes (paper 3.2).

    ``above(t)`` fires just those of its seams whose head start is above ``t``, for ``t`` from
    ``lowest`` on: a margin, say, can not go below 0.
    """

    @property
    def lowest(self) -> float:
        """The threshold below which nothing more fires."""
        ...

    def head_starts(self, fused: Sequence[Entry], links: Links) -> Mapping[str, float]:
        """The head start of every linked seam of ``fused``: the more, the sooner it fires."""
        ...

    def above(self, threshold: float) -> FireTest:
        """The same test with its number set to just above ``threshold``."""
        ...


def scored(fused: Sequence[Entry], reader: str) -> FusedRanking:
    """``fused`` for a test that reads fused scores.

    :param reader: The name of the test, for the message.
    :raises ValueError: If ``fused`` knows no scores.
    """
    if not isinstance(fused, FusedRanking):
        raise ValueError(
            f"{reader} reads fused scores: give the FusedRanking that reciprocal_rank_fusion "
            "returns, or use MarginFireTest, which needs positions alone"
        )
    return fused


@dataclass(frozen=True, slots=True)
class MarginFireTest:
    """The paper's test: a seam fires if it outranks both of its chunks by ``margin`` places.

    With position 1 the best, a seam at position p fires when ``p + margin`` is no worse than the
    position of either chunk; an absent chunk counts as last and never blocks. The pair takes the
    seam's own place.

    :param margin: m, in places of the fused ranking, 0 or more; ``float("inf")`` never fires.
    :raises ValueError: If ``margin`` is negative or no number.
    """

    margin: float = 3

    def __post_init__(self) -> None:
        number = isinstance(self.margin, int | float) and not isinstance(self.margin, bool)
        if not number or not self.margin >= 0:
            raise ValueError(
                f"margin={self.margin!r} is not allowed: give a number of places, 0 or more"
            )

    def __call__(self, fused: Sequence[Entry], links: Links) -> Firing:
        """Judge every linked seam of ``fused``."""
        endless = self.margin == float("inf")
        chunk_positions: dict[str, int] = {}
        for place, (kind, id) in enumerate(fused, 1):
            if kind == "chunk":
                chunk_positions[id] = place
        order: list[Entry] = []
        verdicts: list[Verdict] = []
        get = chunk_positions.get
        for place, entry in enumerate(fused, 1):
            if entry[0] == "chunk":
                order.append(entry)
                continue
            link = links.get(entry[1])
            if link is None:
                continue
            left, right = get(link[0]), get(link[1])
            needed = place + self.margin
            blocked_by: tuple[str, ...] = ()
            if left is not None and needed > left:
                blocked_by = (link[0],)
            if right is not None and needed > right:
                blocked_by += (link[1],)
            fired = not blocked_by and not endless
            if fired:
                order.append(entry)
            verdicts.append(Verdict(entry[1], place, left, right, fired, blocked_by))
        return Firing(order, verdicts)

    @property
    def lowest(self) -> float:
        """A margin of 0 fires for head starts of 0 places, which are above -1."""
        return -1.0

    def head_starts(self, fused: Sequence[Entry], links: Links) -> dict[str, float]:
        """For each linked seam by how many places it outranks the better of its chunks.

        :return: Infinite where neither chunk is found, since an absent chunk never blocks.
        """
        places = {entry: place for place, entry in enumerate(fused, 1)}
        return {
            id: min(places.get(Entry("chunk", chunk), math.inf) for chunk in links[id]) - place
            for place, (kind, id) in enumerate(fused, 1)
            if kind == "seam" and id in links
        }

    def above(self, threshold: float) -> MarginFireTest:
        """The test with the least margin, in whole places, that is above ``threshold``."""
        if math.isinf(threshold):
            return MarginFireTest(0 if threshold < 0 else math.inf)
        return MarginFireTest(max(0, math.floor(threshold) + 1))

    def to_dict(self) -> dict[str, Any]:
        """The name and the settings, as JSON (an endless margin is ``"inf"``)."""
        endless = self.margin == float("inf")
        return {"name": "margin", "margin": "inf" if endless else self.margin}
