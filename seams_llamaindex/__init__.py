"""Seams for LlamaIndex: a node parser, an index and a retriever."""
