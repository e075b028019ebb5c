"""A store over a LanceDB table: metadata is a fixed struct, so seams need a table of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from seams_core.errors import StoreError
from seams_core.store import Hit, Row

_PRIMARY_KEY = {"lance-schema:unenforced-primary-key": "true"}


class LanceStore:
    """The store protocol over a table; a native filter is an SQL condition.

    :param name: The table's name.
    :param open: Gives the table as it is now, or ``None`` as long as there is none.
    :param create: Makes it from its first rows.
    :param id_key: The column of ids; likewise ``text_key`` and ``vector_key``.
    :param read: From id, text and metadata to a row.
    :param write: From a row to its columns, without the vector.
    :param as_where: From the caller's filter to an SQL condition.
    """

    batch_size = 2000

    def __init__(
        self,
        name: str,
        open: Callable[[], Any],
        create: Callable[[Any], None],
        *,
        id_key: str = "id",
        text_key: str = "text",
        vector_key: str = "vector",
        read: Callable[[str, str, dict[str, Any]], Row],
        write: Callable[[Row], dict[str, Any]],
        as_where: Callable[[Any], str],
    ) -> None:
        self.name = name
        self._open, self._create = open, create
        self._id, self._text, self._vector = id_key, text_key, vector_key
        self._read, self._write = read, write
        self._as_where = as_where

    def count(self) -> int:
        """How many rows there are."""
        table = self._open()
        return 0 if table is None else int(table.count_rows())

    def pages(self, size: int) -> Iterator[list[Row]]:
        """Every row, in pages, in the order of the table's fragments."""
        table = self._open()
        if table is None:
            return
        for batch in table.search().select(self._columns(table)).to_batches(size):
            for begin in range(0, batch.num_rows, size):
                if rows := list(map(self._row, batch.slice(begin, size).to_pylist())):
                    yield rows

    def get(self, ids: Sequence[str], filter: Any = None) -> dict[str, Row]:
        """The rows with these ids that also pass ``filter``."""
        table = self._open()
        if table is None:
            return {}
        rows: dict[str, Row] = {}
        unique = list(dict.fromkeys(ids))
        for begin in range(0, len(unique), self.batch_size):
            where = self._is_one_of(unique[begin : begin + self.batch_size])
            if filter is not None:
                where = f"({where}) AND ({self._as_where(filter)})"
            found = table.search().where(where).select(self._columns(table)).to_list()
            rows.update((row.id, row) for row in map(self._row, found))
        return rows

    def search(self, vector: ArrayLike, k: int, filter: Any = None) -> list[Hit]:
        """The ``k`` nearest rows; an index for vectors never makes them fewer."""
        table = self._open()
        if table is None:
            return []
        hits = self._search(table, vector, k, filter)
        if len(hits) < k and table.list_indices():
            hits = self._search(table, vector, k, filter, exact=True)
        return hits

    def put(self, rows: Sequence[Row], vectors: ArrayLike) -> None:
        """Write rows with their vectors, replacing those that are there, a batch a version.

        :raises StoreError: If the table has no field for what a row carries.
        """
        import pyarrow as pa

        matrix = np.asarray(vectors, dtype=np.float32)
        for begin in range(0, len(rows), self.batch_size):
            part = rows[begin : begin + self.batch_size]
            lines = [self._write(row) for row in part]
            parts = matrix[begin : begin + self.batch_size]
            table = self._open()
            if table is None:
                self._create(as_table(lines, parts, self._vector, self._id))
                continue
            self._check_fields(table, lines)
            data = [
                {**line, self._vector: vector.tolist()}
                for line, vector in zip(lines, parts, strict=True)
            ]
            (
                table.merge_insert(self._id)
                .when_matched_update_all()
                .when_not_matched_insert_all()
                .execute(pa.Table.from_pylist(data, schema=table.schema))
            )

    def drop(self, ids: Sequence[str]) -> None:
        """Delete by id."""
        table = self._open()
        if table is None:
            return
        for begin in range(0, len(ids), self.batch_size):
            table.delete(self._is_one_of(ids[begin : begin + self.batch_size]))

    def _columns(self, table: Any) -> list[str]:
        return [n for n in (self._id, self._text, "metadata") if n in table.schema.names]

    def _row(self, line: dict[str, Any]) -> Row:
        # A struct has every field in every row, None where it was not given.
        metadata = line.get("metadata") or {}
        given = {key: value for key, value in metadata.items() if value is not None}
        return self._read(str(line[self._id]), line.get(self._text) or "", given)

    def _search(
        self, table: Any, vector: ArrayLike, k: int, filter: Any, *, exact: bool = False
    ) -> list[Hit]:
        query = np.asarray(vector, dtype=np.float32)
        search = table.search(query, vector_column_name=self._vector).limit(k)
        if filter is not None:  # before the search, or most of a selective one would be lost
            search = search.where(self._as_where(filter), prefilter=True)
        if exact:
            search = search.bypass_vector_index()
        found = search.select([*self._columns(table), "_distance"]).to_list()
        best: dict[str, Hit] = {}
        for line in found:
            row = self._row(line)
            hit = Hit(row.id, -float(line["_distance"]), row.text, row.metadata, row.payload)
            best.setdefault(row.id, hit)
        return sorted(best.values(), key=lambda hit: (-hit.score, hit.id))

    def _is_one_of(self, ids: Sequence[str]) -> str:
        quoted = ", ".join("'" + id.replace("'", "''") + "'" for id in ids)
        return f"{self._id} IN ({quoted})"

    def _check_fields(self, table: Any, lines: list[dict[str, Any]]) -> None:
        struct = table.schema.field("metadata").type
        has = {struct.field(n).name for n in range(struct.num_fields)}
        missing = {key for line in lines for key in line["metadata"]} - has
        if missing:
            raise StoreError(
                f"LanceDB table {self.name!r} has no metadata field for "
                f"{', '.join(sorted(missing))}, and the fields of a table are fixed: pass an empty "
                "table, or let one be made beside the chunks by leaving seam_store out"
            )


def as_table(lines: list[dict[str, Any]], vectors: Any, vector_key: str, id_key: str) -> Any:
    """Columns as an Arrow table as LanceDB needs it.

    Vectors are of fixed size, or they can not be searched. The ids are its key: without one, two
    writers that merge at the same time each insert their rows.
    """
    import pyarrow as pa

    table = pa.Table.from_pylist(lines)
    place = table.schema.get_field_index(id_key)
    key = table.schema.field(place).with_nullable(False).with_metadata(_PRIMARY_KEY)
    table = table.cast(table.schema.set(place, key))
    matrix = np.asarray(vectors, dtype=np.float32)
    column = pa.FixedSizeListArray.from_arrays(pa.array(matrix.reshape(-1)), matrix.shape[1])
    return table.append_column(vector_key, column)
