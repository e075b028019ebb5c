"""Filling the budget, with a reranker that can not remove a pair (paper 3.2, steps 4 and 5)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from seams_core.errors import RerankError
from seams_core.fire import FireTest, Firing, Links, MarginFireTest
from seams_core.fusion import FusedRanking
from seams_core.tokens import checked_positive
from seams_core.trace import FillStep, Trace
from seams_core.types import Entry

DEFAULT_RERANK_TOP_N = 150
Rerank = Callable[[list[str]], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Selection:
    """What one query hands on.

    :param chunk_ids: The chunks, best first; never more than the budget, none twice.
    :param trace: How they came to be chosen.
    :param brought_by: For each chunk of a pair that got in, the id of its seam.
    """

    chunk_ids: list[str]
    trace: Trace
    brought_by: dict[str, str] = field(default_factory=dict)


def select_chunks(
    fused: Sequence[Entry],
    links: Links,
    *,
    budget: int,
    fire_test: FireTest | None = None,
    rerank: Rerank | None = None,
    rerank_top_n: int = DEFAULT_RERANK_TOP_N,
    excluded: Collection[str] = frozenset(),
) -> Selection:
    """Apply the fire test and fill the budget in rank order (paper 3.2, steps 3 to 5; R8 to R11).

    :param fused: Chunks and seams, best first. Any sequence will do for a fire test that needs
        positions alone.
    :param links: For each seam its left and right chunk. A seam without a link, because it or a
        chunk of it no longer exists, is stale and never fires.
    :param budget: The most chunks to hand on.
    :param fire_test: ``MarginFireTest(3)`` if none.
    :param rerank: Given the ids of the first ``rerank_top_n`` ordinary chunks, returns them in a
        better order. It never sees a seam or a chunk of a pair that got in. What it leaves out
        keeps its order behind, what it repeats counts once.
    :param rerank_top_n: N, in chunks.
    :param excluded: Seams that may not fire, because a chunk of theirs is not shown to pass the
        caller's filter (R12).
    :raises ValueError: If ``budget`` or ``rerank_top_n`` is below 1, or an entry is malformed.
    :raises RerankError: If the reranker returns an id that it was not given.
    """
    plan = SelectionPlan(
        fused,
        links,
        budget=budget,
        fire_test=fire_test,
        rerank_top_n=rerank_top_n,
        excluded=excluded,
    )
    return plan.finish(None if rerank is None else rerank(plan.candidates))


class SelectionPlan:
    """A selection that is settled but for the reranker, which may be slow or asynchronous.

    Which pairs get in, and on which slots, does not depend on the reranker: it permutes ordinary
    chunks among ordinary slots. Takes the arguments of :func:`select_chunks`.
    """

    def __init__(
        self,
        fused: Sequence[Entry],
        links: Links,
        *,
        budget: int,
        fire_test: FireTest | None = None,
        rerank_top_n: int = DEFAULT_RERANK_TOP_N,
        excluded: Collection[str] = frozenset(),
    ) -> None:
        self.budget = checked_positive("budget", budget)
        self.rerank_top_n = checked_positive("rerank_top_n", rerank_top_n)
        self.fire_test = MarginFireTest() if fire_test is None else fire_test
        self.fused = fused if isinstance(fused, FusedRanking) else _checked(fused)
        self.links = links
        self.excluded = excluded
        allowed = (
            links if not excluded else {id: at for id, at in links.items() if id not in excluded}
        )
        self.firing: Firing = self.fire_test(self.fused, allowed)
        self._slots: list[str] = []
        self._steps: list[FillStep] = []
        self._brought_by: dict[str, str] = {}
        self._fill()

    def _fill(self) -> None:
        """Read the list in order (R10)."""
        slots, budget, links = self._slots, self.budget, self.links
        included: set[str] = set()
        steps = self._steps
        for entry in self.firing.order:
            kind, id = entry
            if kind == "chunk":
                if len(slots) >= budget:
                    continue
                added: tuple[str, ...] = () if id in included else (id,)
                fits = True
            else:
                left, right = links[id]
                added = () if left in included else (left,)
                if right not in included and right != left:
                    added += (right,)
                fits = len(slots) + len(added) <= budget
            if fits:
                slots.extend(added)
                included.update(added)
                if kind == "seam":
                    for chunk in links[id]:
                        self._brought_by.setdefault(chunk, id)
            steps.append(FillStep(entry, added, fits, len(slots)))

    @cached_property
    def _ordinary(self) -> list[str]:
        """Chunks outside the pairs that got in, in order."""
        pinned = self._brought_by
        return [id for kind, id in self.firing.order if kind == "chunk" and id not in pinned]

    @property
    def needs(self) -> list[str]:
        """Every chunk that is about to be handed on, or belongs to a pair that got in."""
        return list(dict.fromkeys([*self._slots, *self._brought_by]))

    @property
    def candidates(self) -> list[str]:
        """What the reranker is given: the first N ordinary chunks (R11)."""
        return self._ordinary[: self.rerank_top_n]

    def finish(self, reranked: Sequence[str] | None = None) -> Selection:
        """Fill the ordinary slots in the reranker's order, around the pinned pairs.

        :param reranked: The candidates in a better order, or ``None`` without a reranker.
        :raises RerankError: If it holds an id that is no candidate.
        """
        chunk_ids = list(self._slots)
        if reranked is not None:
            candidates = self.candidates
            better = dict.fromkeys(reranked)
            invented = [id for id in better if id not in set(candidates)]
            if invented:
                raise RerankError(
                    f"the reranker returned {invented[0]!r}, which it was not given: it may "
                    "reorder and leave out, never add"
                )
            queue = iter([*better, *(id for id in self._ordinary if id not in better)])
            pinned = self._brought_by
            chunk_ids = [id if id in pinned else next(queue) for id in chunk_ids]
        trace = Trace(
            fused=self.fused,
            links=self.links,
            fire_test=self.fire_test,
            verdicts=self.firing.verdicts,
            excluded=self.excluded,
            steps=self._steps,
            budget=self.budget,
            chunk_ids=chunk_ids,
            reranked=reranked is not None,
        )
        return Selection(chunk_ids, trace, self._brought_by)


def _checked(fused: Sequence[Entry]) -> list[Entry]:
    """The entries of a plain sequence, each once, as :class:`Entry`."""
    entries: list[Entry] = []
    for item in fused:
        if len(item) != 2 or item[0] not in ("chunk", "seam"):
            raise ValueError(f"{item!r} is no entry: give Entry('chunk', id) or Entry('seam', id)")
        entries.append(Entry(*item))
    return list(dict.fromkeys(entries))
