"""LlamaIndex's ChromaVectorStore: the native collection, since its ``add`` keeps old texts."""

from __future__ import annotations

from functools import partial
from typing import Any

from seams_core.registry import Part
from seams_core.store import Store
from seams_core.stores.chroma import ChromaStore, collection_beside
from seams_llamaindex.stores.nodes import read_row, row_metadata


def store(vector_store: Any, part: Part, index: Any) -> Store:
    """The collection behind the wrapper; a filter is a ``MetadataFilters``."""
    from llama_index.vector_stores.chroma.base import _to_chroma_filter

    return ChromaStore(
        vector_store.client,
        part,
        read=read_row,
        write=partial(row_metadata, flat=True),
        as_filter=_to_chroma_filter,
    )


def beside(vector_store: Any) -> Any:
    """A collection named after the first one, in the same database, with the same distance."""
    return type(vector_store)(chroma_collection=collection_beside(vector_store.client))
