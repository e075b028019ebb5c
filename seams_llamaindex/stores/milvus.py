"""LlamaIndex's MilvusVectorStore: the native client; the wrapper inserts and drops filters."""

from __future__ import annotations

from functools import partial
from typing import Any

from seams_core.registry import Part, one_kind_only
from seams_core.store import Store
from seams_core.stores.milvus import MilvusStore, collection_beside
from seams_llamaindex.stores.conditions import MILVUS
from seams_llamaindex.stores.nodes import read_row, row_metadata

# Nodes are dumped whole, whatever their metadata: only the text has a field of its own.
_CODEC: dict[str, Any] = {
    "read": read_row,
    "write": partial(row_metadata, remove_text=True),
    "as_expression": MILVUS.condition,
}


def store(vector_store: Any, part: Part, index: Any) -> Store:
    """The collection behind the wrapper; a filter is a ``MetadataFilters``.

    :raises StoreError: If a part is asked for: Milvus and Milvus Lite do not agree on what is
        unequal where a row lacks a field.
    """
    one_kind_only(vector_store, part)
    return MilvusStore(
        vector_store.client,
        vector_store.collection_name,
        id_field="id",
        text_field=vector_store.text_key,
        vector_field=vector_store.embedding_field,
        **_CODEC,
    )


def beside(vector_store: Any) -> Store:
    """A collection named after the first one, with a field for anything a seam carries."""
    from pymilvus import DataType

    client, field = vector_store.client, vector_store.embedding_field
    types = DataType.VARCHAR, DataType.FLOAT_VECTOR
    name = collection_beside(client, vector_store.collection_name, field, *types)
    return MilvusStore(client, name, vector_field=field, **_CODEC)
