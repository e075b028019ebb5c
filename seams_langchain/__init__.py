"""Seams for LangChain: a text splitter, an index, a retriever, a multi-vector retriever."""

from seams_langchain import _require  # noqa: F401  (first: it explains a missing LangChain)
from seams_langchain.index import SeamIndex
from seams_langchain.multi_vector import SeamsMultiVectorRetriever
from seams_langchain.retriever import SeamsRetriever
from seams_langchain.splitter import SeamsTextSplitter
from seams_langchain.stores import register_store, resolve_store

__all__ = [
    "SeamIndex",
    "SeamsMultiVectorRetriever",
    "SeamsRetriever",
    "SeamsTextSplitter",
    "register_store",
    "resolve_store",
]
