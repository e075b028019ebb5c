"""LangChain's Chroma: the native collection does everything."""

from __future__ import annotations

from typing import Any

from seams_core.store import SEAM_TYPE, TYPE_KEY, Store
from seams_core.stores.chroma import ChromaStore

# In Chroma "not equal" also holds for rows that lack the key, so chunks need not have it.
_WHERE: dict[str, dict[str, Any] | None] = {
    "all": None,
    "chunks": {TYPE_KEY: {"$ne": SEAM_TYPE}},
    "seams": {TYPE_KEY: SEAM_TYPE},
}


def store(vectorstore: Any, part: str) -> Store:
    """The collection behind the wrapper."""
    return ChromaStore(vectorstore._collection, _WHERE[part])


def beside(vectorstore: Any) -> Any:
    """A collection named after the first one, in the same database."""
    return type(vectorstore)(
        client=vectorstore._client,
        collection_name=f"{vectorstore._collection.name}-seams",
        collection_metadata=vectorstore._collection.metadata,
        embedding_function=vectorstore.embeddings,
    )
