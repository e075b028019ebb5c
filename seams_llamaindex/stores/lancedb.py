"""LlamaIndex's LanceDBVectorStore: the native table, since the wrapper can not delete or upsert."""

from __future__ import annotations

from typing import Any

from seams_core.registry import Part, one_kind_only
from seams_core.store import Row, Store
from seams_core.stores.lance import LanceStore
from seams_llamaindex.stores.conditions import SQL
from seams_llamaindex.stores.nodes import read_row, row_metadata


def store(vector_store: Any, part: Part, index: Any) -> Store:
    """The table behind the wrapper; a filter is a ``MetadataFilters``.

    :raises StoreError: If a part is asked for: metadata fields of a table are fixed.
    """
    one_kind_only(vector_store, part)

    def open_table() -> Any:
        table = vector_store._table
        if table is not None and hasattr(table, "checkout_latest"):
            table.checkout_latest()  # or what others have written stays unseen
        return table

    def create(data: Any) -> None:
        name = vector_store._table_name
        vector_store._table = vector_store._connection.create_table(name, data)

    def write(row: Row) -> dict[str, Any]:
        return {
            "id": row.id,
            vector_store.doc_id_key: str(row.metadata.get("document_id", row.id)),
            vector_store.text_key: row.text,
            "metadata": row_metadata(row, remove_text=False, flat=True),
        }

    return LanceStore(
        vector_store._table_name,
        open_table,
        create,
        text_key=vector_store.text_key,
        vector_key=vector_store.vector_column_name,
        read=read_row,
        write=write,
        as_where=SQL.condition,
    )


def beside(vector_store: Any) -> Any:
    """A table named after the first one; it comes into being with the first seams."""
    return type(vector_store)(
        connection=vector_store._connection,
        table_name=f"{vector_store._table_name}_seams",
        vector_column_name=vector_store.vector_column_name,
        nprobes=vector_store.nprobes,
        text_key=vector_store.text_key,
        doc_id_key=vector_store.doc_id_key,
        mode="create",
    )
