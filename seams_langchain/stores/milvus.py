"""LangChain's Milvus: the native client, since the wrapper's ``add`` inserts and gives no ids."""

from __future__ import annotations

from typing import Any

from seams_core.errors import StoreError
from seams_core.registry import Part
from seams_core.store import Store
from seams_core.stores.milvus import MilvusStore, collection_beside


def store(vectorstore: Any, part: Part) -> Store:
    """The collection behind the wrapper.

    :raises StoreError: If chunks and seams are to share it: a Milvus collection has the fields
        that its first rows had, and "not equal" gives nothing for rows that lack a field.
    """
    if part != "all":
        raise StoreError(
            "chunks and seams can not share a Milvus collection, whose fields are fixed: leave "
            "seam_store out, or pass another collection"
        )
    return MilvusStore(
        vectorstore.client,
        vectorstore.collection_name,
        id_field=vectorstore._primary_field,
        text_field=vectorstore._text_field,
        vector_field=vectorstore._vector_field,
        metadata_field=vectorstore._metadata_field,
    )


def beside(vectorstore: Any) -> Store:
    """A collection named after the first one, with a field for anything a seam carries."""
    from pymilvus import DataType

    client, field = vectorstore.client, vectorstore._vector_field
    types = DataType.VARCHAR, DataType.FLOAT_VECTOR
    name = collection_beside(client, vectorstore.collection_name, field, *types)
    return MilvusStore(client, name, vector_field=field)
