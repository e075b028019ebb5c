"""A store over a Chroma collection, embedded or over HTTP."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from seams_core.registry import Part
from seams_core.store import SEAM_TYPE, TYPE_KEY, Hit, Row

_MAX_BATCH = 5461  # what Chroma allows where it does not say

# In Chroma "not equal" also holds for rows that lack the key, so chunks need not have it.
_WHERE: dict[str, dict[str, Any] | None] = {
    "all": None,
    "chunks": {TYPE_KEY: {"$ne": SEAM_TYPE}},
    "seams": {TYPE_KEY: SEAM_TYPE},
}


class ChromaStore:
    """The store protocol over ``chromadb.Collection``.

    :param collection: The native collection.
    :param part: Which rows to show.
    :param read: From an id, a text and metadata to a row.
    :param write: From a row to its metadata.
    :param as_filter: From the caller's filter to Chroma's own syntax.
    """

    def __init__(
        self,
        collection: Any,
        part: Part = "all",
        *,
        read: Callable[[str, str, Mapping[str, Any]], Row] = Row,
        write: Callable[[Row], dict[str, Any]] = lambda row: dict(row.metadata),
        as_filter: Callable[[Any], Any] = lambda filter: filter,
    ) -> None:
        self._collection = collection
        self._where = _WHERE[part]
        self._read, self._write = read, write
        self._as_filter = as_filter

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
            yield self._rows(page)
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
            rows.update((row.id, row) for row in self._rows(page))
        return rows

    def search(self, vector: ArrayLike, k: int, filter: Any = None) -> list[Hit]:
        """The ``k`` nearest rows; the score is the negated distance."""
        found = self._collection.query(
            query_embeddings=[np.asarray(vector, dtype=np.float32)],
            n_results=k,
            where=self._both(filter),
            include=["documents", "metadatas", "distances"],
        )
        scores = [-float(distance) for distance in found["distances"][0]]
        rows = self._rows({key: found[key][0] for key in ("ids", "documents", "metadatas")})
        return [
            Hit(row.id, score, row.text, row.metadata, row.payload)
            for row, score in zip(rows, scores, strict=True)
        ]

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
            ids = [row.id for row in part]
            there = self._collection.get(ids=ids, include=[])
            if there["ids"]:
                there = self._whole(there["ids"])
            same = self._unchanged(there, part, matrix[begin : begin + size])
            # Chroma merges metadata, and a vector that is written again is found less well: what
            # is there as it should be is left alone, what is to change is taken out first.
            if old := [id for id in there["ids"] if id not in same]:
                self._collection.delete(ids=old)
            new = [n for n, id in enumerate(ids) if id not in same]
            if new:
                self._collection.upsert(
                    ids=[ids[n] for n in new],
                    embeddings=matrix[begin : begin + size][new],
                    documents=[part[n].text for n in new],
                    metadatas=[self._write(part[n]) or None for n in new],
                )

    def _whole(self, ids: list[str]) -> Any:
        parts = ["documents", "metadatas"]
        try:
            return self._collection.get(ids=ids, include=[*parts, "embeddings"])
        except Exception as error:
            # Vectors that another process has just written are not known here yet.
            if type(error).__name__ != "InternalError":
                raise
            return self._collection.get(ids=ids, include=parts)

    def _unchanged(self, there: Any, rows: Sequence[Row], vectors: Any) -> set[str]:
        if not there["ids"]:
            return set()
        wanted = {row.id: (row, vector) for row, vector in zip(rows, vectors, strict=True)}
        known = there["embeddings"]
        vectors = [None] * len(there["ids"]) if known is None else known
        found = zip(there["ids"], there["documents"], there["metadatas"], vectors, strict=True)
        return {
            id
            for id, text, metadata, vector in found
            if text == wanted[id][0].text
            and metadata == self._write(wanted[id][0])
            and (vector is None or np.allclose(vector, wanted[id][1], atol=1e-6))
        }

    def drop(self, ids: Sequence[str]) -> None:
        """Delete by id."""
        for begin in range(0, len(ids), self.batch_size):
            self._collection.delete(ids=list(ids[begin : begin + self.batch_size]))

    def _both(self, filter: Any) -> Any:
        native = self._as_filter(filter) if filter else None
        if not self._where:
            return native or None
        return {"$and": [self._where, native]} if native else self._where

    def _rows(self, page: Any) -> list[Row]:
        parts = zip(page["ids"], page["documents"], page["metadatas"], strict=True)
        return [self._read(id, text or "", meta or {}) for id, text, meta in parts]


def collection_beside(collection: Any) -> Any:
    """An empty collection named after another, in the same database, with the same distance."""
    api = collection._client
    settings = collection.configuration_json
    kind = "spann" if settings.get("spann") else "hnsw"
    space = (settings.get(kind) or {}).get("space", "l2")
    model = api.get_or_create_collection(
        name=f"{collection.name}-seams",
        configuration={kind: {"space": space}},
        tenant=collection.tenant,
        database=collection.database,
    )
    return type(collection)(client=api, model=model, embedding_function=None)
