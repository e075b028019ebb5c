"""Cheap, deterministic parts for LangChain tests."""

from __future__ import annotations

import chromadb
from langchain_chroma import Chroma
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_milvus import Milvus
from langchain_qdrant import QdrantVectorStore
from qdrant_client import QdrantClient, models

from tests.stores import HashEmbedding

TOPICS = ["orders outage stale reads", "billing records strongly consistent", "replicas lag writes"]


class CountingEmbeddings(Embeddings):
    """Hashed words; counts what it embeds."""

    def __init__(self) -> None:
        self.inner = HashEmbedding()
        self.documents = 0
        self.queries = 0

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.documents += len(texts)
        return [self.inner.one(text).tolist() for text in texts]

    def embed_query(self, text: str) -> list[float]:
        self.queries += 1
        return self.inner.one(text).tolist()


def long_documents(count: int = 3, words: int = 160) -> list[Document]:
    return [
        Document(
            page_content=" ".join(f"{TOPICS[(d + n) % 3]} w{n} d{d}." for n in range(words)),
            metadata={"source": f"doc-{d}", "group": d % 3, "tag": "abc"[d % 3]},
        )
        for d in range(count)
    ]


def empty_store(kind: str, path=None):
    embeddings = CountingEmbeddings()
    if kind == "memory":
        return InMemoryVectorStore(embeddings)
    if kind == "chroma":
        client = chromadb.PersistentClient(path=str(path))
        return Chroma(client=client, collection_name="docs", embedding_function=embeddings)
    if kind == "milvus":
        return Milvus(embeddings, connection_args={"uri": str(path / "m.db")}, collection_name="d")
    client = QdrantClient(":memory:")
    client.create_collection(
        "docs", vectors_config=models.VectorParams(size=64, distance=models.Distance.COSINE)
    )
    return QdrantVectorStore(client=client, collection_name="docs", embedding=embeddings)


KINDS = ["memory", "chroma", "qdrant", "milvus"]
