"""Runs with the extra ``langchain``: a chain over the in-memory store, from text to chunks."""

from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores import InMemoryVectorStore

from seams_langchain import SeamsRetriever, SeamsTextSplitter

text = "The order service accepts stale reads. Billing records are never read stale. " * 60
splitter = SeamsTextSplitter(chunk_size=64, tokenizer=str.split)
chunks = splitter.split_documents([Document(page_content=text, metadata={"source": "design.md"})])
store = InMemoryVectorStore(DeterministicFakeEmbedding(size=32))
store.add_documents(chunks)
retriever = SeamsRetriever.attach(store, k=3, index_settings={"tokenizer": str.split})
found = retriever.invoke("Which reads are stale?")
assert len(found) == 3
assert {document.id for document in found} <= {chunk.id for chunk in chunks}
assert retriever.index.status().seams == len(chunks) - 1
print("langchain ok")
