"""Dropped into the places where LangChain users put a retriever."""

from __future__ import annotations

import pytest
from langchain_classic.chains import create_retrieval_chain
from langchain_classic.chains.combine_documents import create_stuff_documents_chain
from langchain_classic.retrievers import ContextualCompressionRetriever, EnsembleRetriever
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import ConfigurableField, RunnableParallel, RunnablePassthrough
from langchain_core.tools import create_retriever_tool

from seams_langchain import SeamsRetriever, SeamsTextSplitter
from tests.langchain.models import empty_store, long_documents
from tests.langchain.test_retriever import Reversing

PROMPT = ChatPromptTemplate.from_template("Context: {context}\n\nQuestion: {input}")


class Scripted(GenericFakeChatModel):
    """Answers in turn and keeps the prompts it was given."""

    prompts: list = []  # noqa: RUF012

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        self.prompts.append("\n".join(str(m.content) for m in messages))
        return super()._generate(messages, stop, run_manager, **kwargs)

    def bind_tools(self, tools, **kwargs):
        return self


def scripted(*answers) -> Scripted:
    return Scripted(messages=iter(answers), prompts=[])


@pytest.fixture
def retriever() -> SeamsRetriever:
    store = empty_store("memory")
    chunks = SeamsTextSplitter(chunk_size=128).split_documents(long_documents())
    store.add_documents(chunks)
    return SeamsRetriever.attach(store, k=4, margin=0)


def joined(documents) -> str:
    return "\n---\n".join(d.page_content for d in documents)


def seam_texts(retriever) -> list[str]:
    store = retriever.index.core.seam_store
    return [row.text for page in store.pages(100) for row in page]


def test_an_lcel_chain(retriever) -> None:
    model = scripted(AIMessage("the answer"))
    chain = (
        {"context": retriever | joined, "input": RunnablePassthrough()}
        | PROMPT
        | model
        | StrOutputParser()
    )
    assert chain.invoke("stale reads") == "the answer"
    (prompt,) = model.prompts
    context = joined(retriever.invoke("stale reads"))
    assert prompt == f"Context: {context}\n\nQuestion: stale reads"
    assert not any(text in prompt for text in seam_texts(retriever))


async def test_create_retrieval_chain(retriever) -> None:
    model = scripted(AIMessage("one"), AIMessage("two"))
    chain = create_retrieval_chain(retriever, create_stuff_documents_chain(model, PROMPT))
    result = chain.invoke({"input": "stale reads"})
    assert result["answer"] == "one"
    assert result["context"] == retriever.invoke("stale reads")
    assert (await chain.ainvoke({"input": "lag"}))["context"] == retriever.invoke("lag")


def test_a_tool_in_a_langgraph_agent(retriever) -> None:
    from langchain.agents import create_agent

    tool = create_retriever_tool(retriever, "search", "Searches the documents.")
    call = {"name": "search", "args": {"query": "stale reads"}, "id": "1", "type": "tool_call"}
    model = scripted(AIMessage("", tool_calls=[call]), AIMessage("done"))
    agent = create_agent(model, [tool])
    messages = agent.invoke({"messages": [("user", "Why stale reads?")]})["messages"]
    assert messages[-1].content == "done"
    (answer,) = [m for m in messages if m.type == "tool"]
    assert all(d.page_content in answer.content for d in retriever.invoke("stale reads"))


async def test_a_member_of_ensemble_and_contextual_compression(retriever) -> None:
    ensemble = EnsembleRetriever(retrievers=[retriever, retriever], weights=[0.5, 0.5], id_key=None)
    assert [d.id for d in ensemble.invoke("stale")] == [d.id for d in retriever.invoke("stale")]
    assert len(await ensemble.ainvoke("stale")) == 4
    compressed = ContextualCompressionRetriever(
        base_compressor=Reversing(), base_retriever=retriever
    )
    texts = [d.page_content for d in retriever.invoke("stale")]
    assert [d.page_content for d in compressed.invoke("stale")] == texts[::-1][:3]


def test_runnable_parallel_with_config_and_configurable_fields(retriever) -> None:
    both = RunnableParallel(a=retriever, b=retriever.with_config(run_name="b")).invoke("stale")
    assert both["a"] == both["b"] == retriever.invoke("stale")
    configurable = retriever.configurable_fields(k=ConfigurableField(id="k"))
    assert len(configurable.with_config(configurable={"k": 2}).invoke("stale")) == 2
    assert len(configurable.invoke("stale")) == 4


class Recorder(BaseCallbackHandler):
    def __init__(self) -> None:
        self.events: list = []

    def on_retriever_start(self, serialized, query, *, name=None, tags=None, metadata=None, **kw):
        self.events.append(("start", query, name, tags, metadata))

    def on_retriever_end(self, documents, **kw):
        self.events.append(("end", len(documents)))

    def on_retriever_error(self, error, **kw):
        self.events.append(("error", type(error).__name__))


def test_callbacks_tags_run_names_and_langsmith_parameters(retriever) -> None:
    recorder = Recorder()
    config = {"callbacks": [recorder], "tags": ["t"], "run_name": "mine", "metadata": {"a": 1}}
    retriever.invoke("stale", config)
    start, end = recorder.events
    assert start[:4] == ("start", "stale", "mine", ["t"])
    assert start[4]["a"] == 1
    assert start[4]["ls_retriever_name"] == "seams"
    assert start[4]["ls_vector_store_provider"] == "InMemoryVectorStore"
    assert start[4]["ls_embedding_provider"] == "CountingEmbeddings"
    assert end == ("end", 4)
    with pytest.raises(ValueError, match="margin=-1"):
        retriever.invoke("stale", config, margin=-1)
    assert recorder.events[-1] == ("error", "ValueError")


async def test_streaming_events_carry_the_retrievers_start_and_end(retriever) -> None:
    model = scripted(AIMessage("one"))
    chain = {"context": retriever | joined, "input": RunnablePassthrough()} | PROMPT | model
    events = [e async for e in chain.astream_events("stale", version="v2")]
    kinds = [e["event"] for e in events]
    assert "on_retriever_start" in kinds
    (end,) = [e for e in events if e["event"] == "on_retriever_end"]
    assert len(end["data"]["output"]) == 4
