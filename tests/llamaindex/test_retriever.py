"""SeamsRetriever: what comes back, filters, async, and agreement with the other adapter."""

from __future__ import annotations

import asyncio
import copy
import pickle
import sys
import threading
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_chroma import Chroma
from langchain_core.embeddings import Embeddings
from llama_index.core import Document, StorageContext, VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.callbacks import CallbackManager, CBEventType, LlamaDebugHandler
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events.retrieval import RetrievalEndEvent
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import (
    ImageNode,
    IndexNode,
    MediaResource,
    MetadataMode,
    Node,
    NodeWithScore,
    QueryBundle,
    TextNode,
)
from llama_index.core.vector_stores import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
)

import seams_langchain
from seams_core import AnchoredFireTest, MarginFireTest
from seams_llamaindex import SeamIndex, SeamsNodeParser, SeamsRetriever
from seams_llamaindex.annotated import annotated
from seams_llamaindex.stores.conditions import passes, pruned
from tests.llamaindex.models import CountingEmbedding, build, chroma_store, long_documents

QUESTIONS = [f"stale reads w{n} d{n % 3}" for n in range(0, 150, 3)]


@pytest.fixture(params=["docstore", "chroma"])
def seams(request, tmp_path) -> SeamIndex:
    return SeamIndex.attach(build(path=tmp_path if request.param == "chroma" else None))


@pytest.fixture
def retriever(seams) -> SeamsRetriever:
    return SeamsRetriever(seams, similarity_top_k=6, margin=0)


def ids(found: list[NodeWithScore]) -> list[str]:
    return [n.node_id for n in found]


def stored(seams: SeamIndex) -> dict[str, Any]:
    return {r.id: r.payload for page in seams.core.chunk_store.pages(1000) for r in page}


def test_nodes_come_back_as_they_are_stored_with_the_reason_under_one_key(retriever) -> None:
    nodes = stored(retriever.index)
    brought = 0
    for question in QUESTIONS:
        found = retriever.retrieve(question)
        assert len(found) == len(set(ids(found))) == 6
        for rank, hit in enumerate(found, 1):
            node, reason = nodes[hit.node_id], hit.metadata["seams"]
            assert hit.text == node.text
            assert {k: v for k, v in hit.metadata.items() if k != "seams"} == node.metadata
            assert reason["rank"] == rank
            for mode in (MetadataMode.LLM, MetadataMode.EMBED):
                assert hit.get_content(mode) == node.get_content(mode)
            if "seam_id" in reason:
                brought += 1
                assert reason["partner_id"] in nodes
        scores = [hit.score for hit in found]
        assert scores == sorted(scores, reverse=True)
        assert scores[0] == 1
        assert scores[-1] > 0
    assert brought


def test_what_comes_back_is_a_copy(retriever) -> None:
    first = retriever.retrieve("stale reads")[0]
    first.metadata["tag"] = "changed"
    first.node.excluded_llm_metadata_keys.append("x")
    again = retriever.retrieve("stale reads")[0]
    assert again.metadata["tag"] != "changed"
    assert "x" not in again.node.excluded_llm_metadata_keys


def test_with_the_reason_a_node_has_the_hash_and_the_kind_that_are_stored() -> None:
    nodes = [
        TextNode(id_="text", text="stale reads", metadata={"a": 1}),
        IndexNode(id_="lead", text="stale reads", index_id="pages", metadata={"a": 1}),
        ImageNode(id_="picture", text="stale reads", image="aGk=", metadata={"a": 1}),
        Node(id_="any", text_resource=MediaResource(text="stale reads"), metadata={"a": 1}),
    ]
    for node in nodes:
        marked = annotated(node.model_copy(deep=True), {"rank": 1})
        assert marked.metadata == {"a": 1, "seams": {"rank": 1}}
        assert isinstance(marked, type(node))
        assert marked.to_dict().keys() == node.to_dict().keys()
        for again in (marked, copy.deepcopy(marked), pickle.loads(pickle.dumps(marked))):
            assert again.hash == node.hash
            assert again.class_name() == node.class_name()
            assert again.get_content(MetadataMode.LLM) == node.get_content(MetadataMode.LLM)
        assert "seams" not in node.metadata


