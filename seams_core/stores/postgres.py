"""A store over a PostgreSQL table with pgvector, by SQLAlchemy statements.

Wrappers keep their rows in tables of different shapes; what is done with them is the same. Only
imported where SQLAlchemy is installed, which every such wrapper needs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import ArrayLike

from seams_core.registry import Part
from seams_core.store import SEAM_TYPE, TYPE_KEY, Hit, Row
from seams_core.stores.sql import Runner
from seams_core.stores.table import Table

_MOST_CANDIDATES = 1000  # the most that hnsw.ef_search allows


class _Typed(sa.types.UserDefinedType[Any]):
    """A type of pgvector, by name: values are written as text."""

    cache_ok = True

    def __init__(self, name: str) -> None:
        self.name = name

    def get_col_spec(self, **settings: Any) -> str:
        """The name alone, without a length."""
        return self.name


class PostgresStore:
    """The store protocol over a table.

    :param name: The collection's name.
    :param table: The table, or what makes it when it is first needed.
    :param runner: Runs statements in one transaction.
    :param part: Which rows to show.
    :param as_clause: From the caller's filter to an SQLAlchemy clause.
    :param operator: Of the distance: ``<=>``, ``<->`` or ``<#>``.
    :param vector_type: Of the vector column: ``vector`` or ``halfvec``.
    """

    batch_size = 500

    def __init__(
        self,
        name: str,
        table: Callable[[], Table],
        runner: Runner,
        *,
        part: Part = "all",
        as_clause: Callable[[Any], Any],
        operator: str = "<=>",
        vector_type: str = "vector",
    ) -> None:
        self.name = name
        self._make_table = table
        self._made: Table | None = None
        self._runner = runner
        self._part = part
        self._as_clause = as_clause
        self._operator = operator
        self._vector_type = _Typed(vector_type)
        self._iterates: bool | None = None

    @property
    def _table(self) -> Table:
        if self._made is None:
            self._made = self._make_table()
        return self._made

    def count(self) -> int:
        """How many rows there are."""
        statement = sa.select(sa.func.count()).select_from(self._table.table).where(*self._where())
        return int(self._runner.run([statement])[0][0])

    def pages(self, size: int) -> Iterator[list[Row]]:
        """Every row, in pages, in the order of a unique column, each page a query of its own."""
        order, last = self._table.order, None
        while True:
            after: list[Any] = [] if last is None else [order > last]
            statement = self._select(order).where(*after).order_by(order).limit(size)
            found = self._runner.run([statement])
            if not found:
                return
            yield [self._table.read(*tuple(row)[:-1]) for row in found]
            last = found[-1][-1]

    def field_pages(self, key: str, size: int) -> Iterator[list[tuple[str, str | None]]]:
        """Ids with one metadata field of every row, in pages, without texts."""
        t, last = self._table, None
        while True:
            after: list[Any] = [] if last is None else [t.order > last]
            found = self._runner.run(
                [
                    sa.select(t.id, t.field(key), t.order)
                    .where(*self._where(), *after)
                    .order_by(t.order)
                    .limit(size)
                ]
            )
            if not found:
                return
            yield [(str(id), value) for id, value, _ in found]
            last = found[-1][2]

    def get(self, ids: Sequence[str], filter: Any = None) -> dict[str, Row]:
        """The rows with these ids that also pass ``filter``."""
        rows: dict[str, Row] = {}
        for statement in self._gets(ids, filter):
            found = map(self._row, self._runner.run([statement]))
            rows.update((row.id, row) for row in found)
        return rows

    async def aget(self, ids: Sequence[str], filter: Any = None) -> dict[str, Row]:
        """:meth:`get`, awaited where the wrapper has an asynchronous engine for this loop."""
        if not self._runner.is_async_here():
            return await asyncio.to_thread(self.get, ids, filter)
        rows: dict[str, Row] = {}
        for statement in self._gets(ids, filter):
            found = map(self._row, await self._runner.arun([statement]))
            rows.update((row.id, row) for row in found)
        return rows

    def search(self, vector: ArrayLike, k: int, filter: Any = None) -> list[Hit]:
        """The ``k`` nearest rows; an index for vectors never makes them fewer."""
        if self._iterates is None:
            self._iterates = _iterates(self._runner.run([_VERSION]))
        hits = self._hits(self._runner.run(self._search(vector, k, filter)), k)
        if len(hits) < k and self._runner.run([self._index_exists()])[0][0]:
            # Index scans stop early; what they leave out is found by reading the table.
            hits = self._hits(self._runner.run(self._search(vector, k, filter, exact=True)), k)
        return hits

    async def asearch(self, vector: ArrayLike, k: int, filter: Any = None) -> list[Hit]:
        """:meth:`search`, awaited where the wrapper has an asynchronous engine for this loop."""
        if not self._runner.is_async_here():
            return await asyncio.to_thread(self.search, vector, k, filter)
        run = self._runner.arun
        if self._iterates is None:
            self._iterates = _iterates(await run([_VERSION]))
        hits = self._hits(await run(self._search(vector, k, filter)), k)
        if len(hits) < k and (await run([self._index_exists()]))[0][0]:
            hits = self._hits(await run(self._search(vector, k, filter, exact=True)), k)
        return hits

    def put(self, rows: Sequence[Row], vectors: ArrayLike) -> None:
        """Write rows with their vectors, replacing those that are there, a batch a transaction."""
        from sqlalchemy.dialects.postgresql import insert

        t = self._table
        matrix = np.asarray(vectors, dtype=np.float32)
        for begin in range(0, len(rows), self.batch_size):
            part = rows[begin : begin + self.batch_size]
            values = [
                {**t.write(row), t.vector.name: self._bound(vector)}
                for row, vector in zip(part, matrix[begin : begin + self.batch_size], strict=True)
            ]
            statement: Any = insert(t.table).values(values)
            if t.id_is_unique:
                changed = {n: statement.excluded[n] for n in values[0] if n != t.id.name}
                statement = statement.on_conflict_do_update(index_elements=[t.id], set_=changed)
                self._runner.run([statement])
            else:  # two writers at once would both find nothing to delete
                lock = sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtext(self.name)))
                self._runner.run([lock, self._delete([row.id for row in part]), statement])

    def drop(self, ids: Sequence[str]) -> None:
        """Delete by id."""
        for begin in range(0, len(ids), self.batch_size):
            self._runner.run([self._delete(ids[begin : begin + self.batch_size])])

    def _where(self) -> list[Any]:
        where = list(self._table.where)
        if self._part == "all":
            return where
        kind = self._table.field(TYPE_KEY)
        if self._part == "seams":
            where.append(kind == SEAM_TYPE)
        if self._part == "chunks":  # also what lacks the field, or has no metadata at all
            where.append(kind.is_distinct_from(SEAM_TYPE))
        return where

    def _select(self, *more: Any) -> Any:
        t = self._table
        return sa.select(t.id, t.text, *t.metadata, *more).where(*self._where())

    def _row(self, found: Any) -> Row:
        return self._table.read(*found)

    def _native(self, ids: Sequence[str]) -> list[Any]:
        native = []
        for id in dict.fromkeys(ids):
            try:
                native.append(self._table.id_type(id))
            except ValueError:  # no id that this column could hold
                continue
        return native

    def _gets(self, ids: Sequence[str], filter: Any) -> Iterator[Any]:
        native = self._native(ids)
        clauses = [] if filter is None else [self._as_clause(filter)]
        for begin in range(0, len(native), self.batch_size):
            part = native[begin : begin + self.batch_size]
            yield self._select().where(self._table.id.in_(part), *clauses)

    def _delete(self, ids: Sequence[str]) -> Any:
        t = self._table
        return sa.delete(t.table).where(t.id.in_(self._native(ids)), *t.where)

    def _bound(self, vector: Any) -> Any:
        text = "[" + ",".join(map(repr, np.asarray(vector, dtype=float).tolist())) + "]"
        return sa.cast(sa.literal(text, sa.Text), self._vector_type)

    def _search(self, vector: ArrayLike, k: int, filter: Any, *, exact: bool = False) -> list[Any]:
        distance = self._table.vector.op(self._operator, return_type=sa.Float())(
            self._bound(vector)
        ).label("seams_far")
        clauses = [] if filter is None else [self._as_clause(filter)]
        # Ids that stand there twice take up places.
        limit = k if self._table.id_is_unique else 2 * k
        select = self._select(distance).where(*clauses).order_by(distance).limit(limit)
        return [sa.select(*self._settings(k, exact)), select]

    def _settings(self, k: int, exact: bool) -> list[Any]:
        """For this transaction alone: look at enough of an HNSW index, or at no index."""
        if exact:
            return [sa.func.set_config("enable_indexscan", "off", True)]
        now = sa.cast(sa.func.current_setting("hnsw.ef_search", True), sa.Integer)
        most = sa.func.greatest(now, min(max(k, 40), _MOST_CANDIDATES))
        settings = [sa.func.set_config("hnsw.ef_search", sa.cast(most, sa.Text), True)]
        if self._iterates:
            settings.append(sa.func.set_config("hnsw.iterative_scan", "strict_order", True))
            settings.append(sa.func.set_config("ivfflat.iterative_scan", "relaxed_order", True))
        return settings

    def _index_exists(self) -> Any:
        table = self._table.table
        parts = [part for part in (getattr(table, "schema", None), table.name) if part]
        full = ".".join('"' + part.replace('"', '""') + '"' for part in parts)
        return sa.text(
            "SELECT EXISTS (SELECT 1 FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
            "JOIN pg_am a ON a.oid = c.relam WHERE a.amname IN ('hnsw', 'ivfflat') "
            "AND i.indrelid = CAST(:seams_table AS regclass))"
        ).bindparams(seams_table=full)

    def _hits(self, found: Sequence[Any], k: int) -> list[Hit]:
        best: dict[str, Hit] = {}
        for line in found:
            row = self._row(tuple(line)[:-1])
            hit = Hit(row.id, -float(line[-1]), row.text, row.metadata, row.payload)
            best.setdefault(row.id, hit)
        return sorted(best.values(), key=lambda hit: (-hit.score, hit.id))[:k]


_VERSION = sa.text("SELECT extversion FROM pg_extension WHERE extname = 'vector'")


def _iterates(found: Sequence[Any]) -> bool:
    """Whether this pgvector goes on in its index until there are enough rows (0.8)."""
    return bool(found) and tuple(map(int, str(found[0][0]).split(".")[:2])) >= (0, 8)
