"""LangChain's PGVectorStore: a table of its own, of the columns that its user chose."""

from __future__ import annotations

import json
from typing import Any

from seams_core.errors import StoreError
from seams_core.registry import Part
from seams_core.store import TYPE_KEY, Row, Store


def store(vectorstore: Any, part: Part) -> Store:
    """Its table; a filter is a dictionary in its syntax."""
    import sqlalchemy as sa

    from seams_core.stores.postgres import PostgresStore
    from seams_core.stores.sql import LoopRunner

    engine, inner = vectorstore._engine, vectorstore._PGVectorStore__vs
    if engine._loop is None:  # made for one event loop of the user's: ours must work in any
        from sqlalchemy.ext.asyncio import create_async_engine

        runner = LoopRunner(create_async_engine(engine._pool.url))
    else:
        runner = LoopRunner(engine._pool, engine._loop)

    def as_clause(filter: Any) -> Any:
        clause, values = inner._create_filter_clause(filter)
        return sa.text(f"({clause})").bindparams(**values)

    def table() -> Any:
        return _table(inner, runner, part)

    return PostgresStore(
        inner.table_name,
        table,
        runner,
        part=part,
        as_clause=as_clause,
        operator=inner.distance_strategy.operator,
    )


def beside(vectorstore: Any) -> Any:
    """A table named after the first one, in the same schema, with a column for vectors alike."""
    import sqlalchemy as sa

    from seams_core.stores.sql import LoopRunner

    engine, inner = vectorstore._engine, vectorstore._PGVectorStore__vs
    if engine._loop is None:
        raise StoreError(
            "this PGVectorStore's engine was made for one event loop, so a table for the seams can "
            "not be made beside it from here: make the engine with PGEngine.from_connection_string"
        )
    runner = LoopRunner(engine._pool, engine._loop)
    name, schema = f"{inner.table_name}_seams", inner.schema_name
    full = f'"{schema}"."{inner.table_name}"'
    size = sa.text(
        "SELECT atttypmod FROM pg_attribute WHERE attrelid = CAST(:name AS regclass) "
        "AND attname = :column"
    ).bindparams(name=full, column=inner.embedding_column)
    there = sa.text("SELECT to_regclass(:name)").bindparams(name=f'"{schema}"."{name}"')
    if runner.run([there])[0][0] is None:
        engine.init_vectorstore_table(
            name, int(runner.run([size])[0][0]), schema_name=schema, overwrite_existing=False
        )
    return type(vectorstore).create_sync(
        engine,
        inner.embedding_service,
        name,
        schema_name=schema,
        distance_strategy=inner.distance_strategy,
    )


def _table(inner: Any, runner: Any, part: Part) -> Any:
    import sqlalchemy as sa

    from seams_core.stores.table import ID_TYPES, Table

    id_type = sa.text(
        "SELECT data_type FROM information_schema.columns WHERE table_schema = :schema "
        "AND table_name = :name AND column_name = :column"
    ).bindparams(schema=inner.schema_name, name=inner.table_name, column=inner.id_column)
    kind_of_id = str(runner.run([id_type])[0][0])
    fields, extra = list(inner.metadata_columns), inner.metadata_json_column
    columns: list[Any] = [sa.column(name) for name in fields]
    as_json: Any = None if extra is None else sa.column(extra, sa.JSON)
    id_sa_type = sa.Uuid if kind_of_id == "uuid" else None
    id_column: Any = sa.column(inner.id_column, id_sa_type)
    text: Any = sa.column(inner.content_column)
    vector: Any = sa.column(inner.embedding_column)
    all_columns = [id_column, text, vector, *columns, *([] if extra is None else [as_json])]
    table = sa.table(inner.table_name, *all_columns, schema=inner.schema_name)
    if part != "all" and TYPE_KEY not in fields and extra is None:
        raise StoreError(
            f"table {inner.table_name!r} has neither a column {TYPE_KEY!r} nor one for further "
            "metadata, so chunks and seams can not share it: pass a second collection"
        )

    def field(key: str) -> Any:
        if key in fields:
            return table.c[key]
        return sa.null() if extra is None else table.c[extra].op("->>")(key)

    def read(id: Any, text: Any, *values: Any) -> Row:
        metadata = dict(values[-1] or {}) if extra is not None else {}
        named = zip(fields, values, strict=False)
        metadata.update((name, value) for name, value in named if value is not None)
        return Row(str(id), text or "", metadata)

    def write(row: Row) -> dict[str, Any]:
        rest = {key: value for key, value in row.metadata.items() if key not in fields}
        if rest and extra is None:
            raise StoreError(
                f"table {inner.table_name!r} has no column for the metadata "
                f"{', '.join(sorted(rest))}: give it these, or one for further metadata"
            )
        values: dict[str, Any] = {
            inner.id_column: ID_TYPES.get(kind_of_id, str)(row.id),
            inner.content_column: row.text,
            **{name: row.metadata.get(name) for name in fields},
        }
        if extra is not None:
            values[extra] = sa.cast(sa.literal(json.dumps(rest), sa.Text), sa.JSON)
        return values

    return Table(
        table=table,
        id=table.c[inner.id_column],
        text=table.c[inner.content_column],
        vector=table.c[inner.embedding_column],
        metadata=[table.c[column.name] for column in all_columns[3:]],
        order=table.c[inner.id_column],
        read=read,
        write=write,
        field=field,
        id_type=ID_TYPES.get(kind_of_id, str),
    )
