"""LangChain's LanceDB: the native table, since the wrapper's ``add`` wipes or duplicates."""

from __future__ import annotations

from typing import Any

from seams_core.registry import Part, one_kind_only
from seams_core.store import Row, Store
from seams_core.stores.lance import LanceStore


def store(vectorstore: Any, part: Part) -> Store:
    """The table behind the wrapper; a filter is an SQL condition, or a dictionary, as it takes.

    :raises StoreError: If a part is asked for: metadata fields of a table are fixed.
    """
    one_kind_only(vectorstore, part)

    def as_where(filter: Any) -> str:
        from langchain_community.vectorstores.lancedb import to_lance_filter

        return str(to_lance_filter(filter) if isinstance(filter, dict) else filter)

    def create(data: Any) -> None:
        vectorstore._table = vectorstore._connection.create_table(vectorstore._table_name, data)

    def write(row: Row) -> dict[str, Any]:
        return {
            vectorstore._id_key: row.id,
            vectorstore._text_key: row.text,
            "metadata": dict(row.metadata),
        }

    return LanceStore(
        vectorstore._table_name,
        vectorstore.get_table,
        create,
        id_key=vectorstore._id_key,
        text_key=vectorstore._text_key,
        vector_key=vectorstore._vector_key,
        read=Row,
        write=write,
        as_where=as_where,
    )


def beside(vectorstore: Any) -> Any:
    """A table named after the first one; it comes into being with the first seams."""
    return type(vectorstore)(
        connection=vectorstore._connection,
        embedding=vectorstore.embeddings,
        vector_key=vectorstore._vector_key,
        id_key=vectorstore._id_key,
        text_key=vectorstore._text_key,
        table_name=f"{vectorstore._table_name}_seams",
        mode="append",
        distance=vectorstore.distance,
    )
