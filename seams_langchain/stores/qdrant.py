"""LangChain's QdrantVectorStore: the native client, since searches give no ``Document.id``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seams_core.registry import Part
from seams_core.store import Row, Store
from seams_core.stores.qdrant import QdrantStore, collection_beside


def store(vectorstore: Any, part: Part) -> Store:
    """The collection behind the wrapper; a filter is a ``qdrant_client.models.Filter``."""
    from qdrant_client import models

    text_key, metadata_key = vectorstore.content_payload_key, vectorstore.metadata_payload_key

    def read(id: str, payload: Mapping[str, Any]) -> Row:
        return Row(id, payload.get(text_key) or "", payload.get(metadata_key) or {})

    return QdrantStore(
        vectorstore.client,
        models,
        str(vectorstore.collection_name),
        read=read,
        write=lambda row: {text_key: row.text, metadata_key: dict(row.metadata)},
        vector_name=vectorstore.vector_name,
        metadata_prefix=f"{metadata_key}.",
        part=part,
    )


def beside(vectorstore: Any) -> Any:
    """A collection named after the first one, with vectors of the same kind."""
    return type(vectorstore)(
        client=vectorstore.client,
        collection_name=collection_beside(vectorstore.client, vectorstore.collection_name),
        embedding=vectorstore.embeddings,
        vector_name=vectorstore.vector_name,
        content_payload_key=vectorstore.content_payload_key,
        metadata_payload_key=vectorstore.metadata_payload_key,
        retrieval_mode=vectorstore.retrieval_mode,
        sparse_embedding=getattr(vectorstore, "_sparse_embeddings", None),
        sparse_vector_name=vectorstore.sparse_vector_name,
        validate_embeddings=False,  # it would embed a text to learn its length
        validate_collection_config=False,
    )
