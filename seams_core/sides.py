"""Dropping a side whose half of the seam window adds nothing (paper 3.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seams_core.fire import FireTest, Firing, Links
from seams_core.types import Entry


@dataclass(frozen=True)
class DropSideFireTest:
    """Another fire test whose pairs lose the side that the question does not ask for.

    Where one half of a fired seam's window scores less than ``least`` of the better half, the
    chunk of the better half takes the pair's place alone, and the other keeps its own place.

    :param fire_test: Says which seams fire and where.
    :param halves: For each seam how well the left and the right half of its window match this
        question, 0 or more, on one scale (keyword scores of the halves, for instance). A seam
        that is missing here keeps both sides, as does one whose halves both score 0.
    :param least: Share of the better half's score that a half must reach, 0 to 1; 0 drops none.
    :raises ValueError: If ``least`` is not between 0 and 1.
    """

    fire_test: FireTest
    halves: Mapping[str, tuple[float, float]]
    least: float = 0.1

    def __post_init__(self) -> None:
        if isinstance(self.least, bool) or not 0 <= self.least <= 1:
            raise ValueError(f"least={self.least!r} is not allowed: give a number from 0 to 1")

    def __call__(self, fused: Sequence[Entry], links: Links) -> Firing:
        """Judge every linked seam of ``fused``, then drop sides."""
        firing = self.fire_test(fused, links)
        order: list[Entry] = []
        dropped: dict[str, str] = {}
        for entry in firing.order:
            if entry.kind == "seam":
                left, right = self.halves.get(entry.id, (1.0, 1.0))
                if min(left, right) < self.least * max(left, right):
                    kept, lost = links[entry.id] if left > right else links[entry.id][::-1]
                    dropped[entry.id] = lost
                    entry = Entry("chunk", kept)
            order.append(entry)
        verdicts = [
            verdict._replace(fired=False, blocked_by=(dropped[verdict.seam_id],))
            if verdict.seam_id in dropped
            else verdict
            for verdict in firing.verdicts
        ]
        return Firing(list(dict.fromkeys(order)), verdicts)

    def to_dict(self) -> dict[str, Any]:
        """The name and the settings, as JSON; the halves belong to one question."""
        return {"name": "drop side", "least": self.least, "of": self.fire_test.to_dict()}
