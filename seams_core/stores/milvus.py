"""A store over a Milvus collection: the native client, since wrappers insert and hide ids."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from seams_core.errors import StoreError
from seams_core.store import Hit, Row

_LONGEST = 65_535  # bytes, the most that a text field of Milvus holds


class MilvusStore:
    """The store protocol over a ``pymilvus.MilvusClient``; a native filter is an expression.

    :param client: The client.
    :param name: The collection's name.
    :param id_field: The primary field; likewise ``text_field`` and ``vector_field``.
    :param metadata_field: The field that holds all metadata; ``None`` if each has its own.
    :param read: From id, text and metadata to a row.
    :param write: From a row to its metadata.
    :param as_expression: From the caller's filter to an expression.
    """

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
        read: Callable[[str, str, dict[str, Any]], Row] = Row,
        write: Callable[[Row], dict[str, Any]] = lambda row: dict(row.metadata),
        as_expression: Callable[[Any], str] = str,
    ) -> None:
        self._client = client
        self.name = name
        self._id, self._text, self._vector = id_field, text_field, vector_field
        self._metadata = metadata_field
        self._read, self._write, self._as_expression = read, write, as_expression
        fields = client.describe_collection(name)["fields"]
        # Ids that Milvus made itself are whole numbers; they are strings everywhere else.
        self._whole = any(f["name"] == id_field and f["type"].name == "INT64" for f in fields)

    def _row(self, entity: dict[str, Any]) -> Row:
        rest = {k: v for k, v in entity.items() if k not in (self._id, self._text, self._vector)}
        metadata = rest.get(self._metadata) if self._metadata else rest
        return self._read(str(entity[self._id]), entity.get(self._text) or "", metadata or {})

    def _ids(self, ids: Sequence[str]) -> list[Any]:
        unique = dict.fromkeys(ids)
        return [int(id) for id in unique if id.isdigit()] if self._whole else list(unique)

    def pages(self, size: int) -> Iterator[list[Row]]:
        """Every row, in pages, in the order of ids, each page a query of its own.

        :raises StoreError: If rows do not come in that order, in which pages could leave some out.
        """
        # Milvus's own iterator leaves out what was written within the last second; Milvus Lite
        # does not, and needs the iterator's option to give rows in order.
        lite = str(self._client.get_server_version()).startswith("milvus_lite")
        in_order = {"iterator": "True"} if lite else {"reduce_stop_for_best": "True"}
        last: Any = None
        while True:
            expression = "" if last is None else f"{self._id} > {_quoted(last)}"
            found = self._client.query(
                self.name,
                filter=expression,
                limit=size,
                output_fields=["*"],
                consistency_level="Strong",
                **in_order,
            )
            if not found:
                return
            ids = [entity[self._id] for entity in found]
            if ids != sorted(ids):
                raise StoreError(f"Milvus gave the rows of {self.name!r} out of order")
            yield [self._row(entity) for entity in found]
            last = ids[-1]

    def get(self, ids: Sequence[str], filter: Any = None) -> dict[str, Row]:
        """The rows with these ids that also pass ``filter``."""
        rows: dict[str, Row] = {}
        for begin in range(0, len(ids), self.batch_size):
            part = self._ids(ids[begin : begin + self.batch_size])
            expression = f"{self._id} in {_quoted(part)}"
            if filter:
                expression = f"({expression}) and ({self._as_expression(filter)})"
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
            filter=self._as_expression(filter) if filter else "",
            output_fields=["*"],
            consistency_level="Strong",
        )
        hits = []
        for hit in found:
            id = hit[self._id] if self._id in hit else hit["id"]
            row = self._row({self._id: id, **hit["entity"]})
            score = float(hit["distance"])
            hits.append(Hit(row.id, score, row.text, row.metadata, row.payload))
        return hits

    def put(self, rows: Sequence[Row], vectors: ArrayLike) -> None:
        """Write rows with their vectors, replacing those that are there."""
        matrix = np.asarray(vectors, dtype=np.float32)
        for begin in range(0, len(rows), self.batch_size):
            part = rows[begin : begin + self.batch_size]
            data = []
            for row, vector in zip(part, matrix[begin : begin + self.batch_size], strict=True):
                metadata = self._write(row)
                fields = {self._metadata: metadata} if self._metadata else metadata
                own = {self._id: row.id, self._text: row.text, self._vector: vector.tolist()}
                data.append({**fields, **own})
            self._client.upsert(self.name, data=data)

    def drop(self, ids: Sequence[str]) -> None:
        """Delete by id."""
        for begin in range(0, len(ids), self.batch_size):
            self._client.delete(self.name, ids=self._ids(ids[begin : begin + self.batch_size]))


def collection_beside(client: Any, name: str, vector_field: str, varchar: Any, vector: Any) -> str:
    """An empty collection named after another, with a field for anything that a seam carries.

    :param varchar: ``pymilvus.DataType.VARCHAR``; ``vector`` likewise ``FLOAT_VECTOR``.
    :return: Its name.
    """
    seams = f"{name}_seams"
    if not client.has_collection(seams):
        described = client.describe_collection(name)["fields"]
        (field,) = [f for f in described if f["name"] == vector_field]
        metric = client.describe_index(name, client.list_indexes(name, vector_field)[0])
        schema = client.create_schema(auto_id=False, enable_dynamic_field=True)
        schema.add_field("pk", varchar, is_primary=True, max_length=64)
        schema.add_field("text", varchar, max_length=_LONGEST)
        schema.add_field(vector_field, vector, dim=field["params"]["dim"])
        index = client.prepare_index_params()
        index.add_index(vector_field, index_type="AUTOINDEX", metric_type=metric["metric_type"])
        client.create_collection(seams, schema=schema, index_params=index)
    return seams


def _quoted(value: Any) -> str:
    # As JSON, but without \\u, which Milvus does not know.
    return json.dumps(value, ensure_ascii=False)
