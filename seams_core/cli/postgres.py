"""Opening a collection in PostgreSQL: a table with a vector column, or one of PGVector's."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from seams_core.cli.rows import read_row
from seams_core.errors import StoreError
from seams_core.store import Row

_SHARED = "langchain_pg_embedding"
_LISTS = "langchain_pg_collection"


def open_postgres(source: str, collection: str, *, make: bool) -> tuple[Any, Any]:
    """The chunks of ``collection`` and, if there are any or ``make``, the seams beside them.

    :param source: A connection address, ``postgresql://user@host/database``.
    :param collection: The name of a table, with or without its schema, or of a collection that
        LangChain's ``PGVector`` keeps in its common table.
    :raises StoreError: If it can not be reached, has no such collection, or a table lacks a
        column that is needed.
    """
    try:
        import psycopg  # noqa: F401
        import sqlalchemy as sa
    except ModuleNotFoundError as error:
        raise StoreError(
            f'PostgreSQL needs {error.name}: pip install "chunk-seams[postgres]"'
        ) from error
    address = source.partition("://")[2]
    engine = sa.create_engine(f"postgresql+psycopg://{address}")
    try:
        inspector = sa.inspect(engine)
    except sa.exc.OperationalError as error:
        raise StoreError(f"PostgreSQL does not answer: {error.orig}") from error
    schema, _, name = collection.rpartition(".")
    if inspector.has_table(name, schema=schema or None) and name != _SHARED:
        schema = schema or str(inspector.default_schema_name)
        return _of_a_table(engine, schema, name, make)
    if inspector.has_table(_LISTS):
        names = _run(engine, [sa.select(sa.column("name")).select_from(sa.table(_LISTS))])
        if (collection,) in {tuple(row) for row in names}:
            return _of_the_shared_table(engine, collection, make)
    names = [n for n in inspector.get_table_names() if not n.endswith("_seams")]
    raise StoreError(
        f"the database has no table and no collection {collection!r}; its tables are: "
        f"{', '.join(sorted(names)) or 'none'}"
    )


def _of_a_table(engine: Any, schema: str, name: str, make: bool) -> tuple[Any, Any]:
    import sqlalchemy as sa

    there = sa.inspect(engine).has_table(f"{name}_seams", schema=schema)
    chunks = _store(engine, schema, name)
    if not there and make:
        size = sa.text(
            "SELECT format_type(atttypid, atttypmod) FROM pg_attribute "
            "WHERE attrelid = CAST(:name AS regclass) AND attname = :column"
        ).bindparams(name=f'"{schema}"."{name}"', column=chunks.vector_column)
        kind = _run(engine, [size])[0][0]
        made = sa.text(
            f'CREATE TABLE IF NOT EXISTS "{schema}"."{name}_seams" (langchain_id uuid PRIMARY KEY, '
            f"content text NOT NULL, embedding {kind} NOT NULL, langchain_metadata json)"
        )
        _run(engine, [made])
        there = True
    return chunks, _store(engine, schema, f"{name}_seams") if there else None


def _store(engine: Any, schema: str, name: str) -> Any:
    import sqlalchemy as sa

    from seams_core.stores.postgres import PostgresStore
    from seams_core.stores.sql import EngineRunner
    from seams_core.stores.table import ID_TYPES, Table

    columns = _columns(engine, schema, name)
    vector = _pick(name, "vectors", columns, ("vector", "halfvec"), ("embedding", "vector"))
    text = _pick(name, "texts", columns, ("text", "character varying"), _TEXTS)
    id = _pick(name, "ids", columns, ("uuid", "text", "character varying", "bigint"), _IDS)
    found = [n for n in _METADATA if columns.get(n) in ("json", "jsonb")]
    if not found:
        raise StoreError(
            f"table {name!r} has no column of metadata, which would tell document and place of a "
            f"chunk; looked for json or jsonb by the names {', '.join(_METADATA)}"
        )
    table = sa.table(
        name,
        sa.column(id, sa.Uuid if columns[id] == "uuid" else None),
        sa.column(text),
        sa.column(vector),
        sa.column(found[0], sa.JSON),
        schema=schema,
    )
    metadata = table.c[found[0]]
    as_id = ID_TYPES.get(columns[id], str)

    def read(id: Any, text: str | None, metadata: Mapping[str, Any] | None) -> Row:
        return read_row(str(id), text, metadata or {})

    def write(row: Row) -> dict[str, Any]:
        value = sa.cast(sa.literal(json.dumps(dict(row.metadata)), sa.Text), sa.JSON)
        return {id: as_id(row.id), text: row.text, found[0]: value}

    store: Any = PostgresStore(
        name,
        lambda: Table(
            table=table,
            id=table.c[id],
            text=table.c[text],
            vector=table.c[vector],
            metadata=[metadata],
            order=table.c[id],
            read=read,
            write=write,
            field=lambda key: metadata.op("->>")(key),
            id_type=as_id,
        ),
        EngineRunner(engine),
        as_clause=_no_filter,
        vector_type=columns[vector],
    )
    store.vector_column = vector
    return store


def _of_the_shared_table(engine: Any, collection: str, make: bool) -> tuple[Any, Any]:
    import uuid

    import sqlalchemy as sa

    lists = sa.table(_LISTS, sa.column("uuid", sa.Uuid), sa.column("name"))
    key = sa.select(lists.c.uuid)
    chunks = _run(engine, [key.where(lists.c.name == collection)])[0][0]
    beside = f"{collection}-seams"
    found = _run(engine, [key.where(lists.c.name == beside)])
    if not found and make:
        _run(engine, [sa.insert(lists).values(uuid=uuid.uuid4(), name=beside)])
        found = _run(engine, [key.where(lists.c.name == beside)])
    seams = _shared_store(engine, beside, found[0][0]) if found else None
    return _shared_store(engine, collection, chunks), seams


def _shared_store(engine: Any, name: str, collection: Any) -> Any:
    import sqlalchemy as sa
    from sqlalchemy.dialects.postgresql import JSONB

    from seams_core.stores.postgres import PostgresStore
    from seams_core.stores.sql import EngineRunner
    from seams_core.stores.table import common_table

    table = sa.table(
        _SHARED,
        sa.column("id"),
        sa.column("collection_id", sa.Uuid),
        sa.column("document"),
        sa.column("embedding"),
        sa.column("cmetadata", JSONB),
    )
    return PostgresStore(
        name,
        lambda: common_table(table, collection),
        EngineRunner(engine),
        as_clause=_no_filter,
    )


_TEXTS = ("content", "document", "text", "page_content", "chunk")
_IDS = ("langchain_id", "node_id", "id", "chunk_id", "uuid")
_METADATA = ("langchain_metadata", "metadata_", "cmetadata", "metadata", "meta")


def _columns(engine: Any, schema: str, name: str) -> dict[str, str]:
    import sqlalchemy as sa

    asked = sa.text(
        "SELECT column_name, CASE data_type WHEN 'USER-DEFINED' THEN udt_name ELSE data_type END "
        "FROM information_schema.columns WHERE table_schema = :schema AND table_name = :name"
    ).bindparams(schema=schema, name=name)
    return {str(row[0]): str(row[1]) for row in _run(engine, [asked])}


def _pick(
    table: str,
    what: str,
    columns: Mapping[str, str],
    kinds: Sequence[str],
    names: Sequence[str],
) -> str:
    for name in names:
        if columns.get(name) in kinds:
            return name
    raise StoreError(
        f"table {table!r} has no column of {what} that is known: looked for {', '.join(names)} of "
        f"type {' or '.join(kinds)}; it has {', '.join(f'{n} ({k})' for n, k in columns.items())}"
    )


def _run(engine: Any, statements: Sequence[Any]) -> Sequence[Any]:
    from seams_core.stores.sql import EngineRunner

    return EngineRunner(engine).run(statements)


def _no_filter(filter: Any) -> Any:
    raise StoreError("the command line has no filters")
