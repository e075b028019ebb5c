"""Fusion: the only place where the lists meet (paper 3.2, step 2; rule R7).

The paper asks for reciprocal rank fusion, which reads places alone. A convex combination, which it
sets aside for the difference in length of seams and chunks, measured better in every set of
cookbook/results, with seams and without: it is what retrievers do unless told otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Literal, TypeAlias, get_args, overload

from seams_core.types import Entry

DEFAULT_RRF_K = 60

#: How lists are fused: by a weighted mean of scores, or by places.
Fusion: TypeAlias = Literal["convex", "rrf"]
DEFAULT_FUSION: Fusion = "convex"
#: An entry with the score that its list gave it.
Scored: TypeAlias = tuple[Entry, float]


class FusedRanking(Sequence[Entry]):
    """Entries, best first, that also know their fused score and their position.

    Made by :func:`convex_combination` and :func:`reciprocal_rank_fusion`; :meth:`from_scores` makes
    one of any scores.
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
    weights = _checked(weights, len(rankings))
    parts: dict[Entry, list[float]] = {}
    known = parts.get
    for ranking, weight in zip(rankings, weights, strict=True):
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


def convex_combination(
    rankings: Sequence[Sequence[Scored]], *, weights: Sequence[float] | None = None
) -> FusedRanking:
    """Fuse scored lists by the weighted mean of their stretched scores (paper 3.2, step 2).

    Each list is stretched by itself, from 1 at its first entry to 0 at its last, so that neither
    the unit of a score nor whether more or less is better has to be known; an absent entry has 0.
    A list whose scores tell nothing, because they are all the same, are not numbers or do not
    follow its order, is stretched by places. Where a list names an entry twice, its better place
    counts.

    :param rankings: Lists of entries with their scores, best first.
    :param weights: One weight per list, 0 or more; all 1 if none.
    :raises ValueError: If the weights do not fit the lists, or one is negative or no number.
    """
    weights = _checked(weights, len(rankings))
    whole = math.fsum(weights) or 1.0
    parts: dict[Entry, list[float]] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        share = weight / whole
        seen: set[Entry] = set()
        for (entry, _), height in zip(ranking, _stretched([s for _, s in ranking]), strict=True):
            if entry not in seen:
                seen.add(entry)
                parts.setdefault(entry, []).append(share * height)
    return FusedRanking.from_scores({entry: math.fsum(part) for entry, part in parts.items()})


def _stretched(scores: Sequence[float]) -> list[float]:
    """Scores in the order of their list, stretched from 1 to 0."""
    if not scores:
        return []
    first, last = scores[0], scores[-1]
    sign = 1 if first >= last else -1
    if (
        math.isfinite(first)
        and math.isfinite(last)
        and 0 < abs(first - last) < math.inf
        and all(sign * a >= sign * b for a, b in pairwise(scores))
    ):
        return [(score - last) / (first - last) for score in scores]
    return [1 - place / len(scores) for place in range(len(scores))]


def fuse(
    rankings: Sequence[Sequence[Scored]],
    *,
    fusion: Fusion = DEFAULT_FUSION,
    weights: Sequence[float] | None = None,
    rrf_k: float = DEFAULT_RRF_K,
) -> FusedRanking:
    """Fuse lists in the way that is named.

    :param rankings: Lists of entries with their scores, best first.
    :param fusion: ``"convex"`` for :func:`convex_combination`, ``"rrf"`` for
        :func:`reciprocal_rank_fusion`, which reads no scores.
    :param weights: One weight per list; all 1 if none.
    :param rrf_k: Of reciprocal rank fusion alone.
    :raises ValueError: If a setting is wrong.
    """
    if fusion not in get_args(Fusion):
        allowed = " or ".join(repr(way) for way in get_args(Fusion))
        raise ValueError(f"fusion={fusion!r} is not allowed: give {allowed}")
    # Checked in either case: a wrong setting must not come to light when fusion is changed.
    if fusion == "rrf":
        by_places = [[entry for entry, _ in ranking] for ranking in rankings]
        return reciprocal_rank_fusion(by_places, weights=weights, rrf_k=rrf_k)
    reciprocal_rank_fusion([[]] * len(rankings), weights=weights, rrf_k=rrf_k)
    return convex_combination(rankings, weights=weights)


def _checked(weights: Sequence[float] | None, lists: int) -> Sequence[float]:
    if weights is None:
        return [1.0] * lists
    if len(weights) != lists:
        raise ValueError(
            f"weights has {len(weights)} numbers for {lists} rankings: give one for each"
        )
    for weight in weights:
        if not (math.isfinite(weight) and weight >= 0):
            raise ValueError(f"weights has {weight!r}: give finite numbers of 0 or more")
    return weights
