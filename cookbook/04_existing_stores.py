# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 4. Add seams to an existing collection: Chroma, Qdrant, pgvector
#
# **What you will have:** seams beside collections that were filled without them, by another
# splitter, and the proof that no chunk was embedded, written or moved.

# %%
import os

import chromadb
from langchain_chroma import Chroma
from langchain_core.documents import Document
from langchain_parts import StaticEmbeddings
from langchain_qdrant import QdrantVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter
from parts import QUESTION, reference
from qdrant_client import QdrantClient, models

from seams_langchain import SeamsRetriever

# %% [markdown]
# The chunks of a usual pipeline. `add_start_index` tells the order of a document's chunks; where
# yours lacks it, name the key that tells it: `index_settings={"position_key": "page"}`.

# %%
splitter = RecursiveCharacterTextSplitter(chunk_size=4000, chunk_overlap=0, add_start_index=True)
documents = [Document(page_content=reference(), metadata={"source": "python-reference"})]
chunks = splitter.split_documents(documents)
embeddings = StaticEmbeddings()


def add_seams(vectorstore):
    """Seams beside a collection; what it embeds is counted."""
    before = embeddings.texts
    retriever = SeamsRetriever.attach(vectorstore, k=5)
    print(retriever.index.status(), "-", embeddings.texts - before, "texts embedded")
    for document in retriever.invoke(QUESTION):
        why = "brought by a seam" if "seams_seam_id" in document.metadata else "by its own rank"
        print(document.metadata["seams_rank"], "at", document.metadata["start_index"], why)
    return retriever


# %% [markdown]
# **Chroma**: `chromadb.PersistentClient(path=...)` or `HttpClient(...)` in place of the ephemeral
# one. The seams come into a second collection, made beside the first.

# %%
client = chromadb.EphemeralClient()
chroma = Chroma(client=client, collection_name="handbook", embedding_function=embeddings)
chroma.add_documents(chunks)
stored = client.get_collection("handbook").get(include=["embeddings", "documents", "metadatas"])
add_seams(chroma)
again = client.get_collection("handbook").get(include=["embeddings", "documents", "metadatas"])
assert again["ids"] == stored["ids"]
assert again["metadatas"] == stored["metadatas"]
assert (again["embeddings"] == stored["embeddings"]).all()
print("chunks untouched; collections:", sorted(c.name for c in client.list_collections()))

# %% [markdown]
# **Qdrant**: `QdrantClient(url="http://localhost:6333")` in place of the one in memory.

# %%
qdrant_client = QdrantClient(":memory:")
qdrant_client.create_collection(
    "handbook", vectors_config=models.VectorParams(size=256, distance=models.Distance.COSINE)
)
qdrant = QdrantVectorStore(client=qdrant_client, collection_name="handbook", embedding=embeddings)
qdrant.add_documents(chunks)
add_seams(qdrant)
print("collections:", sorted(c.name for c in qdrant_client.get_collections().collections))

# %% [markdown]
# **pgvector**: set `POSTGRES_URL` to your database, such as
# `postgresql+psycopg://user:password@localhost:5432/db`.

# %%
if url := os.environ.get("POSTGRES_URL"):
    from langchain_postgres import PGVector

    table = PGVector(embeddings, connection=url, collection_name="handbook", use_jsonb=True)
    table.add_documents(chunks)
    add_seams(table)
else:
    print("POSTGRES_URL is not set, so pgvector is left out")
