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
# # 1. Drop Seams into a LangChain chain
#
# **What you will have:** a retrieval chain whose retriever is Seams, answering a question whose
# answer lies across a cut, and a trace that tells why each chunk is there.

# %%
from langchain_core.documents import Document
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_parts import QuotingChatModel, StaticEmbeddings
from parts import QUESTION, reference

from seams_langchain import SeamsRetriever, SeamsTextSplitter

# %% [markdown]
# Index as usual. `SeamsTextSplitter` cuts disjoint chunks that joined give the text back; page 4
# shows chunks that another splitter made. Put your own embeddings in place of `StaticEmbeddings`,
# such as `OpenAIEmbeddings()` or `HuggingFaceEmbeddings(model_name="BAAI/bge-base-en-v1.5")`, and
# your store in place of the in-memory one.

# %%
embeddings = StaticEmbeddings()
vectorstore = InMemoryVectorStore(embeddings)
documents = [Document(page_content=reference(), metadata={"source": "python-reference"})]
vectorstore.add_documents(SeamsTextSplitter(chunk_size=1024).split_documents(documents))
print(len(vectorstore.store), "chunks;", embeddings.texts, "texts embedded")

# %% [markdown]
# One line adds the seams. It embeds them and nothing else.

# %%
retriever = SeamsRetriever.attach(vectorstore, k=5)
print(retriever.index.status(), "-", embeddings.texts, "texts embedded in all")

# %% [markdown]
# The chain is the usual one. `QuotingChatModel` is scripted and quotes from its context; put
# `ChatOpenAI(model="gpt-4.1-mini")`, `ChatOllama(model="llama3.1")` or any chat model in its
# place.

# %%
prompt = ChatPromptTemplate.from_template("{context}\n\nQuestion: {question}\nAnswer:")


def join(documents):
    return "\n\n".join(document.page_content for document in documents)


chain = (
    {"context": retriever | join, "question": RunnablePassthrough()}
    | prompt
    | QuotingChatModel()
    | StrOutputParser()
)
print(chain.invoke(QUESTION))

# %% [markdown]
# Which chunks came, and which of them a seam brought:

# %%
for document in retriever.invoke(QUESTION):
    metadata = document.metadata
    why = "brought by a seam" if "seams_seam_id" in metadata else "by its own rank"
    print(metadata["seams_rank"], "chunk", metadata["chunk_index"], why)

# %% [markdown]
# The trace has the fused ranking with a verdict for each seam, and how the budget was filled.

# %%
names = {
    chunk.id: str(chunk.metadata["chunk_index"]) for chunk in retriever.invoke(QUESTION, k=104)
}
print(retriever.explain(QUESTION).render(names=names, top=6))
