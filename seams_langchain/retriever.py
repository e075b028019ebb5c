"""A LangChain retriever over chunks and seams (paper 3.2)."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Sequence
from typing import Any, Literal

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.retrievers import BaseRetriever, LangSmithRetrieverParams
from langchain_core.runnables import Runnable
from pydantic import ConfigDict, Field, InstanceOf, PrivateAttr, model_validator
from typing_extensions import Self

from seams_core import (
    AnchoredFireTest,
    Calibration,
    MarginFireTest,
    Retrieval,
    Retrieved,
    Row,
    Trace,
    acalibrate_margin,
    calibrate_margin,
)
from seams_core.calibration import CalibrationCheck, chosen_fire_test
from seams_core.calibration.writing import AsyncWriter, Writer
from seams_core.fusion import DEFAULT_FUSION, DEFAULT_RRF_K, Fusion, fuse
from seams_core.index import reading_order
from seams_core.retrieval import DEFAULT_DEPTH
from seams_core.selection import DEFAULT_RERANK_TOP_N
from seams_core.tokens import checked_positive
from seams_langchain.index import SeamIndex
from seams_langchain.reranking import to_documents, to_ids
from seams_langchain.sources import RetrieverSource
from seams_langchain.writing import awriter_of, writer_of

PREFIX = "seams_"


class SeamsRetriever(BaseRetriever):
    """Retrieve chunks, with both chunks of a cut where a seam finds what lies across it.

    Setup:
        .. code-block:: bash

            pip install "chunk-seams[langchain]"

    Use:
        .. code-block:: python

            retriever = SeamsRetriever.attach(vectorstore, k=10)
            documents = retriever.invoke("Why does the order service accept stale reads?")
            print(retriever.explain("Why does the order service accept stale reads?"))

    Every document is a copy of a stored chunk with its own text, id and metadata; seam text is
    never returned. With ``annotate``, flat metadata of one prefix tells ``seams_rank`` and, for a
    chunk that a seam brought, ``seams_seam_id`` and ``seams_partner_id``.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    index: SeamIndex
    """Chunks and seams."""
    k: int = Field(default=10, ge=1)
    """How many chunks come back, as long as there are as many."""
    margin: float | InstanceOf[Calibration] | None = None
    """m of the paper's fire test, in places of the fused ranking, or a
    :class:`seams_core.Calibration`; instead of ``fire_test``."""
    fire_test: Any = None
    """Any :class:`seams_core.FireTest`; ``AnchoredFireTest()`` if neither is given."""
    depth: int = Field(default=DEFAULT_DEPTH, ge=1)
    """How many hits each first-stage list gives to the fusion."""
    fusion: Fusion = DEFAULT_FUSION
    """``"convex"`` for a weighted mean of scores, ``"rrf"`` for reciprocal rank fusion."""
    rrf_k: float = Field(default=DEFAULT_RRF_K, ge=0)
    """What reciprocal rank fusion adds to each rank."""
    weights: list[float] | None = None
    """One weight per list: dense chunks, dense seams, keyword chunks, keyword seams, then the
    further retrievers; all 1 if none."""
    filter: Any = None
    """The chunk store's own filter; it holds for chunks that a seam brings, too."""
    dense: bool = True
    """Search both collections by vector; ``False`` leaves it to keywords and retrievers."""
    keywords: bool = True
    """Search both collections by keywords, where the index keeps keyword indexes."""
    chunk_retrievers: list[BaseRetriever] = Field(default_factory=list)
    """Further retrievers of chunks to fuse in; their documents carry the chunk ids."""
    seam_retrievers: list[BaseRetriever] = Field(default_factory=list)
    """Further retrievers of seams to fuse in."""
    reranker: BaseDocumentCompressor | None = None
    """Orders the ordinary chunks; pairs that got in stay where they are."""
    rerank_top_n: int = Field(default=DEFAULT_RERANK_TOP_N, ge=1)
    """How many ordinary chunks the reranker is given."""
    order: Literal["rank", "document"] = "rank"
    """Best first, or in reading order, document by document, with pairs side by side."""
    annotate: bool = True
    """Whether to add the ``seams_`` metadata."""

    _calibrated: CalibrationCheck = PrivateAttr(default_factory=CalibrationCheck)

    @model_validator(mode="after")
    def _check(self) -> Self:
        chosen_fire_test(self.margin, self.fire_test)
        if self.fire_test is not None and not callable(self.fire_test):
            raise ValueError(f"fire_test={self.fire_test!r} is no fire test")
        lists = 2 * self.dense + 2 * (self.keywords and self.index.core.keywords)
        lists += len(self.chunk_retrievers) + len(self.seam_retrievers)
        if not lists:
            raise ValueError(
                "dense=False and keywords=False leave nothing to search: set one of them, or give "
                "chunk_retrievers"
            )
        fuse([[]] * lists, fusion=self.fusion, weights=self.weights, rrf_k=self.rrf_k)
        return self

    @classmethod
    def attach(
        cls,
        chunk_store: Any,
        seam_store: Any | None = None,
        *,
        progress: bool = False,
        index_settings: dict[str, Any] | None = None,
        **settings: Any,
    ) -> Self:
        """Add seams beside an existing vector store, then retrieve from both.

        :param chunk_store: The vector store of the chunks; nothing in it is embedded or written.
        :param seam_store: See :class:`SeamIndex`.
        :param progress: Show a progress bar while seams are added.
        :param index_settings: Settings of :class:`SeamIndex`.
        :param settings: Fields of the retriever.
        """
        index = SeamIndex(chunk_store, seam_store, **(index_settings or {}))
        retriever = cls(index=index, **settings)  # settings are checked before work begins
        index.sync(progress=progress)
        return retriever

    def _retrieval(self) -> Retrieval:
        sources = [
            source
            for source in self.index.core.sources(keywords=self.keywords)
            if self.dense or not source.needs_vector
        ]
        as_stored = self.index.chunk_id
        extra = [RetrieverSource(r, "chunk", as_stored) for r in self.chunk_retrievers]
        extra += [RetrieverSource(r, "seam") for r in self.seam_retrievers]
        retrieval = Retrieval(
            self.index.core.chunk_store,
            [*sources, *extra],
            self.index.embeddings.embed_query,
            self.index.embeddings.aembed_query,
            depth=self.depth,
            fusion=self.fusion,
            rrf_k=self.rrf_k,
            weights=self.weights,
            rerank_top_n=self.rerank_top_n,
        )
        name = type(self.index.embeddings).__name__
        self._calibrated.check(self.margin, self.index.core, retrieval, name)
        return retrieval

    def calibrate(
        self, llm: Runnable[Any, Any] | Writer | None = None, **settings: Any
    ) -> Calibration:
        """Set the fire test's number on this index, for ``margin=`` of a retriever (paper 3.2).

        .. code-block:: python

            retriever = SeamsRetriever.attach(vectorstore)
            calibration = retriever.calibrate(samples=20)  # or calibrate(chat_model)
            print(calibration)
            calibrated = retriever.model_copy(update={"margin": calibration})

        :param llm: Writes the questions: a chat model or another runnable, or a callable from a
            text to a question; without one, a query of the text's rarest words.
        :param settings: Of :func:`seams_core.calibrate_margin`.
        """
        write = writer_of(llm)
        return calibrate_margin(
            self.index.core, self._retrieval(), write=write, **self._calibrating(settings)
        )

    async def acalibrate(
        self, llm: Runnable[Any, Any] | AsyncWriter | None = None, **settings: Any
    ) -> Calibration:
        """:meth:`calibrate`, asynchronously; see :func:`seams_core.acalibrate_margin`."""
        retrieval = await asyncio.to_thread(self._retrieval)
        write = awriter_of(llm)
        return await acalibrate_margin(
            self.index.core, retrieval, write=write, **self._calibrating(settings)
        )

    def _calibrating(self, settings: dict[str, Any]) -> dict[str, Any]:
        test = chosen_fire_test(self.margin, self.fire_test) or AnchoredFireTest()
        return {
            "fire_test": test,
            "in_use": test,
            "filter": self.filter,
            "embedding": type(self.index.embeddings).__name__,
            **settings,
        }

    def _settings(self, k: int | None, filter: Any, margin: float | None) -> dict[str, Any]:
        test = chosen_fire_test(self.margin, self.fire_test)
        if margin is not None:
            test = MarginFireTest(margin)
        return {
            "budget": self.k if k is None else checked_positive("k", k),
            "fire_test": test,
            "filter": self.filter if filter is None else filter,
        }

    def _get_ls_params(self, **kwargs: Any) -> LangSmithRetrieverParams:
        """What LangSmith shows of LangChain's own vector store retriever, too."""
        params = super()._get_ls_params(**kwargs)
        params["ls_vector_store_provider"] = type(self.index.chunk_store).__name__
        params["ls_embedding_provider"] = type(self.index.embeddings).__name__
        return params

    def _run(
        self,
        query: str,
        k: int | None = None,
        filter: Any = None,
        margin: float | None = None,
        callbacks: Any = None,
    ) -> Retrieved:
        reranker = self.reranker

        def rerank(query: str, rows: Sequence[Row]) -> list[str]:
            assert reranker is not None
            found = reranker.compress_documents(to_documents(rows), query, callbacks=callbacks)
            return to_ids(found)

        return self._retrieval().run(
            query,
            **self._settings(k, filter, margin),
            rerank=None if reranker is None else rerank,
        )

    async def _arun(
        self,
        query: str,
        k: int | None = None,
        filter: Any = None,
        margin: float | None = None,
        callbacks: Any = None,
    ) -> Retrieved:
        reranker = self.reranker

        async def rerank(query: str, rows: Sequence[Row]) -> list[str]:
            assert reranker is not None
            found = await reranker.acompress_documents(
                to_documents(rows), query, callbacks=callbacks
            )
            return to_ids(found)

        # The keyword indexes may have to be made first, which must not block the loop.
        retrieval = await asyncio.to_thread(self._retrieval)
        return await retrieval.arun(
            query,
            **self._settings(k, filter, margin),
            arerank=None if reranker is None else rerank,
        )

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        k: int | None = None,
        filter: Any = None,
        margin: float | None = None,
    ) -> list[Document]:
        callbacks = run_manager.get_child()
        return self._documents(self._run(query, k, filter, margin, callbacks))

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        k: int | None = None,
        filter: Any = None,
        margin: float | None = None,
    ) -> list[Document]:
        callbacks = run_manager.get_child()
        return self._documents(await self._arun(query, k, filter, margin, callbacks))

    def explain(
        self,
        query: str,
        *,
        k: int | None = None,
        filter: Any = None,
        margin: float | None = None,
    ) -> Trace:
        """What happens to ``query``: print it for the paper's two tables."""
        return self._run(query, k, filter, margin).selection.trace

    async def aexplain(
        self,
        query: str,
        *,
        k: int | None = None,
        filter: Any = None,
        margin: float | None = None,
    ) -> Trace:
        """:meth:`explain`, asynchronously."""
        return (await self._arun(query, k, filter, margin)).selection.trace

    def _documents(self, retrieved: Retrieved) -> list[Document]:
        selection = retrieved.selection
        ranks = {id: rank for rank, id in enumerate(selection.chunk_ids, 1)}
        rows = retrieved.rows
        if self.order == "document":
            rows = reading_order(rows, self.index.core.locator)
        documents = []
        for row in rows:
            metadata = copy.deepcopy(dict(row.metadata))
            if self.annotate:
                metadata[f"{PREFIX}rank"] = ranks[row.id]
                seam = selection.brought_by.get(row.id)
                if seam is not None:
                    left, right = selection.trace.links[seam]
                    metadata[f"{PREFIX}seam_id"] = seam
                    metadata[f"{PREFIX}partner_id"] = right if row.id == left else left
            documents.append(Document(id=row.id, page_content=row.text, metadata=metadata))
        return documents