def test_annotations_can_be_turned_off(seams) -> None:
    bare = SeamsRetriever(seams, annotate=False)
    assert not any("seams" in n.metadata for n in bare.retrieve("stale"))


def test_a_pair_stays_together(retriever) -> None:
    together = 0
    for question in QUESTIONS:
        trace = retriever.explain(question)
        order = ids(retriever.retrieve(question))
        for step in trace.steps:
            if step.entry.kind == "seam" and step.fits and len(step.added) == 2:
                left, right = step.added
                assert abs(order.index(left) - order.index(right)) == 1
                together += 1
    assert together


def test_explain_tells_the_result(retriever) -> None:
    trace = retriever.explain("stale reads w9")
    assert trace.chunk_ids == ids(retriever.retrieve("stale reads w9"))
    assert "Filling the budget of 6" in str(trace)


def test_a_query_is_embedded_once_or_not_at_all_or_as_it_says(retriever) -> None:
    model = retriever.index.embed_model
    retriever.retrieve("warm up")
    before = len(model.queries)
    by_text = ids(retriever.retrieve("stale reads"))
    assert model.queries[before:] == ["stale reads"]
    vector = model.get_query_embedding("stale reads")
    before = len(model.queries)
    assert ids(retriever.retrieve(QueryBundle("stale reads", embedding=vector))) == by_text
    assert len(model.queries) == before
    hyde = QueryBundle("stale reads", custom_embedding_strs=["replicas lag", "writes"])
    retriever.retrieve(hyde)
    assert model.queries[before:] == ["replicas lag", "writes"]


# Settings


class Backwards(BaseNodePostprocessor):
    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        assert query_bundle is not None
        assert query_bundle.query_str.startswith("stale reads")
        return list(reversed(nodes))


def test_the_fire_test_is_the_paper_s_where_a_margin_is_given(seams) -> None:
    assert seams.as_retriever(margin=2).fire_test == MarginFireTest(2)
    mine = AnchoredFireTest(seam=0.3)
    assert seams.as_retriever(fire_test=mine).fire_test is mine
    fired = [seams.as_retriever(margin=m).explain("stale reads").counts["fired"] for m in (0, 900)]
    assert fired[0] > fired[1] == 0


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ({"similarity_top_k": 0}, "similarity_top_k=0"),
        ({"similarity_top_k": 2.5}, "similarity_top_k=2.5"),
        ({"depth": 0}, "depth=0"),
        ({"rrf_k": -1}, "rrf_k=-1"),
        ({"fusion": "sum"}, "fusion='sum'"),
        ({"margin": -1}, "margin=-1"),
        ({"margin": 1, "fire_test": MarginFireTest(1)}, "both given"),
        ({"margin": "3"}, "margin='3'"),
        ({"fire_test": 3}, "fire_test=3"),
        ({"fire_test": MarginFireTest}, "fire_test=.*MarginFireTest"),
        ({"reranker": 3}, "reranker=3"),
        ({"reranker": Backwards}, "reranker="),
        ({"chunk_retrievers": 3}, "chunk_retrievers=3"),
        ({"chunk_retrievers": [3]}, "chunk_retrievers="),
        ({"seam_retrievers": ["x"]}, "seam_retrievers="),
        ({"dense": "no"}, "dense='no'"),
        ({"keywords": None}, "keywords=None"),
        ({"annotate": 2}, "annotate=2"),
        ({"weights": [1.0]}, "weights"),
        ({"filters": {"a": 1}}, "MetadataFilters"),
        ({"dense": False, "keywords": False}, "nothing to search"),
        ({"rerank_top_n": 0}, "rerank_top_n=0"),
    ],
)
def test_wrong_settings_are_refused_by_name(seams, setting, says) -> None:
    with pytest.raises(ValueError, match=says):
        SeamsRetriever(seams, **setting)


def test_attach_checks_settings_before_any_work() -> None:
    index = build()
    before = len(index._embed_model.texts)
    with pytest.raises(ValueError, match="depth"):
        SeamsRetriever.attach(index, depth=0)
    with pytest.raises(TypeError, match="top_k"):
        SeamsRetriever.attach(index, top_k=3)
    with pytest.raises(ValueError, match="SeamIndex"):
        SeamsRetriever(index)
    assert len(index._embed_model.texts) == before


