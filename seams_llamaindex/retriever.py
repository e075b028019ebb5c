"""A LlamaIndex retriever over nodes and seams (paper 3.2)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from llama_index.core import VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.callbacks.base import CallbackManager
from llama_index.core.llms import LLM
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import IndexNode, NodeWithScore, QueryBundle, QueryType
from llama_index.core.vector_stores.types import MetadataFilters

from seams_core import (
    AnchoredFireTest,
    Calibration,
    FireTest,
    Row,
    Trace,
    acalibrate_margin,
    calibrate_margin,
)
from seams_core.calibration import CalibrationCheck, chosen_fire_test
from seams_core.calibration.writing import AsyncWriter, Writer
from seams_core.fusion import DEFAULT_FUSION, DEFAULT_RRF_K, Fusion, fuse
from seams_core.retrieval import DEFAULT_DEPTH, Retrieval, Retrieved
from seams_core.selection import DEFAULT_RERANK_TOP_N
from seams_core.tokens import checked_positive
from seams_llamaindex.annotated import annotated
from seams_llamaindex.index import SeamIndex
from seams_llamaindex.sources import RetrieverSource, as_node, to_nodes
from seams_llamaindex.stores.conditions import pruned
from seams_llamaindex.writing import awriter_of, writer_of


class SeamsRetriever(BaseRetriever):
    """Retrieve nodes, with both nodes of a cut where a seam finds what lies across it.

    .. code-block:: python

        retriever = SeamsRetriever.attach(index, similarity_top_k=10)
        engine = RetrieverQueryEngine.from_args(retriever)
        print(retriever.explain("Why does the order service accept stale reads?"))

    Every node is a copy of a stored node with its own text and id; seam text is never returned.
    Scores fall with the rank, from 1 in equal steps, so that engines that sort by score keep the
    order. With ``annotate``, ``node.metadata["seams"]`` has ``rank`` and, for a node that a seam
    brought, ``seam_id`` and ``partner_id``; neither the language model nor an embedding sees it.

    :param index: Nodes and seams.
    :param similarity_top_k: How many nodes come back, as long as there are as many.
    :param margin: m of the paper's fire test, in places of the fused ranking, or a
        :class:`seams_core.Calibration`; instead of ``fire_test``.
    :param fire_test: Any :class:`seams_core.FireTest`; ``AnchoredFireTest()`` if neither is given.
    :param depth: How many hits each first-stage list gives to the fusion.
    :param fusion: ``"convex"`` for a weighted mean of scores, ``"rrf"`` for reciprocal rank fusion.
    :param rrf_k: What reciprocal rank fusion adds to each rank.
    :param weights: One weight per list: dense nodes, dense seams, keyword nodes, keyword seams,
        then the further retrievers; all 1 if none.
    :param filters: They hold for nodes that a seam brings, too.
    :param dense: Search both collections by vector; ``False`` leaves it to keywords and retrievers.
    :param keywords: Search both collections by keywords, where the index keeps keyword indexes.
    :param chunk_retrievers: Further retrievers of nodes of the index to fuse in.
    :param seam_retrievers: Further retrievers of seams to fuse in.
    :param reranker: A node postprocessor that reorders; pairs that got in stay where they are.
    :param rerank_top_n: How many ordinary nodes the reranker is given.
    :param annotate: Whether to add the metadata.
    :param object_map: What index nodes lead to, by their ``index_id``; that of the index if none.
    :raises ValueError: If a setting is wrong.
    """

    def __init__(
        self,
        index: SeamIndex,
        similarity_top_k: int = 10,
        *,
        margin: float | Calibration | None = None,
        fire_test: FireTest | None = None,
        depth: int = DEFAULT_DEPTH,
        fusion: Fusion = DEFAULT_FUSION,
        rrf_k: float = DEFAULT_RRF_K,
        weights: Sequence[float] | None = None,
        filters: MetadataFilters | None = None,
        dense: bool = True,
        keywords: bool = True,
        chunk_retrievers: Sequence[BaseRetriever] = (),
        seam_retrievers: Sequence[BaseRetriever] = (),
        reranker: BaseNodePostprocessor | None = None,
        rerank_top_n: int = DEFAULT_RERANK_TOP_N,
        annotate: bool = True,
        callback_manager: CallbackManager | None = None,
        object_map: dict[str, Any] | None = None,
        objects: list[IndexNode] | None = None,
        verbose: bool = False,
    ) -> None:
        if not isinstance(index, SeamIndex):
            raise ValueError(
                f"index={type(index).__name__} is no SeamIndex: pass SeamIndex.attach(index), or "
                "use SeamsRetriever.attach(index)"
            )
        chosen = chosen_fire_test(margin, fire_test)
        if fire_test is not None and (isinstance(fire_test, type) or not callable(fire_test)):
            raise ValueError(
                f"fire_test={fire_test!r} is no fire test: give one, such as MarginFireTest(3)"
            )
        if filters is not None and not isinstance(filters, MetadataFilters):
            raise ValueError(f"filters={filters!r} is not allowed: give MetadataFilters")
        for name, switch in (("dense", dense), ("keywords", keywords), ("annotate", annotate)):
            if not isinstance(switch, bool):
                raise ValueError(f"{name}={switch!r} is not allowed: give True or False")
        for name, given in (
            ("chunk_retrievers", chunk_retrievers),
            ("seam_retrievers", seam_retrievers),
        ):
            if not isinstance(given, Sequence) or not all(
                isinstance(member, BaseRetriever) for member in given
            ):
                raise ValueError(f"{name}={given!r} is not allowed: give a list of retrievers")
        if reranker is not None and not isinstance(reranker, BaseNodePostprocessor):
            raise ValueError(f"reranker={reranker!r} is not allowed: give a node postprocessor")
        lists = 2 * dense + 2 * (keywords and index.core.keywords)
        lists += len(chunk_retrievers) + len(seam_retrievers)
        if not lists:
            raise ValueError(
                "dense=False and keywords=False leave nothing to search: set one of them, or give "
                "chunk_retrievers"
            )
        fuse([[]] * lists, fusion=fusion, weights=weights, rrf_k=rrf_k)
        self.index = index
        self.similarity_top_k = checked_positive("similarity_top_k", similarity_top_k)
        self.fire_test = chosen
        self.margin = margin
        self._calibrated = CalibrationCheck()
        self.depth = checked_positive("depth", depth)
        self.fusion = fusion
        self.rrf_k = rrf_k
        self.weights = weights
        self.filters = filters
        self.dense = dense
        self.keywords = keywords
        self.chunk_retrievers = list(chunk_retrievers)
        self.seam_retrievers = list(seam_retrievers)
        self.reranker = reranker
        self.rerank_top_n = checked_positive("rerank_top_n", rerank_top_n)
        self.annotate = annotate
        super().__init__(
            callback_manager=callback_manager or index.index._callback_manager,
            object_map=object_map or index.index._object_map,
            objects=objects,
            verbose=verbose,
        )

    @classmethod
    def attach(
        cls,
        index: VectorStoreIndex,
        seam_store: Any | None = None,
        *,
        show_progress: bool = False,
        index_settings: dict[str, Any] | None = None,
        **settings: Any,
    ) -> SeamsRetriever:
        """Add seams beside an existing index, then retrieve from both.

        :param index: Any vector store index; no node of it is embedded or written.
        :param seam_store: See :class:`SeamIndex`.
        :param show_progress: Show a progress bar while seams are added.
        :param index_settings: Settings of :class:`SeamIndex`.
        :param settings: Settings of the retriever.
        """
        seams = SeamIndex(index, seam_store, **(index_settings or {}))
        retriever = cls(seams, **settings)  # settings are checked before work begins
        seams.sync(show_progress=show_progress)
        return retriever

    def explain(self, str_or_query_bundle: QueryType) -> Trace:
        """What happens to a query: print it for the paper's two tables."""
        return self._run(_bundle(str_or_query_bundle)).selection.trace

    async def aexplain(self, str_or_query_bundle: QueryType) -> Trace:
        """:meth:`explain`, asynchronously."""
        return (await self._arun(_bundle(str_or_query_bundle))).selection.trace

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return self._nodes(self._run(query_bundle))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return self._nodes(await self._arun(query_bundle))

    def _retrieval(self, bundle: QueryBundle) -> Retrieval:
        sources = [
            source
            for source in self.index.core.sources(keywords=self.keywords)
            if self.dense or not source.needs_vector
        ]
        extra = [RetrieverSource(r, "chunk", bundle) for r in self.chunk_retrievers]
        extra += [RetrieverSource(r, "seam", bundle) for r in self.seam_retrievers]
        model = self.index.embed_model
        texts = bundle.embedding_strs or [bundle.query_str]  # an empty question is one, too

        def embed(query: str) -> list[float]:
            if bundle.embedding is not None:
                return bundle.embedding
            return model.get_agg_embedding_from_queries(texts)

        async def aembed(query: str) -> list[float]:
            if bundle.embedding is not None:
                return bundle.embedding
            return await model.aget_agg_embedding_from_queries(texts)

        retrieval = Retrieval(
            self.index.core.chunk_store,
            [*sources, *extra],
            embed,
            aembed,
            depth=self.depth,
            fusion=self.fusion,
            rrf_k=self.rrf_k,
            weights=self.weights,
            rerank_top_n=self.rerank_top_n,
        )
        self._calibrated.check(self.margin, self.index.core, retrieval, type(model).__name__)
        return retrieval

    def calibrate(self, llm: LLM | Writer | None = None, **settings: Any) -> Calibration:
        """Set the fire test's number on this index, for ``margin=`` of a retriever (paper 3.2).

        .. code-block:: python

            retriever = SeamsRetriever.attach(index)
            calibration = retriever.calibrate(samples=20)  # or calibrate(llm)
            print(calibration)
            calibrated = SeamsRetriever(retriever.index, margin=calibration)

        :param llm: Writes the questions: a model, or a callable from a text to a question;
            without one, a query of the text's rarest words.
        :param settings: Of :func:`seams_core.calibrate_margin`.
        """
        return calibrate_margin(
            self.index.core,
            lambda question: self._retrieval(_bundle(question)),
            write=writer_of(llm),
            **self._calibrating(settings),
        )

    async def acalibrate(
        self, llm: LLM | AsyncWriter | None = None, **settings: Any
    ) -> Calibration:
        """:meth:`calibrate`, asynchronously; see :func:`seams_core.acalibrate_margin`."""
        return await acalibrate_margin(
            self.index.core,
            lambda question: self._retrieval(_bundle(question)),
            write=awriter_of(llm),
            **self._calibrating(settings),
        )

    def _calibrating(self, settings: dict[str, Any]) -> dict[str, Any]:
        test = self.fire_test or AnchoredFireTest()
        return {
            "fire_test": test,
            "in_use": test,
            "filter": pruned(self.filters),
            "embedding": type(self.index.embed_model).__name__,
            **settings,
        }

    def _settings(self) -> dict[str, Any]:
        return {
            "budget": self.similarity_top_k,
            "fire_test": self.fire_test,
            "filter": pruned(self.filters),
        }

    def _run(self, bundle: QueryBundle) -> Retrieved:
        reranker = self.reranker

        def rerank(query: str, rows: Sequence[Row]) -> list[str]:
            assert reranker is not None
            found = reranker.postprocess_nodes(to_nodes(rows), query_bundle=bundle)
            return [node.node.node_id for node in found]

        return self._retrieval(bundle).run(
            bundle.query_str, **self._settings(), rerank=None if reranker is None else rerank
        )

    async def _arun(self, bundle: QueryBundle) -> Retrieved:
        reranker = self.reranker

        async def rerank(query: str, rows: Sequence[Row]) -> list[str]:
            assert reranker is not None
            found = await reranker.apostprocess_nodes(to_nodes(rows), query_bundle=bundle)
            return [node.node.node_id for node in found]

        # The keyword indexes may have to be made first, which must not block the loop.
        retrieval = await asyncio.to_thread(self._retrieval, bundle)
        return await retrieval.arun(
            bundle.query_str, **self._settings(), arerank=None if reranker is None else rerank
        )

    def _nodes(self, retrieved: Retrieved) -> list[NodeWithScore]:
        selection = retrieved.selection
        found = []
        for place, row in enumerate(retrieved.rows):
            node = as_node(row)
            if self.annotate:
                reason: dict[str, Any] = {"rank": place + 1}
                seam = selection.brought_by.get(row.id)
                if seam is not None:
                    left, right = selection.trace.links[seam]
                    reason["seam_id"] = seam
                    reason["partner_id"] = right if row.id == left else left
                node = annotated(node, reason)
            found.append(
                NodeWithScore(
                    node=node, score=(self.similarity_top_k - place) / self.similarity_top_k
                )
            )
        return found


def _bundle(query: QueryType) -> QueryBundle:
    return QueryBundle(query) if isinstance(query, str) else query
