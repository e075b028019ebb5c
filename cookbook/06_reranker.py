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
# # 6. Use a reranker, in both frameworks
#
# **What you will have:** a cross-encoder that orders the ordinary chunks while the pairs that
# seams brought stay in.
#
# A cross-encoder scores one chunk against the question, and each half of a divided answer scores
# low by itself. So it is given to the retriever, not put behind it as a
# `ContextualCompressionRetriever` would: pairs that got in are pinned, and it orders the rest.

# %%
from langchain_classic.retrievers.document_compressors import CrossEncoderReranker
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_parts import OverlapEncoder, StaticEmbeddings
from llama_index.core import Document as LlamaDocument
from llama_index.core import VectorStoreIndex
from llamaindex_parts import OverlapRerank, StaticEmbedding
from parts import QUESTION, reference

from seams_langchain import SeamsRetriever, SeamsTextSplitter
from seams_llamaindex import SeamsNodeParser
from seams_llamaindex import SeamsRetriever as LlamaRetriever

# %% [markdown]
# **LangChain.** `OverlapEncoder` is scripted: the share of the question's words that a chunk has.
# Put `HuggingFaceCrossEncoder(model_name="BAAI/bge-reranker-v2-m3")` or any other document
# compressor, such as `CohereRerank`, in its place. `top_n` is at least what the retriever hands
# it (150 by default).

# %%
vectorstore = InMemoryVectorStore(StaticEmbeddings())
documents = [Document(page_content=reference(), metadata={"source": "python-reference"})]
vectorstore.add_documents(SeamsTextSplitter().split_documents(documents))
plain = SeamsRetriever.attach(vectorstore, k=6)
reranker = CrossEncoderReranker(model=OverlapEncoder(), top_n=150)
reranked = SeamsRetriever(index=plain.index, k=6, reranker=reranker)


def show(documents):
    marks = ["+" if "seams_seam_id" in d.metadata else " " for d in documents]
    print(
        " ".join(f"{d.metadata['chunk_index']}{m}" for d, m in zip(documents, marks, strict=True))
    )


show(plain.invoke(QUESTION))
show(reranked.invoke(QUESTION))  # + : brought by a seam, at the same place in both

# %% [markdown]
# **LlamaIndex.** Any node postprocessor that reorders; put
# `SentenceTransformerRerank(model="BAAI/bge-reranker-v2-m3", top_n=150)` in place of the scripted
# one.

# %%
index = VectorStoreIndex.from_documents(
    [LlamaDocument(text=reference(), doc_id="python-reference")],
    transformations=[SeamsNodeParser()],
    embed_model=StaticEmbedding(),
)
retriever = LlamaRetriever.attach(index, similarity_top_k=6, reranker=OverlapRerank())
for found in retriever.retrieve(QUESTION):
    reason = found.node.metadata["seams"]
    why = "pinned: brought by a seam" if "seam_id" in reason else "ordered by the reranker"
    print(reason["rank"], "at", found.node.start_char_idx, why)
