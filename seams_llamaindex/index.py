"""Seams beside the nodes of a LlamaIndex vector store index (paper 3.1, steps 2 to 4)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from llama_index.core import VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.embeddings.utils import EmbedType, resolve_embed_model
from llama_index.core.schema import BaseNode

from seams_core import IndexStatus, Locator, SeamedIndex, SyncReport
from seams_core.errors import StoreError
from seams_core.locate import Key
from seams_core.sentences import SentencesLike
from seams_core.tokens import TokenizerLike
from seams_core.windows import DEFAULT_HALF_WIDTH, Snap
from seams_llamaindex.stores import beside, resolve_store
from seams_llamaindex.stores.nodes import node_row, surround

if TYPE_CHECKING:
    from seams_llamaindex.retriever import SeamsRetriever

#: The name under which a storage context keeps the seams' vector store.
NAMESPACE = "seams"


class SeamIndex:
    """The nodes of a ``VectorStoreIndex`` and the seams between them, kept in step by :meth:`sync`.

    .. code-block:: python

        seams = SeamIndex.attach(index, show_progress=True)
        engine = RetrieverQueryEngine.from_args(seams.as_retriever(similarity_top_k=10))

    The seams' vector store joins the index's storage context under the name ``seams``, so that it
    is persisted with it and found there again.

    :param index: Any vector store index; its nodes are only read. They may be in its docstore, or
        in a vector store that keeps them.
    :param seam_store: A second vector store for the seams, or the index's own one, where seams are
        told apart by the metadata field ``seams_type``: other retrievers of that store then find
        them as nodes, unless they filter by it. If none is given, the one that the storage
        context has, else one made beside the first.
    :param embed_model: The nodes' own embedding model; that of ``index`` if none. Seams are
        embedded with the metadata that their left node's embedding has.
    :param document_key: Metadata key, or callable from a row, that tells a node's document, where
        that is not its source.
    :param position_key: Metadata key, or callable from a row, that tells its place in it, where
        that is not told by its relationships to the previous and next node or by its offset.
    :param keywords: Keep BM25 indexes of nodes and seams in process.
    :param language: Of stemmer, stop words and sentence edges.
    :param half_width: k, in tokens; see :func:`seams_core.build_seams` for it and the rest.
    :raises ValueError: If a setting is wrong.
    :raises StoreError: If a store is not known, or can not hold both kinds.
    """

    def __init__(
        self,
        index: VectorStoreIndex,
        seam_store: Any | None = None,
        *,
        embed_model: EmbedType | None = None,
        document_key: Key | None = None,
        position_key: Key | None = None,
        keywords: bool = True,
        language: str | None = "english",
        half_width: int = DEFAULT_HALF_WIDTH,
        snap: Snap = "outward",
        tokenizer: TokenizerLike | None = None,
        sentences: SentencesLike | None = None,
        batch_size: int = 256,
    ) -> None:
        if not isinstance(index, VectorStoreIndex):
            raise StoreError(
                f"a {type(index).__name__} is no VectorStoreIndex: pass one, or make one over your "
                "vector store with VectorStoreIndex.from_vector_store"
            )
        self.index = index
        self.embed_model = index._embed_model if embed_model is None else _resolved(embed_model)
        kept = index.storage_context.vector_stores.get(NAMESPACE)
        if seam_store is None:
            seam_store = kept or beside(index.vector_store)
        self.seam_store = seam_store
        shared = seam_store is index.vector_store
        self.core = SeamedIndex(
            resolve_store(index, "chunks" if shared else "all"),
            resolve_store(seam_store, "seams" if shared else "all"),
            self._embed,
            keywords=keywords,
            language=language,
            half_width=half_width,
            snap=snap,
            tokenizer=tokenizer,
            sentences=sentences,
            locator=Locator(document_key, position_key),
            surround=surround,
            batch_size=batch_size,
            whole_store=resolve_store(index) if shared else None,
        )
        if not shared and hasattr(seam_store, "stores_text"):
            index.storage_context.add_vector_store(seam_store, NAMESPACE)

    @classmethod
    def attach(
        cls,
        index: VectorStoreIndex,
        seam_store: Any | None = None,
        *,
        show_progress: bool = False,
        **settings: Any,
    ) -> SeamIndex:
        """Add seams beside an existing index; no node of it is embedded again.

        :param index: Any vector store index.
        :param seam_store: See the class, and for ``settings``.
        :param show_progress: Show a progress bar.
        """
        seams = cls(index, seam_store, **settings)
        seams.sync(show_progress=show_progress)
        return seams

    def as_retriever(self, **settings: Any) -> SeamsRetriever:
        """A retriever over nodes and seams; see :class:`SeamsRetriever` for the settings."""
        from seams_llamaindex.retriever import SeamsRetriever

        return SeamsRetriever(self, **settings)

    def sync(
        self, nodes: Iterable[BaseNode] | None = None, *, show_progress: bool = False
    ) -> SyncReport:
        """Add the seams that are missing and delete those that have no place any more.

        Run it after ``insert``, ``delete_ref_doc``, ``refresh_ref_docs`` or an ingestion pipeline.
        Run twice, it does nothing the second time; stopped and run again, it goes on.

        :param nodes: Every node of the index; read from the store if none.
        :param show_progress: Show a progress bar.
        :return: What was added, kept and deleted; see :class:`seams_core.SyncReport`.
        """
        rows = None if nodes is None else map(node_row, nodes)
        return self.core.sync(rows, progress=show_progress)

    async def async_sync(
        self, nodes: Iterable[BaseNode] | None = None, *, show_progress: bool = False
    ) -> SyncReport:
        """:meth:`sync` in a thread, so that the event loop goes on."""
        return await asyncio.to_thread(self.sync, nodes, show_progress=show_progress)

    def status(self) -> IndexStatus:
        """How many nodes and seams there are, and how many seams are stale."""
        return self.core.status()

    def _embed(self, texts: list[str]) -> list[list[float]]:
        # The model's own method is wrapped by LlamaIndex and could be neither copied nor pickled.
        return self.embed_model.get_text_embedding_batch(texts)


def _resolved(embed_model: EmbedType) -> BaseEmbedding:
    """As LlamaIndex resolves what is given for an embedding model; one is left as it is."""
    if isinstance(embed_model, BaseEmbedding):
        return embed_model
    try:
        return resolve_embed_model(embed_model)
    except AssertionError:
        raise ValueError(
            f"embed_model={embed_model!r} is no embedding model: give one, or what LlamaIndex "
            "makes one from"
        ) from None