def test_dense_or_keywords_alone(seams) -> None:
    both = ids(seams.as_retriever().retrieve("stale reads w9"))
    model = seams.embed_model
    before = len(model.queries)
    words = seams.as_retriever(dense=False).retrieve("w9")
    assert len(model.queries) == before
    assert "w9" in words[0].text
    assert both != ids(seams.as_retriever(keywords=False).retrieve("stale reads w9")) or words


class Fixed(BaseRetriever):
    def __init__(self, found: list[NodeWithScore]) -> None:
        self.found = found
        self.called = ""
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        self.called = "plainly"
        return self.found

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        self.called = "asynchronously"
        return self.found


async def test_further_retrievers_are_fused_in(seams) -> None:
    plain = seams.as_retriever(similarity_top_k=3)
    last = ids(seams.as_retriever(similarity_top_k=30).retrieve("stale reads w9"))[-1]
    mine = Fixed([NodeWithScore(node=stored(seams)[last])])
    fused = seams.as_retriever(
        similarity_top_k=3, chunk_retrievers=[mine], weights=[1, 1, 1, 1, 1000]
    )
    assert last not in ids(plain.retrieve("stale reads w9"))
    assert ids(fused.retrieve("stale reads w9"))[0] == last
    assert mine.called == "plainly"
    assert ids(await fused.aretrieve("stale reads w9"))[0] == last
    assert mine.called == "asynchronously"
    seam = next(row for page in seams.core.seam_store.pages(9) for row in page)
    theirs = Fixed([NodeWithScore(node=seams.core.seam_store.get([seam.id])[seam.id].payload)])
    brings = seams.as_retriever(
        similarity_top_k=2, seam_retrievers=[theirs], weights=[1, 1, 1, 1, 1000], margin=0
    )
    pair = {seam.metadata["left_chunk_id"], seam.metadata["right_chunk_id"]}
    assert set(ids(brings.retrieve("nothing of the kind"))) == pair


async def test_r11_a_reranker_orders_the_ordinary_chunks_and_pairs_stay(seams) -> None:
    common = {"similarity_top_k": 6, "margin": 0}
    plain = seams.as_retriever(**common)
    reranked = seams.as_retriever(**common, reranker=Backwards(), rerank_top_n=8)
    changed = 0
    for question in QUESTIONS:
        before, after = plain.retrieve(question), reranked.retrieve(question)
        for a, b in zip(before, after, strict=True):
            if "seam_id" in a.metadata["seams"]:
                assert a.node_id == b.node_id
        changed += ids(before) != ids(after)
        assert ids(await reranked.aretrieve(question)) == ids(after)
    assert changed


@pytest.mark.parametrize("lists", [{}, {"dense": False}, {"keywords": False}, {"margin": 0}])
def test_indexes_that_share_a_storage_context_find_their_own_nodes(lists) -> None:
    context = StorageContext.from_defaults()
    parser = SeamsNodeParser(chunk_size=128)
    parts = [long_documents(2), long_documents(4)[2:]]
    indexes = [
        VectorStoreIndex.from_documents(
            documents,
            storage_context=context,
            transformations=[parser],
            embed_model=CountingEmbedding(),
        )
        for documents in parts
    ]
    both = [SeamIndex.attach(index) for index in indexes]
    assert [seams.sync().added for seams in both] == [0, 0]
    for seams, documents in zip(both, parts, strict=True):
        retriever = seams.as_retriever(similarity_top_k=100, **lists)
        own = {node.node_id for node in parser.get_nodes_from_documents(documents)}
        for question in QUESTIONS[:10]:
            assert set(ids(retriever.retrieve(question))) == own
        fired = retriever.explain(QUESTIONS[0])
        assert {id for step in fired.steps for id in step.added} <= own


# Filters (R12)

ASKED = QUESTIONS[:8] + [f"billing records consistent w{n} d{n % 4}" for n in range(0, 150, 11)]


def one(operator: FilterOperator, key: str = "half", value: Any = 1) -> MetadataFilters:
    return MetadataFilters(filters=[MetadataFilter(key=key, value=value, operator=operator)])


def nested(*parts: Any, condition: FilterCondition) -> MetadataFilters:
    return MetadataFilters(filters=list(parts), condition=condition)


