"""A table of PostgreSQL that a wrapper made: where in it ids, texts, vectors and metadata are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from dataclasses import field as default
from typing import Any
from uuid import UUID

from seams_core.store import Row


@dataclass(frozen=True)
class Table:
    """A table of a wrapper.

    :param table: The SQLAlchemy table, or a light one by :func:`sqlalchemy.table`.
    :param id: The column of row ids.
    :param text: The column of texts.
    :param vector: The column of vectors.
    :param metadata: The columns that ``read`` is given, after id and text.
    :param order: A unique column to page by.
    :param read: From id, text and the metadata columns to a row.
    :param write: From a row to its columns, without the vector.
    :param field: From a metadata key to the expression that gives its text, which is null where
        there is no such field.
    :param where: What every row of the collection meets.
    :param id_type: How ids are bound.
    :param id_is_unique: Whether the database refuses a second row of one id.
    """

    table: Any
    id: Any
    text: Any
    vector: Any
    metadata: Sequence[Any]
    order: Any
    read: Callable[..., Row]
    write: Callable[[Row], dict[str, Any]]
    field: Callable[[str], Any]
    where: Sequence[Any] = default(default_factory=tuple)
    id_type: Callable[[str], Any] = str
    id_is_unique: bool = True


def common_table(table: Any, collection: Any) -> Table:
    """The table in which LangChain's ``PGVector`` keeps all its collections, as one of them.

    :param table: With the columns ``id``, ``collection_id``, ``document``, ``embedding`` and
        ``cmetadata``.
    :param collection: The collection's UUID.
    """
    return Table(
        table=table,
        id=table.c.id,
        text=table.c.document,
        vector=table.c.embedding,
        metadata=[table.c.cmetadata],
        order=table.c.id,
        read=lambda id, text, metadata: Row(id, text or "", metadata or {}),
        write=lambda row: {
            "id": row.id,
            "collection_id": collection,
            "document": row.text,
            "cmetadata": dict(row.metadata),
        },
        field=lambda key: table.c.cmetadata.op("->>")(key),
        where=[table.c.collection_id == collection],
    )


#: How ids of a column are bound, by the type that PostgreSQL gives it.
ID_TYPES: dict[str, Callable[[str], Any]] = {
    "uuid": UUID,
    "integer": int,
    "bigint": int,
    "smallint": int,
}
