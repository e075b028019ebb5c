"""Runs with the extra ``llamaindex``: a query engine over the simple store."""

from llama_index.core import Document, MockEmbedding, VectorStoreIndex
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine

from seams_llamaindex import SeamIndex, SeamsNodeParser

text = "The order service accepts stale reads. Billing records are never read stale. " * 200
index = VectorStoreIndex.from_documents(
    [Document(text=text, doc_id="design.md")],
    transformations=[SeamsNodeParser(chunk_size=256)],
    embed_model=MockEmbedding(8),
)
seams = SeamIndex.attach(index)
retriever = seams.as_retriever(similarity_top_k=3)
assert len(retriever.retrieve("Which reads are stale?")) == 3
assert seams.status().seams == seams.status().chunks - 1 > 3
answer = RetrieverQueryEngine.from_args(retriever, llm=MockLLM()).query("Which reads are stale?")
assert len(answer.source_nodes) == 3
print("llamaindex ok")