def halved(path: Any = None) -> SeamIndex:
    """Every seam joins a chunk of the one half and a chunk of the other."""
    nodes = SeamsNodeParser(chunk_size=128).get_nodes_from_documents(long_documents(4))
    for number, node in enumerate(nodes):
        node.metadata["half"] = number % 2
        if path is None:  # Chroma takes lists, but not through LlamaIndex
            node.metadata["tags"] = ["left", "both"] if number % 2 else ["right", "both"]
    index = build([], path)
    index.insert_nodes(nodes)
    return SeamIndex.attach(index)


HALF = MetadataFilter(key="half", value=1)
GROUP = MetadataFilter(key="group", value=0)
EVERY = [
    (one(FilterOperator.EQ), lambda m: m["half"] == 1),
    (one(FilterOperator.NE), lambda m: m["half"] != 1),
    (one(FilterOperator.GT, value=0), lambda m: m["half"] > 0),
    (one(FilterOperator.LT), lambda m: m["half"] < 1),
    (one(FilterOperator.GTE), lambda m: m["half"] >= 1),
    (one(FilterOperator.LTE, value=0), lambda m: m["half"] <= 0),
    (one(FilterOperator.IN, "tag", ["a", "c"]), lambda m: m["tag"] in "ac"),
    (one(FilterOperator.NIN, "tag", ["a", "b"]), lambda m: m["tag"] not in "ab"),
    (
        nested(HALF, GROUP, condition=FilterCondition.AND),
        lambda m: m["half"] == 1 and m["group"] == 0,
    ),
    (
        nested(HALF, GROUP, condition=FilterCondition.OR),
        lambda m: m["half"] == 1 or m["group"] == 0,
    ),
    (
        nested(
            nested(HALF, GROUP, condition=FilterCondition.OR),
            MetadataFilter(key="tag", value="b"),
            condition=FilterCondition.AND,
        ),
        lambda m: (m["half"] == 1 or m["group"] == 0) and m["tag"] == "b",
    ),
]
SIMPLE_ALONE = [
    (one(FilterOperator.ANY, "tags", ["left", "none"]), lambda m: "left" in m["tags"]),
    (one(FilterOperator.ALL, "tags", ["left", "both"]), lambda m: "left" in m["tags"]),
    (one(FilterOperator.CONTAINS, "tags", "right"), lambda m: "right" in m["tags"]),
    (one(FilterOperator.TEXT_MATCH, "tag", "a"), lambda m: "a" in m["tag"]),
    (one(FilterOperator.TEXT_MATCH_INSENSITIVE, "tag", "A"), lambda m: "a" in m["tag"]),
    (one(FilterOperator.IS_EMPTY, "nowhere", None), lambda m: True),
    (
        nested(HALF, condition=FilterCondition.NOT),
        lambda m: m["half"] != 1,
    ),
]


def test_every_operator_and_condition_is_tried() -> None:
    tried = [f for f, _ in EVERY + SIMPLE_ALONE]
    operators = {
        part.operator for f in tried for part in f.filters if isinstance(part, MetadataFilter)
    }
    assert operators == set(FilterOperator)
    assert {f.condition for f in tried} == set(FilterCondition)


@pytest.fixture(scope="module")
def halves(tmp_path_factory) -> dict[str, SeamIndex]:
    return {"docstore": halved(), "chroma": halved(tmp_path_factory.mktemp("halves"))}


@pytest.fixture(scope="module")
def brought(halves) -> set[str]:
    """What seams bring where no filter holds them back."""
    retriever = halves["docstore"].as_retriever(similarity_top_k=8, margin=0)
    found = [hit for question in ASKED for hit in retriever.retrieve(question)]
    return {hit.node_id for hit in found if "seam_id" in hit.metadata["seams"]}


