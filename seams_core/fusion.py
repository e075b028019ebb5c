"""Reciprocal rank fusion: the only place where the lists meet (paper 3.2, step 2; rule R7)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import overload

from seams_core.types import Entry

DEFAULT_RRF_K = 60


class FusedRanking(Sequence[Entry]):
    """Entries, best first, that also know their fused score and their position.

    Made by :func:`reciprocal_rank_fusion`; :meth:`from_scores` makes one of any scores.
    """

    __slots__ = ("_entries", "_positions", "_scores")

    def __init__(self, entries: list[Entry], scores: dict[Entry, float]) -> None:
        self._entries = entries
        self._scores = scores
        self._positions: dict[Entry, int] | None = None

    @classmethod
    def from_scores(cls, scores: Mapping[Entry, float]) -> FusedRanking:
        """Rank entries by falling score; ties give a chunk before a seam, then the lower id."""
        return cls._ranked(dict(scores))

    @classmethod
    def _ranked(cls, table: dict[Entry, float]) -> FusedRanking:
        items = sorted(table.items(), key=itemgetter(1), reverse=True)
        entries = [entry for entry, _ in items]
        # Ties are few: putting each run of them in order by itself is faster than a sort on
        # tuples of keys. An entry compares by kind and id, and "chunk" comes before "seam".
        ordered = [score for _, score in items]
        begin = 0
        for end in range(1, len(entries) + 1):
            if end < len(entries) and ordered[end] == ordered[begin]:
                continue
            if end - begin > 1:
                entries[begin:end] = sorted(entries[begin:end])
            begin = end
        return cls(entries, table)

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> list[Entry]: ...
    def __getitem__(self, index: int | slice) -> Entry | list[Entry]:
        return self._entries[index]

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries)

    def __contains__(self, entry: object) -> bool:
        return entry in self._scores

    def __repr__(self) -> str:
        return f"FusedRanking({self._entries!r})"

    @property
    def scores(self) -> Mapping[Entry, float]:
        """The fused score of each entry."""
        return self._scores

    def score(self, entry: Entry) -> float:
        """The fused score of ``entry``; 0 where it is absent."""
        return self._scores.get(entry, 0.0)

    def position(self, entry: Entry) -> int | None:
        """The position of ``entry``, from 1, or ``None`` where it is absent."""
        if self._positions is None:
            self._positions = {entry: place for place, entry in enumerate(self._entries, 1)}
        return self._positions.get(entry)


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[Entry]],
    *,
    weights: Sequence[float] | None = None,
    rrf_k: float = DEFAULT_RRF_K,
) -> FusedRanking:
    """Fuse ranked lists by position alone (paper 3.2, step 2).

    An entry's score is the sum over the lists it is in of ``weight / (rrf_k + rank)``, rank from
    1. The sum is exact, so the order of the lists does not matter. Where a list names an entry
    twice, its better rank counts.

    :param rankings: Lists of entries, best first.
    :param weights: One weight per list, 0 or more; all 1 if none.
    :param rrf_k: What is added to each rank, 0 or more.
    :raises ValueError: If the weights do not fit the lists, or a number is negative or no number.
    """
    if not (math.isfinite(rrf_k) and rrf_k >= 0):
        raise ValueError(f"rrf_k={rrf_k!r} is not allowed: give a finite number of 0 or more")
    if weights is None:
        weights = [1.0] * len(rankings)
    if len(weights) != len(rankings):
        raise ValueError(
            f"weights has {len(weights)} numbers for {len(rankings)} rankings: give one for each"
        )
    parts: dict[Entry, list[float]] = {}
    known = parts.get
    for ranking, weight in zip(rankings, weights, strict=True):
        if not (math.isfinite(weight) and weight >= 0):
            raise ValueError(f"weights has {weight!r}: give finite numbers of 0 or more")
        for rank, entry in enumerate(dict.fromkeys(ranking), 1):
            part = known(entry)
            if part is None:
                parts[entry] = [weight / (rrf_k + rank)]
            else:
                part.append(weight / (rrf_k + rank))
    fsum = math.fsum
    return FusedRanking._ranked(
        {entry: part[0] if len(part) == 1 else fsum(part) for entry, part in parts.items()}
    )
