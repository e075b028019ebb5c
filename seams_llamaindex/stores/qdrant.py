"""LlamaIndex's QdrantVectorStore: the native client, with the wrapper's own filters."""

from __future__ import annotations

from functools import partial
from typing import Any

from seams_core.errors import StoreError
from seams_core.registry import Part
from seams_core.store import Store
from seams_core.stores.qdrant import AsyncQdrantStore, QdrantStore, collection_beside, is_local
from seams_llamaindex.stores.nodes import read_row, row_metadata


def store(vector_store: Any, part: Part, index: Any) -> Store:
    """The collection behind the wrapper; a filter is a ``MetadataFilters``.

    :raises StoreError: If the wrapper has no synchronous client.
    """
    from qdrant_client import models

    client, async_client = vector_store._client, vector_store._aclient
    if client is None:
        raise StoreError(
            "this QdrantVectorStore has an aclient alone, and reading a whole collection needs a "
            "synchronous client: make it with client= and aclient="
        )
    settings: dict[str, Any] = {
        "read": lambda id, payload: (
            read_row(id, payload.get(vector_store.text_key), payload)
            if "_node_content" not in payload
            else read_row(id, None, payload)
        ),
        "write": partial(row_metadata, remove_text=False),
        "vector_name": vector_store.dense_vector_name if _is_named(vector_store) else "",
        "part": part,
        "as_filter": vector_store._build_subfilter,
    }
    name = vector_store.collection_name
    # An AsyncQdrantClient over a local folder or memory of its own sees other data.
    if async_client is None or is_local(client):
        return QdrantStore(client, models, name, **settings)
    return AsyncQdrantStore(client, async_client, models, name, **settings)


def beside(vector_store: Any) -> Any:
    """A collection named after the first one, with vectors of the same kind."""
    return type(vector_store)(
        client=vector_store._client,
        aclient=vector_store._aclient,
        collection_name=collection_beside(vector_store._client, vector_store.collection_name),
        text_key=vector_store.text_key,
        dense_vector_name=vector_store.dense_vector_name,
        sparse_vector_name=vector_store.sparse_vector_name,
    )


def _is_named(vector_store: Any) -> bool:
    client, name = vector_store._client, vector_store.collection_name
    if not client.collection_exists(name):
        return True  # as the wrapper will make it
    return isinstance(client.get_collection(name).config.params.vectors, dict)
