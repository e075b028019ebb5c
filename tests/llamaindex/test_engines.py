"""Plugged into what LlamaIndex's users have; the prompts are read for seam text."""

from __future__ import annotations

import pytest
from llama_index.core import Settings, SummaryIndex
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.chat_engine import CondensePlusContextChatEngine, ContextChatEngine
from llama_index.core.postprocessor import SimilarityPostprocessor
from llama_index.core.query_engine import (
    CitationQueryEngine,
    RetrieverQueryEngine,
    RouterQueryEngine,
    SubQuestionQueryEngine,
)
from llama_index.core.question_gen import LLMQuestionGenerator
from llama_index.core.response_synthesizers import ResponseMode
from llama_index.core.retrievers import QueryFusionRetriever, RecursiveRetriever
from llama_index.core.schema import IndexNode, TextNode
from llama_index.core.selectors import LLMSingleSelector
from llama_index.core.tools import QueryEngineTool, RetrieverTool

from seams_llamaindex import SeamIndex, SeamsRetriever
from tests.llamaindex.models import (
    Calling,
    CountingEmbedding,
    Listening,
    build,
    long_documents,
    sub_questions,
)

QUESTION = "stale reads w9"


@pytest.fixture
def seams() -> SeamIndex:
    return SeamIndex.attach(build())


@pytest.fixture
def retriever(seams) -> SeamsRetriever:
    return SeamsRetriever(seams, similarity_top_k=4, margin=0)


def assert_chunks_and_no_seam(prompts: list[str], seams: SeamIndex) -> None:
    """What was found stands in the prompts, and nothing of a seam: its text runs over a cut."""
    everything = "\n".join(prompts)
    chunks = [row for page in seams.core.chunk_store.pages(1000) for row in page]
    rows = [row for page in seams.core.seam_store.pages(1000) for row in page]
    assert sum(row.text.strip() in everything for row in chunks) >= 2
    assert rows
    for row in rows:
        at = row.metadata["seam_cut"] - row.metadata["seam_start"]
        assert row.text[at - 40 : at + 40] not in everything
        assert row.id not in everything
    assert "partner_id" not in everything


def test_a_pair_is_among_what_the_engines_below_are_given(retriever) -> None:
    found = retriever.retrieve(QUESTION)
    assert any("seam_id" in n.metadata["seams"] for n in found)


@pytest.mark.parametrize("mode", ["compact", "tree_summarize", "refine"])
def test_retriever_query_engine(seams, retriever, mode) -> None:
    llm = Listening()
    engine = RetrieverQueryEngine.from_args(retriever, llm=llm, response_mode=ResponseMode(mode))
    response = engine.query(QUESTION)
    assert str(response) == "It accepts stale reads."
    assert [n.node_id for n in response.source_nodes] == [
        n.node_id for n in retriever.retrieve(QUESTION)
    ]
    assert_chunks_and_no_seam(llm.prompts, seams)


async def test_retriever_query_engine_asynchronously(seams, retriever) -> None:
    llm = Listening()
    response = await RetrieverQueryEngine.from_args(retriever, llm=llm).aquery(QUESTION)
    assert str(response) == "It accepts stale reads."
    assert_chunks_and_no_seam(llm.prompts, seams)


def test_citation_query_engine(seams, retriever) -> None:
    llm = Listening()
    engine = CitationQueryEngine.from_args(
        seams.index, llm=llm, retriever=retriever, citation_chunk_size=512
    )
    response = engine.query(QUESTION)
    assert_chunks_and_no_seam(llm.prompts, seams)
    assert response.source_nodes[0].node.get_content().startswith("Source 1:")


def test_context_chat_engines(seams, retriever) -> None:
    for kind in (CondensePlusContextChatEngine, ContextChatEngine):
        llm = Listening()
        engine = kind.from_defaults(retriever, llm=llm)
        engine.chat(QUESTION)
        response = engine.chat("stale reads w11 and then?")
        assert len(response.source_nodes) == 4
        assert_chunks_and_no_seam(llm.prompts, seams)


def test_router_query_engine(seams, retriever) -> None:
    chosen = '[{"choice": 2, "reason": "it asks for a fact"}]'
    llm = Listening(answers=[chosen])
    tools = [
        QueryEngineTool.from_defaults(
            SummaryIndex([TextNode(text="nothing")]).as_query_engine(llm=llm), description="summary"
        ),
        QueryEngineTool.from_defaults(
            RetrieverQueryEngine.from_args(retriever, llm=llm), description="facts"
        ),
    ]
    engine = RouterQueryEngine(LLMSingleSelector.from_defaults(llm), tools, llm=llm)
    assert len(engine.query(QUESTION).source_nodes) == 4
    assert_chunks_and_no_seam(llm.prompts, seams)


