"""From a LlamaIndex vector store to the store protocol of the core, found by its type."""

from seams_llamaindex.stores.registry import beside, register_store, resolve_store

__all__ = ["beside", "register_store", "resolve_store"]