@pytest.mark.parametrize(
    ("kind", "filters", "passes"),
    [("docstore", *case) for case in EVERY + SIMPLE_ALONE] + [("chroma", *c) for c in EVERY],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_r12_a_seam_never_brings_what_the_filter_excludes(
    halves, brought, kind, filters, passes
) -> None:
    seams = halves[kind]
    retriever = seams.as_retriever(similarity_top_k=8, margin=0, filters=filters)
    allowed = {id for id, node in stored(seams).items() if passes(node.metadata)}
    assert allowed
    assert brought - allowed or len(allowed) == len(stored(seams))  # it has something to hold back
    for question in ASKED:
        found = ids(retriever.retrieve(question))
        assert set(found) <= allowed
        assert len(found) == min(8, len(allowed))
        assert found == ids(await retriever.aretrieve(question))


EMPTY = [
    (nested(condition=FilterCondition.AND), {0, 1}),
    (nested(condition=FilterCondition.OR), {0, 1}),
    (nested(nested(condition=FilterCondition.OR), condition=FilterCondition.AND), {0, 1}),
    (nested(nested(condition=FilterCondition.AND), HALF, condition=FilterCondition.AND), {1}),
    (nested(nested(condition=FilterCondition.AND), HALF, condition=FilterCondition.OR), {0, 1}),
    (
        nested(
            nested(nested(condition=FilterCondition.OR), condition=FilterCondition.AND),
            nested(HALF, nested(condition=FilterCondition.AND), condition=FilterCondition.AND),
            condition=FilterCondition.AND,
        ),
        {1},
    ),
]


@pytest.mark.parametrize("kind", ["docstore", "chroma"])
@pytest.mark.parametrize(("filters", "allowed"), EMPTY)
def test_groups_without_a_filter_let_everything_pass(halves, kind, filters, allowed) -> None:
    before = filters.model_copy(deep=True)
    found = halves[kind].as_retriever(similarity_top_k=50, filters=filters).retrieve("stale reads")
    assert {hit.metadata["half"] for hit in found} == allowed
    assert filters == before


@settings(max_examples=200, deadline=None)
@given(
    st.recursive(
        st.sampled_from([HALF, GROUP]),
        lambda parts: st.builds(
            lambda filters, how: MetadataFilters(filters=filters, condition=how),
            st.lists(parts, max_size=3),
            st.sampled_from(FilterCondition),
        ),
    )
)
def test_filters_without_empty_groups_mean_the_same(filters) -> None:
    if isinstance(filters, MetadataFilter):
        filters = MetadataFilters(filters=[filters])
    for half in (0, 1):
        for group in (0, 1):
            metadata = {"half": half, "group": group}
            assert passes(metadata, pruned(filters)) == passes(metadata, filters)


@pytest.mark.parametrize("question", ["", "  ", "?", QueryBundle(""), QueryBundle("\u200b")])
async def test_a_question_without_a_word_is_answered(seams, question) -> None:
    retriever = seams.as_retriever(similarity_top_k=3)
    found = ids(retriever.retrieve(question))
    assert len(found) == 3
    assert ids(await retriever.aretrieve(question)) == found


# Copies


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))]
)
def test_a_copy_answers_and_syncs_as_the_first(copied) -> None:
    first = SeamIndex.attach(build()).as_retriever(similarity_top_k=6)
    again = copied(first)
    assert [ids(again.retrieve(q)) for q in QUESTIONS[:5]] == [
        ids(first.retrieve(q)) for q in QUESTIONS[:5]
    ]
    again.index.index.insert(long_documents(4)[3])
    assert again.index.sync().added > 0


# Async


async def test_fifty_at_once_are_as_fifty_in_turn(retriever) -> None:
    in_turn = [ids(retriever.retrieve(q)) for q in QUESTIONS]
    at_once = await asyncio.gather(*(retriever.aretrieve(q) for q in QUESTIONS))
    assert len(QUESTIONS) == 50
    assert [ids(found) for found in at_once] == in_turn
    assert str(await retriever.aexplain("stale")) == str(retriever.explain("stale"))


def test_outside_of_a_loop(retriever) -> None:
    found = asyncio.run(retriever.aretrieve("stale reads"))
    assert ids(found) == ids(retriever.retrieve("stale reads"))


async def test_a_search_does_not_run_on_the_event_loop(seams, monkeypatch) -> None:
    """LlamaIndex's own ``aquery`` runs the plain search there."""
    where: list[int] = []
    for store in (seams.core.chunk_store, seams.core.seam_store):
        for name in ("search", "search_ids"):
            if not hasattr(store, name):
                continue
            search = getattr(store, name)

            def noted(*args: Any, _search: Any = search) -> Any:
                where.append(threading.get_ident())
                return _search(*args)

            monkeypatch.setattr(store, name, noted)
    await seams.as_retriever().aretrieve("stale reads")
    assert len(where) == 2
    assert threading.get_ident() not in where


