"""LlamaIndex's PGVectorStore: its table, in which a node's id is not unique."""

from __future__ import annotations

from typing import Any

from seams_core.registry import Part
from seams_core.store import Row, Store
from seams_llamaindex.stores.nodes import read_row, row_metadata


def store(vector_store: Any, part: Part, index: Any) -> Store:
    """Its table; a filter is a ``MetadataFilters``."""
    from seams_core.stores.postgres import PostgresStore
    from seams_core.stores.sql import EngineRunner
    from seams_core.stores.table import Table

    vector_store._initialize()
    table = vector_store._table_class.__table__

    def write(row: Row) -> dict[str, Any]:
        return {"node_id": row.id, "text": row.text, "metadata_": row_metadata(row)}

    return PostgresStore(
        vector_store.table_name,
        lambda: Table(
            table=table,
            id=table.c.node_id,
            text=table.c.text,
            vector=table.c.embedding,
            metadata=[table.c.metadata_],
            order=table.c.id,
            read=lambda id, text, metadata: read_row(id, text, metadata or {}),
            write=write,
            field=lambda key: table.c.metadata_.op("->>")(key),
            id_is_unique=False,
        ),
        EngineRunner(vector_store._engine, vector_store._async_engine),
        part=part,
        as_clause=vector_store._recursively_apply_filters,
        vector_type="halfvec" if vector_store.use_halfvec else "vector",
    )


def beside(vector_store: Any) -> Any:
    """A table named after the first one, over the same connections."""
    vector_store._initialize()
    made = type(vector_store)(
        connection_string=vector_store.connection_string,
        async_connection_string=vector_store.async_connection_string,
        table_name=f"{vector_store.table_name}_seams",
        schema_name=vector_store.schema_name,
        embed_dim=vector_store.embed_dim,
        use_jsonb=vector_store.use_jsonb,
        use_halfvec=vector_store.use_halfvec,
        engine=vector_store._engine,
        async_engine=vector_store._async_engine,
    )
    made._initialize()
    return made
