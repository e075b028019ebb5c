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
# # 7. Keep seams in step: add, change, delete
#
# **What you will have:** an index that changes, and seams that follow it by one call that does
# only what is needed.

# %%
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_parts import StaticEmbeddings
from llama_index.core import Document as LlamaDocument
from llama_index.core import VectorStoreIndex
from llamaindex_parts import StaticEmbedding
from parts import QUESTION, reference

from seams_langchain import SeamsRetriever, SeamsTextSplitter
from seams_llamaindex import SeamIndex, SeamsNodeParser

# %%
text = reference()
half = text.index("\n\n", len(text) // 2)
embeddings = StaticEmbeddings()
vectorstore = InMemoryVectorStore(embeddings)
splitter = SeamsTextSplitter(chunk_size=1024)


def chunks_of(name, text):
    return splitter.split_documents([Document(page_content=text, metadata={"source": name})])


first = chunks_of("first.txt", text[:half])
vectorstore.add_documents(first)
retriever = SeamsRetriever.attach(vectorstore, k=5)
seams = retriever.index
print(seams.status())

# %% [markdown]
# **Add** a document, then `sync`. Seams that are there already are kept, unembedded.

# %%
vectorstore.add_documents(chunks_of("second.txt", text[half:]))
before = embeddings.texts
print(seams.sync())
print(embeddings.texts - before, "texts embedded")

# %% [markdown]
# **Run it again**: nothing to do.

# %%
print(seams.sync())

# %% [markdown]
# **Change** a document: its chunks before the change keep their ids, so only the seams behind it
# are made anew.

# %%
changed = chunks_of(
    "first.txt", text[: half - 3000] + " A new last paragraph." + text[half - 3000 : half]
)
old, new = {c.id for c in first}, {c.id for c in changed}
vectorstore.delete(list(old - new))
vectorstore.add_documents([c for c in changed if c.id not in old])
print(len(new - old), "chunks changed;", seams.sync())

# %% [markdown]
# **Delete** a document. Until the sync, its seams are stale: they never fire, and `status` counts
# them.

# %%
vectorstore.delete(list(new))
print(seams.status())
found = retriever.invoke(QUESTION)
print({document.metadata["source"] for document in found})
print(seams.sync())

# %% [markdown]
# A sync that was stopped at any point is run again and goes on. **LlamaIndex** has the same call,
# after `insert`, `delete_ref_doc`, `refresh_ref_docs` or an ingestion pipeline:

# %%
index = VectorStoreIndex.from_documents(
    [LlamaDocument(text=text[:half], doc_id="first.txt")],
    transformations=[SeamsNodeParser()],
    embed_model=StaticEmbedding(),
)
seam_index = SeamIndex.attach(index)
index.insert(LlamaDocument(text=text[half:], doc_id="second.txt"))
print(seam_index.sync())
index.delete_ref_doc("first.txt", delete_from_docstore=True)
print(seam_index.sync())
