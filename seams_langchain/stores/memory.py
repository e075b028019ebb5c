"""LangChain's InMemoryVectorStore: its dictionary, and its own search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from langchain_core.documents import Document
from numpy.typing import ArrayLike

from seams_core.locks import lock_of
from seams_core.store import SEAM_TYPE, TYPE_KEY, Hit, Row, Store


def store(vectorstore: Any, part: str) -> Store:
    """The dictionary behind the wrapper."""
    return MemoryStore(vectorstore, part)


def beside(vectorstore: Any) -> Any:
    """Another one with the same embeddings."""
    return type(vectorstore)(vectorstore.embeddings)


class MemoryStore:
    """The store protocol; a filter is a callable over a ``Document``, as the wrapper has it."""

    name = "memory"
    batch_size = 10_000

    def __init__(self, vectorstore: Any, part: str) -> None:
        self._store = vectorstore
        self._part = part

    def _shows(self, metadata: dict[str, Any]) -> bool:
        is_seam = metadata.get(TYPE_KEY) == SEAM_TYPE
        return self._part == "all" or is_seam == (self._part == "seams")

    def _passes(self, filter: Callable[[Document], bool] | None, document: Document) -> bool:
        return self._shows(document.metadata) and (filter is None or filter(document))

    def pages(self, size: int) -> Iterator[list[Row]]:
        """Every row, in pages, in the order of insertion."""
        entries = [e for e in list(self._store.store.values()) if self._shows(e["metadata"])]
        for begin in range(0, len(entries), size):
            yield [Row(e["id"], e["text"], e["metadata"]) for e in entries[begin : begin + size]]

    def get(self, ids: Sequence[str], filter: Any = None) -> dict[str, Row]:
        """The rows with these ids that also pass ``filter``."""
        rows: dict[str, Row] = {}
        for id in ids:
            entry = self._store.store.get(id)
            if entry is None:
                continue
            document = Document(id=id, page_content=entry["text"], metadata=entry["metadata"])
            if self._passes(filter, document):
                rows[id] = Row(id, entry["text"], entry["metadata"])
        return rows

    def search(self, vector: ArrayLike, k: int, filter: Any = None) -> list[Hit]:
        """The ``k`` nearest rows by cosine similarity."""
        with lock_of(self._store):  # it goes through a dictionary, which must not change meanwhile
            found = self._store.similarity_search_with_score_by_vector(
                np.asarray(vector).tolist(), k=k, filter=lambda d: self._passes(filter, d)
            )
        return [Hit(d.id, float(score), d.page_content, d.metadata) for d, score in found]

    def put(self, rows: Sequence[Row], vectors: ArrayLike) -> None:
        """Write rows with their vectors, replacing those that are there."""
        entries = {
            row.id: {
                "id": row.id,
                "vector": vector.tolist(),
                "text": row.text,
                "metadata": dict(row.metadata),
            }
            for row, vector in zip(rows, np.asarray(vectors), strict=True)
        }
        with lock_of(self._store):
            self._store.store.update(entries)

    def drop(self, ids: Sequence[str]) -> None:
        """Delete by id."""
        with lock_of(self._store):
            self._store.delete(list(ids))
