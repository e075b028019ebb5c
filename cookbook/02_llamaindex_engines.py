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
# # 2. Plug Seams into a LlamaIndex query engine and a chat engine
#
# **What you will have:** a query engine and a chat engine over an ordinary `VectorStoreIndex`,
# both with a `SeamsRetriever`, and the seams kept with the index.

# %%
from llama_index.core import Document, Settings, VectorStoreIndex
from llama_index.core.chat_engine import ContextChatEngine
from llama_index.core.query_engine import RetrieverQueryEngine
from llamaindex_parts import QuotingLLM, StaticEmbedding
from parts import QUESTION, reference

from seams_llamaindex import SeamIndex, SeamsNodeParser

# %% [markdown]
# Put your own models in place of the two: `OpenAI(model="gpt-4.1-mini")` or
# `Ollama(model="llama3.1")`, and `OpenAIEmbedding()` or
# `HuggingFaceEmbedding("BAAI/bge-base-en-v1.5")`.

# %%
Settings.embed_model = StaticEmbedding()
Settings.llm = QuotingLLM()
index = VectorStoreIndex.from_documents(
    [Document(text=reference(), doc_id="python-reference")],
    transformations=[SeamsNodeParser(chunk_size=1024)],
)
before = Settings.embed_model.texts
print(before, "nodes embedded")

# %% [markdown]
# Attach seams to the index. Any index will do, also one made by another node parser.

# %%
seams = SeamIndex.attach(index)
print(seams.status())
print(Settings.embed_model.texts - before, "texts embedded for it")

# %% [markdown]
# A query engine:

# %%
retriever = seams.as_retriever(similarity_top_k=5)
engine = RetrieverQueryEngine.from_args(retriever, response_mode="simple_summarize")
answer = engine.query(QUESTION)
print(answer)
for source in answer.source_nodes:
    reason = source.node.metadata["seams"]
    print(reason["rank"], "brought by a seam" if "seam_id" in reason else "by its own rank")

# %% [markdown]
# A chat engine takes the same retriever:

# %%
chat = ContextChatEngine.from_defaults(retriever=retriever)
reply = chat.chat("How does the in operator test membership?")
print(reply.response)
print(len(reply.source_nodes), "nodes were its context")

# %% [markdown]
# The same retriever with the paper's own fire test at m = 3, which asks more of a seam:

# %%
print(seams.as_retriever(similarity_top_k=5, margin=3).explain(QUESTION).counts)
print(retriever.explain(QUESTION).counts)
