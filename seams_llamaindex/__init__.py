"""Seams for LlamaIndex: a node parser, an index, a retriever."""

from seams_llamaindex import _require  # noqa: F401  (first: it explains a missing LlamaIndex)
from seams_llamaindex.index import SeamIndex
from seams_llamaindex.node_parser import SeamsNodeParser
from seams_llamaindex.retriever import SeamsRetriever
from seams_llamaindex.stores import register_store, resolve_store

__all__ = [
    "SeamIndex",
    "SeamsNodeParser",
    "SeamsRetriever",
    "register_store",
    "resolve_store",
]
