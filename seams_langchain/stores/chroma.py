"""LangChain's Chroma: the native collection does everything."""

from __future__ import annotations

from typing import Any

from seams_core.registry import Part
from seams_core.store import Store
from seams_core.stores.chroma import ChromaStore, collection_beside


def store(vectorstore: Any, part: Part) -> Store:
    """The collection behind the wrapper."""
    return ChromaStore(vectorstore._collection, part)


def beside(vectorstore: Any) -> Any:
    """A collection named after the first one, in the same database, with the same distance."""
    made = collection_beside(vectorstore._collection)
    return type(vectorstore)(
        client=vectorstore._client,
        collection_name=made.name,
        embedding_function=vectorstore.embeddings,
        create_collection_if_not_exists=False,
    )
