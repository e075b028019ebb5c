"""A store over a Qdrant collection: the native client, since wrappers hide ids or texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import ArrayLike

from seams_core.locks import lock_of
from seams_core.registry import Part
from seams_core.store import SEAM_TYPE, TYPE_KEY, Hit, Row


class QdrantStore:
    """The store protocol over a ``qdrant_client.QdrantClient``.

    :param client: The client.
    :param models: The module ``qdrant_client.models``.
    :param name: The collection's name.
    :param read: From an id and a payload to a row.
    :param write: From a row to its payload.
    :param vector_name: Of a named vector; empty for the unnamed one.
    :param metadata_prefix: What stands before a metadata key within the payload.
    :param part: Which rows to show.
    :param as_filter: From the caller's filter to a ``models.Filter``.
    """

    batch_size = 500

    def __init__(
        self,
        client: Any,
        models: Any,
        name: str,
        *,
        read: Callable[[str, Mapping[str, Any]], Row],
        write: Callable[[Row], dict[str, Any]],
        vector_name: str = "",
        metadata_prefix: str = "",
        part: Part = "all",
        as_filter: Callable[[Any], Any] = lambda filter: filter,
    ) -> None:
        self._client, self._models, self.name = client, models, name
        self._read, self._write = read, write
        self._vector = vector_name
        self._key = metadata_prefix + TYPE_KEY
        self._part = part
        self._as_filter = as_filter

    @staticmethod
    def as_stored(id: str) -> str:
        """A UUID in any of the forms that Qdrant takes, in the one that it gives back."""
        try:
            return str(id) if str(id).isdigit() else str(UUID(str(id)))
        except ValueError:
            return str(id)

    def pages(self, size: int) -> Iterator[list[Row]]:
        """Every row, in pages, in the order of ids."""
        offset = None
        while True:
            with self._lock:
                points, offset = self._client.scroll(
                    self.name, scroll_filter=self._filter(), limit=size, offset=offset
                )
            if points:
                yield [self._row(point) for point in points]
            if offset is None:
                return

    def get(self, ids: Sequence[str], filter: Any = None) -> dict[str, Row]:
        """The rows with these ids that also pass ``filter``."""
        found: dict[str, Row] = {}
        for asked in self._batches(ids):
            with self._lock:
                points, _ = self._client.scroll(**self._get(asked, filter))
            found |= self._rows(asked, points)
        return found

    def search(self, vector: ArrayLike, k: int, filter: Any = None) -> list[Hit]:
        """The ``k`` nearest rows."""
        with self._lock:
            found = self._client.query_points(**self._search(vector, k, filter))
        return self._hits(found.points)

    def put(self, rows: Sequence[Row], vectors: ArrayLike) -> None:
        """Write rows with their vectors, replacing those that are there."""
        points = [
            self._models.PointStruct(
                id=_native(row.id),
                vector={self._vector: vector.tolist()} if self._vector else vector.tolist(),
                payload=self._write(row),
            )
            for row, vector in zip(rows, np.asarray(vectors), strict=True)
        ]
        for begin in range(0, len(points), self.batch_size):
            with self._lock:
                self._client.upsert(self.name, points[begin : begin + self.batch_size], wait=True)

    def drop(self, ids: Sequence[str]) -> None:
        """Delete by id."""
        for begin in range(0, len(ids), self.batch_size):
            part = [_native(self.as_stored(id)) for id in ids[begin : begin + self.batch_size]]
            with self._lock:
                self._client.delete(self.name, points_selector=part, wait=True)

    @property
    def _lock(self) -> AbstractContextManager[Any]:
        # Qdrant's local mode loses points where two threads write at once.
        return lock_of(self._client, is_local(self._client))

    def _batches(self, ids: Sequence[str]) -> Iterator[dict[str, str]]:
        """From an id as Qdrant gives it back to the id as it was asked for."""
        for begin in range(0, len(ids), self.batch_size):
            yield {self.as_stored(id): id for id in ids[begin : begin + self.batch_size]}

    def _get(self, asked: dict[str, str], filter: Any) -> dict[str, Any]:
        wanted = self._filter(filter, [_native(id) for id in asked])
        return {"collection_name": self.name, "scroll_filter": wanted, "limit": len(asked)}

    def _search(self, vector: ArrayLike, k: int, filter: Any) -> dict[str, Any]:
        return {
            "collection_name": self.name,
            "query": np.asarray(vector).tolist(),
            "using": self._vector or None,
            "query_filter": self._filter(filter),
            "limit": k,
            "with_payload": True,
        }

    def _filter(self, filter: Any = None, ids: list[Any] | None = None) -> Any:
        # The caller's own stands one level down: its "should" must not join our "must".
        must: list[Any] = [] if filter is None else [self._as_filter(filter)]
        if ids is not None:
            must.append(self._models.HasIdCondition(has_id=ids))
        is_seam = self._models.FieldCondition(
            key=self._key, match=self._models.MatchValue(value=SEAM_TYPE)
        )
        if self._part == "seams":
            must.append(is_seam)
        must_not = [is_seam] if self._part == "chunks" else None
        return self._models.Filter(must=must or None, must_not=must_not)

    def _row(self, point: Any) -> Row:
        return self._read(str(point.id), point.payload or {})

    def _rows(self, asked: dict[str, str], points: Sequence[Any]) -> dict[str, Row]:
        rows = map(self._row, points)
        return {asked[row.id]: row._replace(id=asked[row.id]) for row in rows}

    def _hits(self, points: Sequence[Any]) -> list[Hit]:
        hits = []
        for point in points:
            row = self._row(point)
            hits.append(Hit(row.id, float(point.score), row.text, row.metadata, row.payload))
        # Equal scores come in any order, which must not show. Whether a higher score is better
        # depends on the collection's distance.
        if not hits or hits[0].score >= hits[-1].score:
            hits.sort(key=lambda hit: (-hit.score, hit.id))
        return hits


class AsyncQdrantStore(QdrantStore):
    """The same with an ``AsyncQdrantClient`` beside the client: searches are really awaited."""

    def __init__(self, client: Any, async_client: Any, *args: Any, **settings: Any) -> None:
        super().__init__(client, *args, **settings)
        self._async_client = async_client

    async def aget(self, ids: Sequence[str], filter: Any = None) -> dict[str, Row]:
        """:meth:`get`, awaited."""
        found: dict[str, Row] = {}
        for asked in self._batches(ids):
            points, _ = await self._async_client.scroll(**self._get(asked, filter))
            found |= self._rows(asked, points)
        return found

    async def asearch(self, vector: ArrayLike, k: int, filter: Any = None) -> list[Hit]:
        """:meth:`search`, awaited."""
        found = await self._async_client.query_points(**self._search(vector, k, filter))
        return self._hits(found.points)


def collection_beside(client: Any, name: str) -> str:
    """An empty collection named after another, with vectors of the same kind.

    :return: Its name.
    """
    seams = f"{name}-seams"
    if not client.collection_exists(seams):
        params = client.get_collection(name).config.params
        client.create_collection(
            seams, vectors_config=params.vectors, sparse_vectors_config=params.sparse_vectors
        )
    return seams


def is_local(client: Any) -> bool:
    """Whether the client keeps its collections in this process."""
    return type(getattr(client, "_client", None)).__name__ == "QdrantLocal"


def _native(id: str) -> int | str:
    return int(id) if id.isdigit() else id
