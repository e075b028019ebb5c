"""Seams beside the chunks of a LangChain vector store (paper 3.1, steps 2 to 4)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore

from seams_core import IndexStatus, Locator, Row, SeamedIndex, SyncReport
from seams_core.errors import StoreError
from seams_core.locate import Key
from seams_core.sentences import SentencesLike
from seams_core.tokens import TokenizerLike
from seams_core.windows import DEFAULT_HALF_WIDTH, Snap
from seams_langchain.stores import beside, resolve_store


class SeamIndex:
    """Chunks in one vector store and their seams in another, kept in step by :meth:`sync`.

    .. code-block:: python

        index = SeamIndex(chunk_store)  # a second collection is made beside it
        print(index.sync(progress=True))

    :param chunk_store: The vector store of the chunks; it is only read.
    :param seam_store: A second vector store for the seams, or the same one, where seams are told
        apart by the metadata field ``seams_type``. Made beside the first if none is given.
    :param embeddings: The chunks' own embeddings; those of ``chunk_store`` if none.
    :param document_key: Metadata key, or callable from a row, that tells a chunk's document.
    :param position_key: Metadata key, or callable from a row, that tells its place in it.
    :param keywords: Keep BM25 indexes of both collections in process.
    :param language: Of stemmer, stop words and sentence edges.
    :param half_width: k, in tokens; see :func:`seams_core.build_seams` for it and the rest.
    :raises ValueError: If a setting is wrong.
    :raises StoreError: If a store is not known, or can not hold both kinds.
    """

    def __init__(
        self,
        chunk_store: VectorStore | Any,
        seam_store: VectorStore | Any | None = None,
        *,
        embeddings: Embeddings | None = None,
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
        embeddings = embeddings or getattr(chunk_store, "embeddings", None)
        if embeddings is None:
            raise StoreError(
                f"{type(chunk_store).__name__} does not tell its embeddings: pass embeddings= the "
                "ones that the chunks were embedded with"
            )
        self.embeddings: Embeddings = embeddings
        self.chunk_store = chunk_store
        self.seam_store = beside(chunk_store) if seam_store is None else seam_store
        shared = self.seam_store is chunk_store
        self.core = SeamedIndex(
            resolve_store(chunk_store, "chunks" if shared else "all"),
            resolve_store(self.seam_store, "seams" if shared else "all"),
            embeddings.embed_documents,
            keywords=keywords,
            language=language,
            half_width=half_width,
            snap=snap,
            tokenizer=tokenizer,
            sentences=sentences,
            locator=Locator(document_key, position_key),
            batch_size=batch_size,
            whole_store=resolve_store(chunk_store) if shared else None,
        )
        if not shared and self.core.chunk_store.name == self.core.seam_store.name:
            self._refuse_one_collection_by_two_names()

    def _refuse_one_collection_by_two_names(self) -> None:
        for page in self.core.seam_store.pages(1):
            if page[0].id in self.core.chunk_store.get([page[0].id]):
                raise StoreError(
                    f"chunk_store and seam_store are two objects over one collection, "
                    f"{self.core.chunk_store.name!r}: pass the same object twice to share it, or "
                    "another collection for the seams"
                )
            return

    def sync(
        self, documents: Iterable[Document] | None = None, *, progress: bool = False
    ) -> SyncReport:
        """Add the seams that are missing and delete those that have no place any more.

        Run twice, it does nothing the second time; stopped and run again, it goes on.

        :param documents: Every chunk of the index with its id; read from the store if none.
        :param progress: Show a progress bar.
        :return: What was added, kept and deleted; see :class:`seams_core.SyncReport`.
        """
        rows = None if documents is None else map(self._row, documents)
        return self.core.sync(rows, progress=progress)

    async def async_sync(
        self, documents: Iterable[Document] | None = None, *, progress: bool = False
    ) -> SyncReport:
        """:meth:`sync` in a thread, so that the event loop goes on."""
        return await asyncio.to_thread(self.sync, documents, progress=progress)

    def status(self) -> IndexStatus:
        """How many chunks and seams there are, and how many seams are stale."""
        return self.core.status()

    def chunk_id(self, id: str) -> str:
        """``id`` as the chunk store writes it: Qdrant takes a UUID in any form and gives dashes."""
        as_stored = getattr(self.core.chunk_store, "as_stored", str)
        return str(as_stored(id))

    def _row(self, document: Document) -> Row:
        if document.id is None:
            raise StoreError(
                "a document that was handed in has no id: give each chunk the id that it has in "
                "the chunk store"
            )
        return Row(self.chunk_id(document.id), document.page_content, document.metadata)