class Noting(BaseRetriever):
    """With no asynchronous form of its own."""

    where: int = 0

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        self.where = threading.get_ident()
        return []


async def test_further_retrievers_that_would_block_the_loop_do_not(seams, monkeypatch) -> None:
    noting = Noting()
    of_a_store = seams.index.as_retriever()
    where: list[int] = []
    query = type(seams.index.vector_store).query

    def noted(*args: Any, **kwargs: Any) -> Any:
        where.append(threading.get_ident())
        return query(*args, **kwargs)

    monkeypatch.setattr(type(seams.index.vector_store), "query", noted)
    await seams.as_retriever(chunk_retrievers=[noting, of_a_store]).aretrieve("stale reads")
    assert noting.where
    assert where
    assert threading.get_ident() not in {noting.where, *where}


@pytest.mark.parametrize("filters", [None, one(FilterOperator.NE, "tag", "none")])
def test_questions_while_nodes_come_and_go(filters) -> None:
    seams = SeamIndex.attach(build())
    retriever = seams.as_retriever(similarity_top_k=5, filters=filters)
    page = Document(id_="new", text="A new page on stale reads. " * 100)
    errors: list[Exception] = []
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            try:
                assert len(retriever.retrieve("stale reads")) == 5
            except Exception as error:
                errors.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    threads = [threading.Thread(target=ask) for _ in range(2)]
    try:
        for thread in threads:
            thread.start()
        for _ in range(25):
            seams.index.insert(page)
            seams.sync()
            seams.index.delete_ref_doc("new", delete_from_docstore=True)
    finally:
        done.set()
        for thread in threads:
            thread.join()
        sys.setswitchinterval(interval)
    assert errors == []


# Events


def test_callbacks_and_events_are_llamaindexs_own(seams) -> None:
    heard: list[RetrievalEndEvent] = []

    class Ear(BaseEventHandler):
        @classmethod
        def class_name(cls) -> str:
            return "Ear"

        def handle(self, event: Any, **kwargs: Any) -> None:
            if isinstance(event, RetrievalEndEvent):
                heard.append(event)

    ear, debug = Ear(), LlamaDebugHandler(print_trace_on_end=False)
    dispatcher = get_dispatcher()
    dispatcher.add_event_handler(ear)
    try:
        retriever = seams.as_retriever(callback_manager=CallbackManager([debug]))
        found = retriever.retrieve("stale reads")
    finally:
        dispatcher.event_handlers.remove(ear)
    assert [ids(event.nodes) for event in heard] == [ids(found)]
    assert len(debug.get_event_pairs(CBEventType.RETRIEVE)) == 1


# The same index from the other framework (R13)


class AsEmbeddings(Embeddings):
    def __init__(self, model: CountingEmbedding) -> None:
        self.model = model

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self.model.get_text_embedding_batch(texts)

    def embed_query(self, text: str) -> list[float]:
        return self.model.get_query_embedding(text)


def test_r13_both_adapters_give_the_same_chunks_in_the_same_order(tmp_path) -> None:
    seams = SeamIndex.attach(build(long_documents(6, 300), tmp_path))
    client = chroma_store(tmp_path).client
    names = [client.name, seams.seam_store.client.name]
    embeddings = AsEmbeddings(CountingEmbedding())
    chunk_store, seam_store = (
        Chroma(name, embeddings, persist_directory=str(tmp_path)) for name in names
    )
    index = seams_langchain.SeamIndex(chunk_store, seam_store, embeddings=embeddings)
    assert index.status() == seams.status()
    for margin in (None, 0):
        ours = seams.as_retriever(similarity_top_k=10, margin=margin)
        theirs = seams_langchain.SeamsRetriever(index=index, k=10, margin=margin)
        brought = 0
        for number in range(200):
            question = f"stale reads w{number} d{number % 6}"
            found = theirs.invoke(question)
            assert [d.id for d in found] == ids(ours.retrieve(question))
            brought += any("seams_seam_id" in d.metadata for d in found)
        assert brought
