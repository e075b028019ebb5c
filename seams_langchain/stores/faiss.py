"""LangChain's FAISS: its index and docstore, since its ``add`` breaks on an id that it has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from seams_core.errors import StoreError
from seams_core.locks import lock_of
from seams_core.registry import Part
from seams_core.store import SEAM_TYPE, TYPE_KEY, Hit, Row, Store


def store(vectorstore: Any, part: Part) -> Store:
    """The index behind the wrapper; a filter is a dictionary or a callable over metadata."""
    return FaissStore(vectorstore, part)


def beside(vectorstore: Any) -> Any:
    """An empty one of the same dimension and distance; it is saved as the first one is."""
    import faiss

    old = vectorstore.index
    flat = faiss.IndexFlatIP if old.metric_type == faiss.METRIC_INNER_PRODUCT else faiss.IndexFlatL2
    return type(vectorstore)(
        embedding_function=vectorstore.embedding_function,
        index=flat(old.d),
        docstore=type(vectorstore.docstore)(),
        index_to_docstore_id={},
        normalize_L2=vectorstore._normalize_L2,
        distance_strategy=vectorstore.distance_strategy,
    )


class FaissStore:
    """The store protocol over the wrapper's index, id table and docstore."""

    batch_size = 10_000
    name = "faiss"

    def __init__(self, vectorstore: Any, part: Part) -> None:
        self._store = vectorstore
        self._part = part

    @property
    def _lock(self) -> AbstractContextManager[Any]:
        return lock_of(self._store)  # a FAISS index must not be searched while it is written

    def _passes(self, filter: Any) -> Callable[[dict[str, Any]], bool]:
        own = None if filter is None else self._store._create_filter_func(filter)
        part = self._part

        def passes(metadata: dict[str, Any]) -> bool:
            is_seam = metadata.get(TYPE_KEY) == SEAM_TYPE
            return (part == "all" or is_seam == (part == "seams")) and (
                own is None or bool(own(metadata))
            )

        return passes

    def _read(self, ids: Sequence[str], filter: Any = None) -> dict[str, Row]:
        passes = self._passes(filter)
        rows: dict[str, Row] = {}
        for id in ids:
            document = self._store.docstore.search(id)
            # A docstore answers with a message where it has no such document.
            if not isinstance(document, str) and passes(document.metadata):
                rows[id] = Row(id, document.page_content, dict(document.metadata))
        return rows

    def pages(self, size: int) -> Iterator[list[Row]]:
        """Every row, in pages, in the order of places in the index."""
        with self._lock:
            ids = iter(list(self._store.index_to_docstore_id.values()))
        while page := list(islice(ids, size)):
            if rows := self._read(page):
                yield list(rows.values())

    def get(self, ids: Sequence[str], filter: Any = None) -> dict[str, Row]:
        """The rows with these ids that also pass ``filter``."""
        return self._read(list(dict.fromkeys(ids)), filter)

    def search(self, vector: ArrayLike, k: int, filter: Any = None) -> list[Hit]:
        """The ``k`` nearest rows, in the order of the index."""
        query = np.asarray(vector, dtype=np.float32).reshape(1, -1)
        if self._store._normalize_L2:
            query = query / np.linalg.norm(query)
        with self._lock:
            # The wrapper filters what it has fetched, 20 rows by default: here all are fetched.
            total = self._store.index.ntotal
            wanted = total if filter is not None or self._part != "all" else min(k, total)
            if not wanted:
                return []
            scores, places = self._store.index.search(query, wanted)
            table = self._store.index_to_docstore_id
            ranked = {
                table[int(place)]: float(score)
                for score, place in zip(scores[0], places[0], strict=True)
                if place >= 0
            }
            rows = self._read(list(ranked), filter)
        hits = (Hit(id, ranked[id], row.text, row.metadata) for id, row in rows.items())
        return list(islice(hits, k))

    def put(self, rows: Sequence[Row], vectors: ArrayLike) -> None:
        """Write rows with their vectors, replacing those that are there."""
        with self._lock:
            self.drop([row.id for row in rows])
            if not rows:
                return
            self._store.add_embeddings(
                list(zip((row.text for row in rows), np.asarray(vectors).tolist(), strict=True)),
                metadatas=[dict(row.metadata) for row in rows],
                ids=[row.id for row in rows],
            )

    def drop(self, ids: Sequence[str]) -> None:
        """Delete by id.

        :raises StoreError: If the kind of index can not delete, as HNSW.
        """
        with self._lock:
            there = set(self._store.index_to_docstore_id.values())
            ids = [id for id in dict.fromkeys(ids) if id in there]
            if not ids:
                return
            try:
                self._store.delete(ids)
            except RuntimeError as error:
                raise StoreError(
                    f"a {type(self._store.index).__name__} can not delete: use a flat index for "
                    "the seams, such as the one that is made beside the chunks by itself"
                ) from error
