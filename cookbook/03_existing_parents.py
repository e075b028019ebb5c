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
# # 3. Extend a MultiVectorRetriever and a ParentDocumentRetriever
#
# **What you will have:** the two set-ups as they were, still working unchanged, and beside each a
# retriever that also finds what lies across the cut between two parents.

# %%
from langchain_classic.retrievers import MultiVectorRetriever, ParentDocumentRetriever
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_parts import StaticEmbeddings
from langchain_text_splitters import RecursiveCharacterTextSplitter
from parts import QUESTION, reference

from seams_langchain import SeamsMultiVectorRetriever, SeamsTextSplitter

# %% [markdown]
# An existing `ParentDocumentRetriever`: parents of 4,000 characters, children of 500. Put your
# own embeddings, vector store and docstore in place of these.

# %%
embeddings = StaticEmbeddings()
existing = ParentDocumentRetriever(
    vectorstore=InMemoryVectorStore(embeddings),
    docstore=InMemoryStore(),
    parent_splitter=RecursiveCharacterTextSplitter(
        chunk_size=4000, chunk_overlap=0, add_start_index=True
    ),
    child_splitter=RecursiveCharacterTextSplitter(chunk_size=500, chunk_overlap=0),
    search_kwargs={"k": 20},
)
existing.add_documents(
    [Document(page_content=reference(), metadata={"source": "python-reference"})]
)
before = [document.page_content for document in existing.invoke(QUESTION)]
print(len(list(existing.docstore.yield_keys())), "parents,", embeddings.texts, "children embedded")

# %% [markdown]
# Seams go between the parents, in a collection of their own. `k` counts parents.

# %%
embedded = embeddings.texts
retriever = SeamsMultiVectorRetriever.attach(existing, k=4)
print(retriever.index.status(), "-", embeddings.texts - embedded, "texts embedded")
for document in retriever.invoke(QUESTION):
    why = "brought by a seam" if "seams_seam_id" in document.metadata else "by its own rank"
    print(document.metadata["seams_rank"], "at", document.metadata["start_index"], why)

# %% [markdown]
# The old retriever answers as it did, and never sees a seam.

# %%
assert [document.page_content for document in existing.invoke(QUESTION)] == before
print("unchanged")

# %% [markdown]
# A `MultiVectorRetriever` that searches something short for each parent, here its first lines (a
# language model's summaries in your set-up):

# %%
parents = SeamsTextSplitter(chunk_size=1024).split_documents(
    [Document(page_content=reference(), metadata={"source": "python-reference"})]
)
multi = MultiVectorRetriever(
    vectorstore=InMemoryVectorStore(embeddings), docstore=InMemoryStore(), id_key="parent_id"
)
multi.docstore.mset([(parent.id, parent) for parent in parents])
multi.vectorstore.add_documents(
    [Document(page_content=p.page_content[:400], metadata={"parent_id": p.id}) for p in parents]
)
retriever = SeamsMultiVectorRetriever.attach(multi, k=4)
print(retriever.index.status())
for document in retriever.invoke(QUESTION):
    why = "brought by a seam" if "seams_seam_id" in document.metadata else "by its own rank"
    print(document.metadata["seams_rank"], "chunk", document.metadata["chunk_index"], why)
