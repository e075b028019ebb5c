"""Which adapter serves which LlamaIndex vector store."""

from __future__ import annotations

from typing import Any

from seams_core import Store
from seams_core.registry import Beside, Factory, Part, StoreRegistry
from seams_llamaindex.stores import chroma, faiss, lancedb, milvus, postgres, qdrant, simple

_MODULES: dict[str, Any] = {
    "ChromaVectorStore": chroma,
    "FaissVectorStore": faiss,
    "LanceDBVectorStore": lancedb,
    "MilvusVectorStore": milvus,
    "PGVectorStore": postgres,
    "QdrantVectorStore": qdrant,
    "SimpleVectorStore": simple,
}
_REGISTRY = StoreRegistry(
    "seams_llamaindex",
    {name: module.store for name, module in _MODULES.items()},
    {name: module.beside for name, module in _MODULES.items()},
)


def register_store(class_name: str, factory: Factory, beside: Beside | None = None) -> None:
    """Teach ``resolve_store`` a vector store.

    :param class_name: The name of the vector store's class, or of a base of it.
    :param factory: Given the vector store, the part of it to show (``"all"``, ``"chunks"`` or
        ``"seams"``) and the ``VectorStoreIndex`` over it or ``None``, returns an object with the
        methods of :class:`seams_core.Store`; the ``payload`` of its rows is the node.
    :param beside: Given the vector store, makes an empty one for seams beside it.
    """
    _REGISTRY.register(class_name, factory, beside)


def resolve_store(vector_store: Any, part: Part = "all", *, index: Any = None) -> Store:
    """The store behind a LlamaIndex vector store; a :class:`seams_core.Store` is its own.

    :param vector_store: A vector store, or the ``VectorStoreIndex`` over it.
    :param part: Which rows to show.
    :param index: The ``VectorStoreIndex`` over it: where a vector store keeps no text, the nodes
        are in its docstore.
    :raises StoreError: If no adapter is known for its type.
    """
    if hasattr(vector_store, "vector_store") and hasattr(vector_store, "docstore"):
        vector_store, index = vector_store.vector_store, vector_store
    return _REGISTRY.resolve(vector_store, part, index)


def beside(vector_store: Any) -> Any:
    """A second, empty collection for seams beside an existing one, of the same kind.

    :raises StoreError: If that can not be made without more being known.
    """
    return _REGISTRY.beside(vector_store)
