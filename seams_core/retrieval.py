"""One query from the first-stage lists to the chunks handed on (paper 3.2, Figure 6).

The steps are written once, as a generator that says what it needs and is given it; two small
drivers run it with plain calls or with awaits, so that both forms can not differ. The caller's
filter holds on every path (R12), what is no longer in the store never comes back, and the query
is embedded once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from seams_core.anchored import AnchoredFireTest
from seams_core.fire import FireTest
from seams_core.fusion import DEFAULT_FUSION, DEFAULT_RRF_K, FusedRanking, Fusion, Scored, fuse
from seams_core.selection import DEFAULT_RERANK_TOP_N, Selection, SelectionPlan
from seams_core.sources import Source
from seams_core.store import LEFT_KEY, RIGHT_KEY, Hit, Row, Store
from seams_core.tokens import checked_positive
from seams_core.types import Entry

DEFAULT_DEPTH = 150
# With a filter most seams of a selective search die; keyword hits likewise.
_OVERFETCH = 4

#: A reranker over rows: the query and the candidates, to ids in a better order.
RowRerank: TypeAlias = Callable[[str, Sequence[Row]], Sequence[str]]
AsyncRowRerank: TypeAlias = Callable[[str, Sequence[Row]], Awaitable[Sequence[str]]]


class Call(NamedTuple):
    """Something to be run: plainly, or awaited where an asynchronous form is there."""

    run: Callable[[], Any]
    arun: Callable[[], Awaitable[Any]] | None = None


_Steps: TypeAlias = Generator[list[Call], list[Any], "Retrieved"]


class Retrieved(NamedTuple):
    """The selection with the stored rows of its chunks, in its order."""

    selection: Selection
    rows: list[Row]


@dataclass
class Retrieval:
    """The pipeline over one pair of collections.

    :param chunk_store: Where the chunks' texts are and the caller's filter is judged.
    :param sources: The first-stage lists; any number, in any order.
    :param embed: Embeds a query; only called if a source needs its vector.
    :param aembed: The same, asynchronously.
    :param depth: How many hits each list gives to the fusion; never fewer than the budget.
    :param fusion: How the lists are fused; see :func:`seams_core.fusion.fuse`.
    :param rrf_k: See :func:`seams_core.fusion.reciprocal_rank_fusion`.
    :param weights: One per source, or ``None`` for all 1.
    :param rerank_top_n: How many ordinary chunks a reranker is given.
    :raises ValueError: If a setting is wrong.
    """

    chunk_store: Store
    sources: Sequence[Source]
    embed: Callable[[str], Any]
    aembed: Callable[[str], Awaitable[Any]] | None = None
    depth: int = DEFAULT_DEPTH
    rrf_k: float = DEFAULT_RRF_K
    weights: Sequence[float] | None = None
    rerank_top_n: int = DEFAULT_RERANK_TOP_N
    fusion: Fusion = DEFAULT_FUSION

    def __post_init__(self) -> None:
        checked_positive("depth", self.depth)
        checked_positive("rerank_top_n", self.rerank_top_n)
        self._fuse([[] for _ in self.sources])

    def run(
        self,
        query: str,
        *,
        budget: int,
        fire_test: FireTest | None = None,
        filter: Any = None,
        rerank: RowRerank | None = None,
    ) -> Retrieved:
        """Answer ``query`` with at most ``budget`` chunks.

        :param budget: The most chunks to hand on; as many come back while there are as many.
        :param fire_test: ``AnchoredFireTest()`` if none, which measured better than the paper's
            ``MarginFireTest``.
        :param filter: The caller's own, in the chunk store's syntax.
        :param rerank: Orders the ordinary chunks.
        :raises ValueError: If ``budget`` is below 1.
        """
        call = None if rerank is None else lambda rows: Call(lambda: rerank(query, rows))
        steps = self._steps(query, budget, fire_test, filter, call)
        answers: list[Any] | None = None
        while True:
            try:
                calls = steps.send(answers) if answers is not None else next(steps)
            except StopIteration as done:
                result: Retrieved = done.value
                return result
            answers = [call.run() for call in calls]

    async def arun(
        self,
        query: str,
        *,
        budget: int,
        fire_test: FireTest | None = None,
        filter: Any = None,
        rerank: RowRerank | None = None,
        arerank: AsyncRowRerank | None = None,
    ) -> Retrieved:
        """:meth:`run` with all searches under way at once and nothing blocking the loop."""
        call: Callable[[Sequence[Row]], Call] | None = None
        if arerank is not None:
            call = lambda rows: Call(list, lambda: arerank(query, rows))  # noqa: E731
        elif rerank is not None:
            call = lambda rows: Call(lambda: rerank(query, rows))  # noqa: E731
        steps = self._steps(query, budget, fire_test, filter, call)
        answers: list[Any] | None = None
        while True:
            try:
                calls = steps.send(answers) if answers is not None else next(steps)
            except StopIteration as done:
                result: Retrieved = done.value
                return result
            answers = await asyncio.gather(
                *(c.arun() if c.arun else asyncio.to_thread(c.run) for c in calls)
            )

    def _steps(
        self,
        query: str,
        budget: int,
        fire_test: FireTest | None,
        filter: Any,
        rerank: Callable[[Sequence[Row]], Call] | None,
    ) -> _Steps:
        # A list must be able to fill the budget by itself.
        depth = max(self.depth, checked_positive("budget", budget))
        vector = None
        if any(source.needs_vector for source in self.sources):
            aembed = self.aembed
            (vector,) = yield [
                Call(lambda: self.embed(query), None if aembed is None else lambda: aembed(query))
            ]
        lists: list[list[Hit]] = yield [
            self._find(s, query, vector, filter, depth) for s in self.sources
        ]
        rows: dict[str, Row] = {}
        links: dict[str, tuple[str, str]] = {}
        for source, hits in zip(self.sources, lists, strict=True):
            if source.kind == "seam":
                for hit in hits:
                    if hit.metadata.get(LEFT_KEY) and hit.metadata.get(RIGHT_KEY):
                        links[hit.id] = (str(hit.metadata[LEFT_KEY]), str(hit.metadata[RIGHT_KEY]))
            elif source.carries_rows:
                rows.update((h.id, Row(h.id, h.text, h.metadata, h.payload)) for h in hits)

        gone: set[str] = set()  # chunks that are not in the store any more
        barred: set[str] = set()  # chunks that are there and do not pass the filter
        if filter is not None:
            asked = dict.fromkeys(chunk for link in links.values() for chunk in link)
            for source, hits in zip(self.sources, lists, strict=True):
                if source.kind == "chunk" and not source.filters:
                    asked.update((hit.id, None) for hit in hits)
            yield from self._learn(list(asked), filter, rows, gone, barred)

        while True:
            stale = {seam for seam, link in links.items() if not gone.isdisjoint(link)}
            excluded = {seam for seam, link in links.items() if not barred.isdisjoint(link)} - stale
            rankings = [
                self._ranking(source, hits, gone | barred, excluded, depth)
                for source, hits in zip(self.sources, lists, strict=True)
            ]
            plan = SelectionPlan(
                self._fuse(rankings),
                {seam: link for seam, link in links.items() if seam not in stale},
                budget=budget,
                fire_test=AnchoredFireTest() if fire_test is None else fire_test,
                rerank_top_n=self.rerank_top_n,
                excluded=excluded,
            )
            needed = dict.fromkeys(plan.needs)
            if rerank is not None:
                needed.update(dict.fromkeys(plan.candidates))
            unknown = [id for id in needed if id not in rows]
            if not unknown:
                break
            # Only what is about to be handed on is looked up; what turns out to be missing is
            # taken out and the plan made again.
            missing = len(gone) + len(barred)
            yield from self._learn(unknown, filter, rows, gone, barred)
            if len(gone) + len(barred) == missing:
                break

        reranked: Sequence[str] | None = None
        if rerank is not None:
            candidates = [rows[id] for id in plan.candidates]
            if candidates:
                (reranked,) = yield [rerank(candidates)]
        selection = plan.finish(reranked)
        return Retrieved(selection, [rows[id] for id in selection.chunk_ids])

    def _fuse(self, rankings: Sequence[Sequence[Scored]]) -> FusedRanking:
        return fuse(rankings, fusion=self.fusion, weights=self.weights, rrf_k=self.rrf_k)

    def _find(self, source: Source, query: str, vector: Any, filter: Any, depth: int) -> Call:
        depth *= _OVERFETCH if filter is not None and not source.filters else 1
        native = getattr(source, "afind", None)
        return Call(
            lambda: source.find(query, vector, depth, filter),
            None if native is None else lambda: native(query, vector, depth, filter),
        )

    @staticmethod
    def _ranking(
        source: Source, hits: Sequence[Hit], chunks: set[str], seams: set[str], depth: int
    ) -> list[Scored]:
        """The list that enters the fusion: what is taken out does not take up depth."""
        out = chunks if source.kind == "chunk" else seams
        kept = [(Entry(source.kind, hit.id), hit.score) for hit in hits if hit.id not in out]
        return kept[:depth]

    def _learn(
        self, ids: list[str], filter: Any, rows: dict[str, Row], gone: set[str], barred: set[str]
    ) -> Generator[list[Call], list[Any], None]:
        """Read rows by id; what the filter keeps back is told from what is not there."""
        ids = [id for id in ids if id not in rows]
        if not ids:
            return
        (found,) = yield [self._get(ids, filter)]
        rows.update(found)
        missing = [id for id in ids if id not in found]
        if not missing:
            return
        present: dict[str, Row] = {}
        if filter is not None:
            (present,) = yield [self._get(missing, None)]
        barred.update(present)
        gone.update(id for id in missing if id not in present)

    def _get(self, ids: list[str], filter: Any) -> Call:
        native = getattr(self.chunk_store, "aget", None)
        return Call(
            lambda: self.chunk_store.get(ids, filter),
            None if native is None else lambda: native(ids, filter),
        )
