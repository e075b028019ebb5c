"""LangChain's Milvus: the native client, since the wrapper's ``add`` inserts and gives no ids."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from seams_core.errors import StoreError
from seams_core.store import Hit, Row, Store

_LONGEST = 65_535  # bytes, the most that a text field of Milvus holds


def store(vectorstore: Any, part: str) -> Store:
    """The collection behind the wrapper.

    :raises StoreError: If chunks and seams are to share it: a Milvus collection has the fields
        that its first rows had, and "not equal" gives nothing for rows that lack a field.
    """
    if part != "all":
        raise StoreError(
            "chunks and seams can not share a Milvus collection, whose fields are fixed: leave "
            "seam_store out, or pass another collection"
        )
    return MilvusStore(
        vectorstore.client,
        vectorstore.collection_name,
        id_field=vectorstore._primary_field,
        text_field=vectorstore._text_field,
        vector_field=vectorstore._vector_field,
        metadata_field=vectorstore._metadata_field,
    )


def beside(vectorstore: Any) -> Store:
    """A collection named after the first one, with a field for anything a seam carries."""
    from pymilvus import DataType

    client, name = vectorstore.client, f"{vectorstore.collection_name}_seams"
    field = vectorstore._vector_field
    if not client.has_collection(name):
        described = client.describe_collection(vectorstore.collection_name)["fields"]
        (vector,) = [f for f in described if f["name"] == field]
        metric = client.describe_index(
            vectorstore.collection_name, client.list_indexes(vectorstore.collection_name, field)[0]
        )["metric_type"]
        schema = client.create_schema(auto_id=False, enable_dynamic_field=True)
        schema.add_field("pk", DataType.VARCHAR, is_primary=True, max_length=64)
        schema.add_field("text", DataType.VARCHAR, max_length=_LONGEST)
        schema.add_field(field, DataType.FLOAT_VECTOR, dim=vector["params"]["dim"])
        index = client.prepare_index_params()
        index.add_index(field, index_type="AUTOINDEX", metric_type=metric)
        client.create_collection(name, schema=schema, index_params=index)
    return MilvusStore(client, name, vector_field=field)


class MilvusStore:
    """The store protocol; a filter is an expression, as the wrapper's ``expr``."""

    batch_size = 500

    def __init__(
        self,
        client: Any,
        name: str,
        *,
        id_field: str = "pk",
        text_field: str = "text",
        vector_field: str = "vector",
        metadata_field: str | None = None,
    ) -> None:
        self._client = client
        self.name = name
        self._id, self._text, self._vector = id_field, text_field, vector_field
        self._metadata = metadata_field
        fields = client.describe_collection(name)["fields"]
        # Ids that Milvus made itself are whole numbers; they are strings everywhere else.
        self._whole = any(f["name"] == id_field and f["type"].name == "INT64" for f in fields)

    def _row(self, entity: dict[str, Any]) -> Row:
        rest = {k: v for k, v in entity.items() if k not in (self._id, self._text, self._vector)}
        metadata = rest.get(self._metadata) if self._metadata else rest
        return Row(str(entity[self._id]), entity.get(self._text) or "", metadata or {})

    def _ids(self, ids: Sequence[str]) -> list[Any]:
        return [int(id) if self._whole else id for id in dict.fromkeys(ids)]

    def pages(self, size: int) -> Iterator[list[Row]]:
        """Every row, in pages, in the order of ids."""
        iterator = self._client.query_iterator(
            self.name, batch_size=size, filter="", output_fields=["*"]
        )
        try:
            while page := iterator.next():
                yield [self._row(entity) for entity in page]
        finally:
            iterator.close()

    def get(self, ids: Sequence[str], filter: Any = None) -> dict[str, Row]:
        """The rows with these ids that also pass ``filter``."""
        rows: dict[str, Row] = {}
        for begin in range(0, len(ids), self.batch_size):
            wanted = json.dumps(self._ids(ids[begin : begin + self.batch_size]))
            expression = f"{self._id} in {wanted}"
            if filter:
                expression = f"({expression}) and ({filter})"
            found = self._client.query(
                self.name,
                filter=expression,
                output_fields=["*"],
                consistency_level="Strong",
            )
            rows.update((row.id, row) for row in map(self._row, found))
        return rows

    def search(self, vector: ArrayLike, k: int, filter: Any = None) -> list[Hit]:
        """The ``k`` nearest rows, in Milvus's order."""
        (found,) = self._client.search(
            self.name,
            data=[np.asarray(vector, dtype=np.float32).tolist()],
            anns_field=self._vector,
            limit=k,
            filter=filter or "",
            output_fields=["*"],
            consistency_level="Strong",
        )
        hits = []
        for hit in found:
            id = hit[self._id] if self._id in hit else hit["id"]
            row = self._row({self._id: id, **hit["entity"]})
            hits.append(Hit(row.id, float(hit["distance"]), row.text, row.metadata))
        return hits

    def put(self, rows: Sequence[Row], vectors: ArrayLike) -> None:
        """Write rows with their vectors, replacing those that are there."""
        matrix = np.asarray(vectors, dtype=np.float32)
        for begin in range(0, len(rows), self.batch_size):
            part = zip(rows[begin : begin + self.batch_size], matrix[begin:], strict=False)
            self._client.upsert(
                self.name,
                data=[
                    {
                        **dict(row.metadata),
                        self._id: row.id,
                        self._text: row.text,
                        self._vector: vector.tolist(),
                    }
                    for row, vector in part
                ],
            )

    def drop(self, ids: Sequence[str]) -> None:
        """Delete by id."""
        for begin in range(0, len(ids), self.batch_size):
            self._client.delete(self.name, ids=self._ids(ids[begin : begin + self.batch_size]))
