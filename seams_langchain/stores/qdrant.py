"""LangChain's QdrantVectorStore: the native client, since searches give no ``Document.id``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import ArrayLike

from seams_core.store import SEAM_TYPE, TYPE_KEY, Hit, Row, Store


def store(vectorstore: Any, part: str) -> Store:
    """The collection behind the wrapper."""
    return QdrantStore(vectorstore, part)


def beside(vectorstore: Any) -> Any:
    """A collection named after the first one, with vectors of the same kind."""
    client, name = vectorstore.client, f"{vectorstore.collection_name}-seams"
    if not client.collection_exists(name):
        config = client.get_collection(vectorstore.collection_name).config.params
        client.create_collection(name, vectors_config=config.vectors)
    return type(vectorstore)(
        client=client,
        collection_name=name,
        embedding=vectorstore.embeddings,
        vector_name=vectorstore.vector_name,
        content_payload_key=vectorstore.content_payload_key,
        metadata_payload_key=vectorstore.metadata_payload_key,
        validate_embeddings=False,  # it would embed a text to learn its length
        validate_collection_config=False,
    )


class QdrantStore:
    """The store protocol; a filter is a ``qdrant_client.models.Filter``."""

    batch_size = 500

    def __init__(self, vectorstore: Any, part: str) -> None:
        self._client = vectorstore.client
        self.name = str(vectorstore.collection_name)
        self._vector = vectorstore.vector_name
        self._text = vectorstore.content_payload_key
        self._meta = vectorstore.metadata_payload_key
        self._part = part

    def _filter(self, filter: Any = None, ids: Sequence[str] | None = None) -> Any:
        from qdrant_client import models

        must: list[Any] = [] if filter is None else [filter]
        if ids is not None:
            must.append(models.HasIdCondition(has_id=list(ids)))
        is_seam = models.FieldCondition(
            key=f"{self._meta}.{TYPE_KEY}", match=models.MatchValue(value=SEAM_TYPE)
        )
        if self._part == "seams":
            must.append(is_seam)
        must_not: list[Any] | None = [is_seam] if self._part == "chunks" else None
        return models.Filter(must=must or None, must_not=must_not)

    @staticmethod
    def as_stored(id: str) -> str:
        """A UUID in any of the forms that Qdrant takes, in the one that it gives back."""
        try:
            return str(id) if str(id).isdigit() else str(UUID(str(id)))
        except ValueError:
            return str(id)

    def _row(self, point: Any) -> Row:
        payload = point.payload or {}
        text, metadata = payload.get(self._text) or "", payload.get(self._meta) or {}
        return Row(str(point.id), text, metadata)

    def pages(self, size: int) -> Iterator[list[Row]]:
        """Every row, in pages, in the order of ids."""
        offset = None
        while True:
            points, offset = self._client.scroll(
                self.name, scroll_filter=self._filter(), limit=size, offset=offset
            )
            if points:
                yield [self._row(point) for point in points]
            if offset is None:
                return

    def get(self, ids: Sequence[str], filter: Any = None) -> dict[str, Row]:
        """The rows with these ids that also pass ``filter``."""
        rows: dict[str, Row] = {}
        for begin in range(0, len(ids), self.batch_size):
            part = list(dict.fromkeys(ids[begin : begin + self.batch_size]))
            points, _ = self._client.scroll(
                self.name, scroll_filter=self._filter(filter, part), limit=len(part)
            )
            rows.update((row.id, row) for row in map(self._row, points))
        return rows

    def search(self, vector: ArrayLike, k: int, filter: Any = None) -> list[Hit]:
        """The ``k`` nearest rows."""
        points = self._client.query_points(
            self.name,
            query=np.asarray(vector).tolist(),
            using=self._vector or None,
            query_filter=self._filter(filter),
            limit=k,
            with_payload=True,
        ).points
        scored = ((self._row(point), float(point.score)) for point in points)
        hits = [Hit(row.id, score, row.text, row.metadata) for row, score in scored]
        if self._falls(hits):  # equal scores come in any order, which must not show
            hits.sort(key=lambda hit: (-hit.score, hit.id))
        return hits

    @staticmethod
    def _falls(hits: list[Hit]) -> bool:
        """Whether a higher score is better, which depends on the collection's distance."""
        return not hits or hits[0].score >= hits[-1].score

    def put(self, rows: Sequence[Row], vectors: ArrayLike) -> None:
        """Write rows with their vectors, replacing those that are there."""
        from qdrant_client import models

        points = [
            models.PointStruct(
                id=row.id,
                vector={self._vector: vector.tolist()} if self._vector else vector.tolist(),
                payload={self._text: row.text, self._meta: dict(row.metadata)},
            )
            for row, vector in zip(rows, np.asarray(vectors), strict=True)
        ]
        for begin in range(0, len(points), self.batch_size):
            self._client.upsert(self.name, points[begin : begin + self.batch_size], wait=True)

    def drop(self, ids: Sequence[str]) -> None:
        """Delete by id."""
        if ids:
            self._client.delete(self.name, points_selector=list(ids), wait=True)