def test_sub_question_query_engine(seams, retriever) -> None:
    llm = Listening(answers=[sub_questions(("pages", QUESTION), ("pages", "replicas lag w40"))])
    tool = QueryEngineTool.from_defaults(
        RetrieverQueryEngine.from_args(retriever, llm=llm), name="pages", description="pages"
    )
    engine = SubQuestionQueryEngine.from_defaults(
        [tool],
        llm=llm,
        question_gen=LLMQuestionGenerator.from_defaults(llm),
        use_async=False,
        verbose=False,
    )
    assert len(engine.query("Which reads are stale, and who lags?").source_nodes) == 10
    assert_chunks_and_no_seam(llm.prompts, seams)


@pytest.mark.parametrize("mode", ["simple", "reciprocal_rerank", "relative_score"])
def test_a_member_of_query_fusion_retriever(seams, retriever, mode) -> None:
    fused = QueryFusionRetriever(
        [retriever, seams.index.as_retriever(similarity_top_k=4)],
        llm=Listening(),
        num_queries=1,
        mode=mode,
        similarity_top_k=6,
        use_async=False,
    )
    own = [n.node_id for n in retriever.retrieve(QUESTION)]
    found = [n.node_id for n in fused.retrieve(QUESTION)]
    assert set(found) <= set(own) | {
        n.node_id for n in seams.index.as_retriever(similarity_top_k=4).retrieve(QUESTION)
    }
    assert own[0] in found


@pytest.mark.parametrize("mode", ["simple", "reciprocal_rerank", "relative_score"])
@pytest.mark.parametrize("asked", [[], ["reads that are stale", "w9 d0"]])
def test_fusion_knows_a_node_again_that_says_why_it_is_there(seams, mode, asked) -> None:
    """It goes by the nodes' hashes, which have their metadata in them."""
    fused = []
    for annotate in (True, False):
        members = [
            SeamsRetriever(seams, similarity_top_k=12, margin=0, annotate=annotate),
            seams.index.as_retriever(similarity_top_k=12),
        ]
        retriever = QueryFusionRetriever(
            members,
            llm=Listening(answers=["\n".join(asked)]),
            num_queries=1 + len(asked),
            mode=mode,
            similarity_top_k=8,
            use_async=False,
        )
        fused.append([(n.node_id, n.score) for n in retriever.retrieve(QUESTION)])
    assert fused[0] == fused[1]
    assert len(fused[0]) == 8


async def test_a_retriever_tool_in_a_function_agent(seams, retriever) -> None:
    llm = Calling()
    tool = RetrieverTool.from_defaults(retriever, name="pages", description="pages on outages")
    agent = FunctionAgent(tools=[tool], llm=llm, streaming=False)
    response = await agent.run(QUESTION)
    assert str(response) == "Stale reads."
    assert len(llm.prompts) == 2
    assert_chunks_and_no_seam(llm.prompts, seams)


def test_recursive_retriever(seams, retriever) -> None:
    root = SeamsRetriever.attach(
        build([], objects=[IndexNode(text="all on stale reads", index_id="pages")]),
        similarity_top_k=1,
    )
    recursive = RecursiveRetriever("root", retriever_dict={"root": root, "pages": retriever})
    found = [n.node_id for n in recursive.retrieve(QUESTION)]
    assert found == [n.node_id for n in retriever.retrieve(QUESTION)]


def test_index_nodes_lead_to_their_objects(retriever) -> None:
    """The object map of the index, or one that is given, is left as it is."""
    from llama_index.core import VectorStoreIndex

    leads = IndexNode(id_="lead", text="all on stale reads", index_id="pages", obj=retriever)
    index = VectorStoreIndex([], objects=[leads], embed_model=CountingEmbedding())
    root = SeamsRetriever.attach(index, similarity_top_k=1)
    wanted = [n.node_id for n in retriever.retrieve(QUESTION)]
    assert [n.node_id for n in root.retrieve(QUESTION)] == wanted
    given = SeamsRetriever(root.index, similarity_top_k=1, object_map={"pages": TextNode(text="x")})
    assert [n.node.get_content() for n in given.retrieve(QUESTION)] == ["x"]


def test_engines_that_sort_or_cut_by_score_keep_the_order(retriever) -> None:
    found = retriever.retrieve(QUESTION)
    assert sorted(found, key=lambda n: -n.score) == found
    cut = SimilarityPostprocessor(similarity_cutoff=0.01).postprocess_nodes(found)
    assert [n.node_id for n in cut] == [n.node_id for n in found]


def test_as_the_readme_has_it(monkeypatch) -> None:
    monkeypatch.setattr(Settings, "_llm", Listening())
    index = build(long_documents(2))
    engine = RetrieverQueryEngine.from_args(SeamIndex.attach(index).as_retriever())
    assert str(engine.query(QUESTION)) == "It accepts stale reads."
