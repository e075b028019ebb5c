"""Which adapter serves which LangChain vector store."""

from __future__ import annotations

from typing import Any

from seams_core import Store
from seams_core.registry import Beside, Factory, Part, StoreRegistry
from seams_langchain.stores import (
    chroma,
    faiss,
    lancedb,
    memory,
    milvus,
    pgvector,
    pgvectorstore,
    qdrant,
)

_MODULES: dict[str, Any] = {
    "Chroma": chroma,
    "FAISS": faiss,
    "InMemoryVectorStore": memory,
    "LanceDB": lancedb,
    "Milvus": milvus,
    "PGVector": pgvector,
    "PGVectorStore": pgvectorstore,
    "QdrantVectorStore": qdrant,
}
_REGISTRY = StoreRegistry(
    "seams_langchain",
    {name: module.store for name, module in _MODULES.items()},
    {name: module.beside for name, module in _MODULES.items()},
)


def register_store(class_name: str, factory: Factory, beside: Beside | None = None) -> None:
    """Teach ``resolve_store`` a vector store.

    :param class_name: The name of the vector store's class, or of a base of it.
    :param factory: Given the vector store and the part of it to show (``"all"``, ``"chunks"`` or
        ``"seams"``), returns an object with the methods of :class:`seams_core.Store`.
    :param beside: Given the vector store, makes an empty one for seams beside it.
    """
    _REGISTRY.register(class_name, factory, beside)


def resolve_store(vectorstore: Any, part: Part = "all") -> Store:
    """The store behind a LangChain vector store; a :class:`seams_core.Store` is its own.

    :raises StoreError: If no adapter is known for its type.
    """
    return _REGISTRY.resolve(vectorstore, part)


def beside(vectorstore: Any) -> Any:
    """A second, empty collection for seams beside an existing one, of the same kind.

    :raises StoreError: If that can not be made without more being known.
    """
    return _REGISTRY.beside(vectorstore)
