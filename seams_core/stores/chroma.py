"""A store over a Chroma collection, embedded or over HTTP."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from seams_core.store import Hit, Row

_MAX_BATCH = 5461  # what Chroma allows where it does not say


class ChromaStore:
    """The store protocol over ``chromadb.Collection``.

    :param collection: The native collection.
    :param where: Narrows every read to part of the collection, in Chroma's own syntax.
    """

    def __init__(self, collection: Any, where: dict[str, Any] | None = None) -> None:
        self._collection = collection
        self._where = where

    @property
    def name(self) -> str:
        """The collection's name."""
        return str(self._collection.name)

    @property
    def batch_size(self) -> int:
        """How many rows one write may hold."""
        client = getattr(self._collection, "_client", None)
        limit = getattr(client, "get_max_batch_size", None)
        return int(limit()) if limit is not None else _MAX_BATCH

    def count(self) -> int:
        """How many rows there are."""
        if self._where is None:
            return int(self._collection.count())
        return len(self._collection.get(where=self._where, include=[])["ids"])

    def pages(self, size: int) -> Iterator[list[Row]]:
        """Every row, in pages, in the order of insertion."""
        offset = 0
        while True:
            page = self._collection.get(
                limit=size,
                offset=offset,
                where=self._where,
                include=["documents", "metadatas"],
            )
            if not page["ids"]:
                return
            yield _rows(page)
            offset += len(page["ids"])
            gc.collect()  # replies over HTTP are cyclic garbage and would pile up

    def get(self, ids: Sequence[str], filter: Any = None) -> dict[str, Row]:
        """The rows with these ids that also pass ``filter``."""
        rows: dict[str, Row] = {}
        for begin in range(0, len(ids), self.batch_size):
            page = self._collection.get(
                ids=list(dict.fromkeys(ids[begin : begin + self.batch_size])),
                where=self._both(filter),
                include=["documents", "metadatas"],
            )
            rows.update((row.id, row) for row in _rows(page))
        return rows

    def search(self, vector: ArrayLike, k: int, filter: Any = None) -> list[Hit]:
        """The ``k`` nearest rows; the score is the negated distance."""
        found = self._collection.query(
            query_embeddings=[np.asarray(vector, dtype=np.float32)],
            n_results=k,
            where=self._both(filter),
            include=["documents", "metadatas", "distances"],
        )
        hits = zip(
            found["ids"][0],
            found["distances"][0],
            found["documents"][0],
            found["metadatas"][0],
            strict=True,
        )
        return [Hit(id, -float(far), text or "", meta or {}) for id, far, text, meta in hits]

    def search_ids(self, vector: ArrayLike, k: int, filter: Any = None) -> list[Hit]:
        """:meth:`search` without reading texts and metadata, which takes most of its time."""
        found = self._collection.query(
            query_embeddings=[np.asarray(vector, dtype=np.float32)],
            n_results=k,
            where=self._both(filter),
            include=["distances"],
        )
        pairs = zip(found["ids"][0], found["distances"][0], strict=True)
        return [Hit(id, -float(far), "", {}) for id, far in pairs]

    def put(self, rows: Sequence[Row], vectors: ArrayLike) -> None:
        """Write rows with their vectors, replacing those that are there."""
        matrix = np.asarray(vectors, dtype=np.float32)
        size = self.batch_size
        for begin in range(0, len(rows), size):
            part = rows[begin : begin + size]
            self._collection.upsert(
                ids=[row.id for row in part],
                embeddings=matrix[begin : begin + size],
                documents=[row.text for row in part],
                metadatas=[dict(row.metadata) or None for row in part],
            )

    def drop(self, ids: Sequence[str]) -> None:
        """Delete by id."""
        for begin in range(0, len(ids), self.batch_size):
            self._collection.delete(ids=list(ids[begin : begin + self.batch_size]))

    def _both(self, filter: Any) -> Any:
        if not self._where:
            return filter or None
        return {"$and": [self._where, filter]} if filter else self._where


def _rows(page: Any) -> list[Row]:
    parts = zip(page["ids"], page["documents"], page["metadatas"], strict=True)
    return [Row(id, text or "", meta or {}) for id, text, meta in parts]
