"""Which adapter serves which vector store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from seams_core import Store
from seams_core.errors import StoreError
from seams_langchain.stores import chroma, memory, milvus, qdrant

#: Which rows a store is to show: all, or those of one kind where both share a collection.
Part = Literal["all", "chunks", "seams"]
Factory = Callable[[Any, Part], Store]

_FACTORIES: dict[str, Factory] = {
    "Chroma": chroma.store,
    "InMemoryVectorStore": memory.store,
    "Milvus": milvus.store,
    "QdrantVectorStore": qdrant.store,
}
_BESIDE: dict[str, Callable[[Any], Any]] = {
    "Chroma": chroma.beside,
    "InMemoryVectorStore": memory.beside,
    "Milvus": milvus.beside,
    "QdrantVectorStore": qdrant.beside,
}


def register_store(class_name: str, factory: Factory) -> None:
    """Teach ``resolve_store`` a vector store.

    :param class_name: The name of the vector store's class, or of a base of it.
    :param factory: Given the vector store and the part of it to show (``"all"``, ``"chunks"`` or
        ``"seams"``), returns an object with the methods of :class:`seams_core.Store`.
    """
    _FACTORIES[class_name] = factory


def resolve_store(vectorstore: Any, part: Part = "all") -> Store:
    """The store behind a LangChain vector store; a :class:`seams_core.Store` is its own.

    :raises StoreError: If no adapter is known for its type.
    """
    for kind in type(vectorstore).__mro__:
        if kind.__name__ in _FACTORIES:
            return _FACTORIES[kind.__name__](vectorstore, part)
    if isinstance(vectorstore, Store):
        if part != "all":
            raise StoreError(
                f"a {type(vectorstore).__name__} of your own holds chunks or seams, not both: "
                "pass a second store for the seams"
            )
        return vectorstore
    raise StoreError(
        f"no adapter is known for {type(vectorstore).__name__}: LangChain's VectorStore has no way "
        "to list what it holds. Pass an object with the methods of seams_core.Store (name, "
        "batch_size, pages, get, search, put, drop), or teach it with "
        "seams_langchain.register_store. Known are " + ", ".join(sorted(_FACTORIES))
    )


def beside(vectorstore: Any) -> Any:
    """A second, empty collection for seams beside an existing one, of the same kind.

    :raises StoreError: If that can not be made without more being known.
    """
    for kind in type(vectorstore).__mro__:
        if kind.__name__ in _BESIDE:
            return _BESIDE[kind.__name__](vectorstore)
    raise StoreError(
        f"a second collection beside a {type(vectorstore).__name__} can not be made by itself: "
        "make one as you made the first and pass it as seam_store="
    )
