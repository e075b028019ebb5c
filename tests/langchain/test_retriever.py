"""SeamIndex and SeamsRetriever over real stores."""

from __future__ import annotations

import asyncio
import math
import os
import pickle
import signal
import subprocess
import sys
from collections import Counter

import pytest
from langchain_chroma import Chroma
from langchain_classic.retrievers import EnsembleRetriever
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore
from langchain_milvus import Milvus
from langchain_text_splitters import RecursiveCharacterTextSplitter

from seams_core import AnchoredFireTest, Row, Store
from seams_core.errors import MissingKeyError, StoreError
from seams_core.words import terms_of
from seams_langchain import (
    SeamIndex,
    SeamsRetriever,
    SeamsTextSplitter,
    register_store,
    resolve_store,
)
from tests.langchain.models import KINDS, CountingEmbeddings, empty_store, long_documents

QUESTIONS = [f"stale reads w{n} d{n % 3}" for n in range(0, 150, 3)]


def fill(store, documents=None) -> list[Document]:
    chunks = SeamsTextSplitter(chunk_size=128).split_documents(documents or long_documents())
    store.add_documents(chunks, ids=[chunk.id for chunk in chunks])
    return chunks


@pytest.fixture(params=KINDS)
def store(request, tmp_path):
    return empty_store(request.param, tmp_path)


@pytest.fixture
def retriever(store) -> SeamsRetriever:
    fill(store)
    return SeamsRetriever.attach(store, k=6, margin=0)


def test_attach_embeds_the_seams_and_nothing_else(store) -> None:
    chunks = fill(store)
    before = store.embeddings.documents
    seam_index = SeamIndex(store)
    report = seam_index.sync()
    assert report.added == store.embeddings.documents - before == len(chunks) - 3
    assert seam_index.sync().added == 0
    assert store.embeddings.documents - before == report.added
    assert seam_index.status() == (len(chunks), report.added, 0)


def test_chunks_come_back_with_text_id_and_metadata(store, retriever) -> None:
    wanted = {c.id: c for c in SeamsTextSplitter(chunk_size=128).split_documents(long_documents())}
    for question in QUESTIONS:
        found = retriever.invoke(question)
        assert len(found) == len({d.id for d in found}) == 6
        for rank, document in enumerate(found, 1):
            own = {k: v for k, v in document.metadata.items() if not k.startswith("seams_")}
            assert document.page_content == wanted[document.id].page_content
            assert own == wanted[document.id].metadata
            assert document.metadata["seams_rank"] == rank
    brought = [d for q in QUESTIONS for d in retriever.invoke(q) if "seams_seam_id" in d.metadata]
    assert brought
    for document in brought:
        assert document.metadata["seams_partner_id"] in wanted


def test_what_comes_back_is_a_copy(store, retriever) -> None:
    first = retriever.invoke("stale reads")[0]
    first.metadata["tag"] = "changed"
    assert retriever.invoke("stale reads")[0].metadata["tag"] != "changed"


def test_annotations_can_be_turned_off(store) -> None:
    fill(store)
    plain = SeamsRetriever.attach(store, annotate=False)
    assert not any(k.startswith("seams_") for d in plain.invoke("stale") for k in d.metadata)


def test_k_filter_and_margin_can_be_given_to_invoke(store, retriever) -> None:
    assert len(retriever.invoke("stale reads", k=2)) == 2
    assert len(retriever.invoke("stale reads", k=1000)) == retriever.index.status().chunks
    endless = retriever.invoke("stale reads", margin=float("inf"))
    assert not any("seams_seam_id" in d.metadata for d in endless)


async def test_async_forms_take_the_same_arguments(store, retriever) -> None:
    assert len(await retriever.ainvoke("stale reads", k=2)) == 2
    one = await retriever.ainvoke("stale reads w9")
    assert one == retriever.invoke("stale reads w9")
    assert [d.id for d in (await retriever.abatch(["stale", "lag"]))[1]] == [
        d.id for d in retriever.batch(["stale", "lag"])[1]
    ]
    assert str(await retriever.aexplain("stale")) == str(retriever.explain("stale"))
    assert (await retriever.index.async_sync()).added == 0


async def test_fifty_at_once_are_as_fifty_in_turn(store, retriever) -> None:
    in_turn = [retriever.invoke(q) for q in QUESTIONS]
    at_once = await asyncio.gather(*(retriever.ainvoke(q) for q in QUESTIONS))
    assert len(QUESTIONS) == 50
    assert at_once == in_turn


def test_a_query_is_embedded_once(store, retriever) -> None:
    retriever.invoke("warm up")
    before = store.embeddings.queries
    retriever.invoke("stale reads")
    assert store.embeddings.queries == before + 1


def test_document_order_is_reading_order_with_pairs_side_by_side(store, retriever) -> None:
    by_rank = retriever.invoke("stale reads w9")
    ordered = retriever.model_copy(update={"order": "document"}).invoke("stale reads w9")
    assert {d.id for d in ordered} == {d.id for d in by_rank}
    documents = [d.metadata["document_id"] for d in ordered]
    assert documents == sorted(documents, key=documents.index)
    for a, b in zip(ordered, ordered[1:], strict=False):
        if a.metadata["document_id"] == b.metadata["document_id"]:
            assert a.metadata["start_index"] < b.metadata["start_index"]


def test_r8_with_an_endless_margin_it_is_plain_hybrid_of_langchains_own_parts(tmp_path) -> None:
    store = empty_store("chroma", tmp_path)
    chunks = fill(store, long_documents(6, 200))
    retriever = SeamsRetriever.attach(store, k=10, margin=float("inf"), fusion="rrf")
    by_id = {c.id: c for c in chunks}
    terms = terms_of("english")
    bags = {c.id: Counter(terms(c.page_content)) for c in chunks}
    mean = sum(bag.total() for bag in bags.values()) / len(bags)

    def bm25(query: str, bag: Counter[str]) -> float:
        """The formula as written in the books (Lucene's form), over the same terms."""
        score = 0.0
        for term in terms(query):
            n = sum(term in other for other in bags.values())
            length = 1 - 0.75 + 0.75 * bag.total() / mean
            idf = math.log(1 + (len(bags) - n + 0.5) / (n + 0.5))
            score += idf * bag[term] / (bag[term] + 1.5 * length)
        return score

    class Bm25(BaseRetriever):
        def _get_relevant_documents(self, query, *, run_manager):
            scores = {id: round(bm25(query, bag), 5) for id, bag in bags.items()}
            best = sorted((id for id in scores if scores[id]), key=lambda id: (-scores[id], id))
            return [by_id[id] for id in best[:150]]

    dense, words = store.as_retriever(search_kwargs={"k": 150}), Bm25()
    ensemble = EnsembleRetriever(retrievers=[dense, words], weights=[1.0, 1.0], c=60)
    for number in range(200):
        question = f"stale reads w{number} d{number % 6}"
        lists = [r.invoke(question) for r in (dense, words)]
        ranks = [{d.id: rank for rank, d in enumerate(ranked, 1)} for ranked in lists]
        plain = [d.id for d in ensemble.weighted_reciprocal_rank(lists)]
        scores = {
            id: math.fsum(1 / (60 + places[id]) for places in ranks if id in places) for id in plain
        }
        # LangChain leaves ties in the order of its lists; ours go to the lower id.
        assert [scores[id] for id in plain] == sorted(scores.values(), reverse=True)
        plain.sort(key=lambda id: (-scores[id], id))
        assert [d.id for d in retriever.invoke(question)] == plain[:10]


FILTERS = [
    ({"group": {"$eq": 1}}, lambda m: m["group"] == 1),
    ({"group": 1}, lambda m: m["group"] == 1),
    ({"tag": {"$in": ["a", "c"]}}, lambda m: m["tag"] in "ac"),
    ({"tag": {"$ne": "a"}}, lambda m: m["tag"] != "a"),
    ({"tag": {"$nin": ["a", "b"]}}, lambda m: m["tag"] not in "ab"),
    ({"half": {"$gt": 0}}, lambda m: m["half"] > 0),
    ({"half": {"$ne": 0}}, lambda m: m["half"] != 0),
    ({"$and": [{"tag": "a"}, {"half": 1}]}, lambda m: m["tag"] == "a" and m["half"] == 1),
    ({"$or": [{"tag": "b"}, {"half": 0}]}, lambda m: m["tag"] == "b" or m["half"] == 0),
]


@pytest.mark.parametrize("shared", [False, True], ids=["two collections", "one collection"])
def test_r12_chromas_filters_hold_for_what_a_seam_brings(tmp_path, shared) -> None:
    store = empty_store("chroma", tmp_path)
    chunks = SeamsTextSplitter(chunk_size=128).split_documents(long_documents(4))
    for number, chunk in enumerate(chunks):
        chunk.metadata["half"] = number % 2  # every seam joins an allowed and a forbidden chunk
    store.add_documents(chunks, ids=[c.id for c in chunks])
    retriever = SeamsRetriever.attach(store, store if shared else None, k=8, margin=0)
    # Pairs that come without a filter, so that it is the filter that holds them back below.
    pairs = {
        (d.id, d.metadata["seams_partner_id"])
        for question in QUESTIONS[:12]
        for d in retriever.invoke(question)
        if "seams_seam_id" in d.metadata
    }
    for filter, passes in FILTERS:
        allowed = {c.id for c in chunks if passes(c.metadata)}
        if "half" in str(filter):
            assert any(one in allowed and other not in allowed for one, other in pairs)
        for question in QUESTIONS[:12]:
            found = retriever.invoke(question, filter=filter)
            assert {d.id for d in found} <= allowed
            assert len(found) == min(8, len(allowed))


def test_one_collection_for_both_never_returns_a_seam(store) -> None:
    chunks = fill(store)
    if isinstance(store, Milvus):
        with pytest.raises(StoreError, match="can not share a Milvus collection"):
            SeamIndex(store, store)
        return
    retriever = SeamsRetriever.attach(store, store, k=len(chunks) + 5)
    for question in QUESTIONS[:10]:
        assert {d.id for d in retriever.invoke(question)} == {c.id for c in chunks}
    assert retriever.index.status() == (len(chunks), len(chunks) - 3, 0)
    assert retriever.index.sync().kept == len(chunks) - 3


class Reversing(BaseDocumentCompressor):
    """Makes new documents without an id, as many rerankers do, and keeps three."""

    def compress_documents(self, documents, query, callbacks=None):
        return [
            Document(page_content=d.page_content, metadata=d.metadata)
            for d in list(documents)[::-1][:3]
        ]


async def test_a_reranker_orders_ordinary_chunks_and_pairs_stay(store, retriever) -> None:
    plain = retriever.invoke("stale reads w9 d1")
    reranked = retriever.model_copy(update={"reranker": Reversing()})
    found = reranked.invoke("stale reads w9 d1")
    assert len(found) == len(plain)
    for before, after in zip(plain, found, strict=True):
        if "seams_seam_id" in before.metadata:
            assert before == after
    assert await reranked.ainvoke("stale reads w9 d1") == found
    assert not any("seams_candidate" in d.metadata for d in found)


class Fixed(BaseRetriever):
    documents: list[Document]

    def _get_relevant_documents(self, query, *, run_manager):
        return self.documents


async def test_further_retrievers_are_fused_in_or_take_the_place_of_search(store) -> None:
    chunks = fill(store)
    wanted = [chunks[7], chunks[2]]
    extra = Fixed(documents=wanted)
    retriever = SeamsRetriever.attach(
        store,
        k=2,
        margin=0,
        dense=False,
        index_settings={"keywords": False},
        chunk_retrievers=[extra],
    )
    assert [d.id for d in retriever.invoke("anything")] == [d.id for d in wanted]
    assert [d.id for d in await retriever.ainvoke("anything")] == [d.id for d in wanted]
    before = store.embeddings.queries
    retriever.invoke("anything")
    assert store.embeddings.queries == before
    seams = [
        Document(id=row.id, page_content=row.text, metadata=row.metadata)
        for page in retriever.index.core.seam_store.pages(10)
        for row in page
    ]
    both = retriever.model_copy(update={"seam_retrievers": [Fixed(documents=seams[:1])]})
    link = {seams[0].metadata["left_chunk_id"], seams[0].metadata["right_chunk_id"]}
    assert link <= {d.id for d in both.invoke("anything", k=4)}
    nameless = Fixed(documents=[Document(page_content="x")])
    with pytest.raises(StoreError, match="a document without an id"):
        retriever.model_copy(update={"chunk_retrievers": [nameless]}).invoke("x")


def test_deleting_and_changing_through_the_indexing_api(tmp_path) -> None:
    store = empty_store("chroma", tmp_path)
    records = InMemoryRecordManager("docs")
    records.create_schema()
    splitter = SeamsTextSplitter(chunk_size=128)

    def put(documents, cleanup):
        index(
            splitter.split_documents(documents),
            records,
            store,
            cleanup=cleanup,
            source_id_key="source",
            key_encoder="sha256",
        )

    documents = long_documents()
    put(documents, "incremental")
    retriever = SeamsRetriever.attach(store, k=50, margin=0)
    assert retriever.index.status().stale == 0
    changed = [documents[0].model_copy(update={"page_content": "new " + documents[0].page_content})]
    for batch, cleanup in ((changed, "incremental"), (documents[1:], "full")):
        put(batch, cleanup)
        there = set(store.get()["ids"])
        assert retriever.index.status().stale > 0
        trace = retriever.explain("stale reads w9")
        found = retriever.invoke("stale reads w9")
        assert {d.id for d in found} <= there
        links = {
            row.id: {row.metadata["left_chunk_id"], row.metadata["right_chunk_id"]}
            for page in retriever.index.core.seam_store.pages(100)
            for row in page
        }
        stale = {id for id, link in links.items() if not link <= there}
        named = {s["seam_id"] for s in trace.to_dict()["seams"] if s["verdict"] == "stale"}
        assert named
        assert named == stale & {entry.id for entry in trace.fused}
        assert stale.isdisjoint(d.metadata.get("seams_seam_id") for d in found)
        retriever.index.sync()
        assert retriever.index.status().stale == 0
        assert retriever.index.status().seams > 0
        assert {d.id for d in retriever.invoke("stale reads")} == there


def test_attach_to_a_collection_made_by_plain_langchain_code(tmp_path) -> None:
    store = empty_store("chroma", tmp_path)
    splitter = RecursiveCharacterTextSplitter(chunk_size=300, chunk_overlap=0, add_start_index=True)
    chunks = splitter.split_documents(long_documents(26, 640))[:2000]
    assert len(chunks) == 2000
    store.add_documents(chunks)
    before, sources = store.embeddings.documents, {c.metadata["source"] for c in chunks}
    retriever = SeamsRetriever.attach(store)
    assert store.embeddings.documents - before == 2000 - len(sources)
    assert len(retriever.invoke("stale reads")) == 10


KILLED = """
import sys, time
from tests.langchain.models import empty_store, CountingEmbeddings
from seams_langchain import SeamIndex
store = empty_store("chroma", sys.argv[1])
inner = store.embeddings.embed_documents
batches = 0
def slow(texts):
    global batches
    batches += 1
    if batches == 4:  # three batches are written
        print("middle", flush=True)
        time.sleep(float(sys.argv[2]))
    return inner(texts)
store.embeddings.embed_documents = slow
index = SeamIndex(store, batch_size=8)
index.sync()
print("done", flush=True)
"""


def test_killed_in_the_middle_and_run_again_the_end_state_is_the_same(tmp_path) -> None:
    for name in ("whole", "killed"):
        fill(empty_store("chroma", tmp_path / name), long_documents(6, 300))
    whole = SeamIndex(empty_store("chroma", tmp_path / "whole"))
    whole.sync()
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in ("", *sys.path) if p)}
    command = [sys.executable, "-c", KILLED, str(tmp_path / "killed")]
    process = subprocess.Popen([*command, "60"], stdout=subprocess.PIPE, text=True, env=env)
    assert process.stdout.readline() == "middle\n"
    process.send_signal(signal.SIGKILL)
    assert process.stdout.read() == ""
    assert process.wait() == -signal.SIGKILL

    def rows() -> dict[str, Row]:
        index = SeamIndex(empty_store("chroma", tmp_path / "killed"))
        return {row.id: row for page in index.core.seam_store.pages(100) for row in page}

    wanted = {row.id: row for page in whole.core.seam_store.pages(100) for row in page}
    assert len(rows()) == 3 * 8 < len(wanted)
    subprocess.run([*command, "0"], check=True, env=env, capture_output=True)
    assert rows() == wanted
    assert SeamIndex(empty_store("chroma", tmp_path / "killed")).sync().added == 0


def test_same_text_in_two_documents_is_kept_twice(store) -> None:
    documents = [
        Document(id=f"{n}", page_content="the same text", metadata={"source": "one"})
        for n in range(2)
    ]
    fill(store, documents)
    found = SeamsRetriever.attach(store, k=5).invoke("same text")
    assert len(found) == 2
    assert {d.metadata["document_id"] for d in found} == {"0", "1"}


def test_it_survives_pickling_where_its_parts_do() -> None:
    store = empty_store("memory")
    fill(store)
    retriever = SeamsRetriever.attach(store, k=4)
    other = pickle.loads(pickle.dumps(retriever))
    assert other.invoke("stale reads w9") == retriever.invoke("stale reads w9")


def test_a_store_of_your_own_can_be_handed_in_or_registered() -> None:
    class Mine(VectorStore):
        def __init__(self):
            self.inner = empty_store("memory")

        @property
        def embeddings(self):
            return self.inner.embeddings

        def similarity_search(self, query, k=4, **kwargs):
            return self.inner.similarity_search(query, k, **kwargs)

        @classmethod
        def from_texts(cls, texts, embedding, metadatas=None, **kwargs):
            return cls()

    mine = Mine()
    fill(mine.inner)
    with pytest.raises(StoreError, match=r"no adapter is known for Mine.*register_store"):
        SeamIndex(mine, empty_store("memory"))
    native = resolve_store(mine.inner)
    assert isinstance(native, Store)
    index = SeamIndex(native, empty_store("memory"), embeddings=CountingEmbeddings())
    assert index.sync().added > 0
    with pytest.raises(StoreError, match="pass embeddings="):
        SeamIndex(native, empty_store("memory"))
    register_store("Mine", lambda vs, part: resolve_store(vs.inner, part))
    with pytest.raises(StoreError, match="pass it as seam_store="):
        SeamIndex(mine)
    assert SeamIndex(mine, empty_store("memory")).sync().added > 0
    with pytest.raises(StoreError, match="pass a second store"):
        resolve_store(AsIs(), "seams")


class AsIs:
    name, batch_size = "x", 1

    def pages(self, size): ...
    def get(self, ids, filter=None): ...
    def search(self, vector, k, filter=None): ...
    def put(self, rows, vectors): ...
    def drop(self, ids): ...


def test_chunks_can_be_handed_in_and_must_have_ids() -> None:
    store = empty_store("memory")
    chunks = fill(store)
    index = SeamIndex(store)
    assert index.sync(chunks).added == len(chunks) - 3
    with pytest.raises(StoreError, match="has no id"):
        index.sync([Document(page_content="x")])


def test_what_the_metadata_lacks_is_said() -> None:
    store = InMemoryVectorStore.from_texts(["a", "b"], CountingEmbeddings())
    with pytest.raises(MissingKeyError, match=r"document_key="):
        SeamsRetriever.attach(store)
    named = SeamIndex(store, document_key=lambda row: "d", position_key=lambda row: ord(row.text))
    assert named.sync().added == 1


def test_two_objects_over_one_collection_are_refused(tmp_path) -> None:
    store = empty_store("chroma", tmp_path)
    fill(store)
    twin = Chroma(client=store._client, collection_name="docs", embedding_function=store.embeddings)
    with pytest.raises(StoreError, match="two objects over one collection"):
        SeamIndex(store, twin)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"k": 0}, "k"),
        ({"depth": 0}, "depth"),
        ({"margin": -1}, "margin=-1"),
        ({"margin": 1, "fire_test": AnchoredFireTest()}, "both given"),
        ({"fire_test": "margin"}, "no fire test"),
        ({"order": "random"}, "order"),
        ({"rerank_top_n": 0}, "rerank_top_n"),
        ({"dense": False, "keywords": False}, "nothing to search"),
        ({"weights": [1.0]}, "weights"),
        ({"top_k": 3}, "top_k"),
    ],
)
def test_wrong_or_misspelt_settings_are_refused(settings, message) -> None:
    store = empty_store("memory")
    fill(store)
    with pytest.raises(ValueError, match=message):
        SeamsRetriever.attach(store, **settings)
    assert store.embeddings.queries == 0


async def test_wrong_arguments_of_invoke_are_named(store, retriever) -> None:
    with pytest.raises(ValueError, match="k=0 is not allowed"):
        retriever.invoke("stale", k=0)
    with pytest.raises(ValueError, match="k=0 is not allowed"):
        await retriever.ainvoke("stale", k=0)
    with pytest.raises(TypeError, match="top_k"):
        retriever.invoke("stale", top_k=3)


def test_keyword_search_can_be_switched_off(store, retriever) -> None:
    """Then the order is that of the vectors alone, and no keyword index is made."""
    retriever.index.core.forget()
    plain = retriever.model_copy(
        update={"keywords": False, "margin": float("inf"), "fusion": "rrf"}
    )
    found = [d.id for d in plain.invoke("stale reads w9 d1")]
    vector = store.embeddings.embed_query("stale reads w9 d1")
    hits = retriever.index.core.chunk_store.search(vector, retriever.depth)
    assert found == [hit.id for hit in hits[:6]]
    assert retriever.index.core._keywords is None


def test_ids_that_a_store_writes_otherwise_are_the_same_ids() -> None:
    """Qdrant gives hex ids when adding and dashed ones when reading."""
    store = empty_store("qdrant")
    chunks = SeamsTextSplitter(chunk_size=128).split_documents(long_documents())
    for chunk in chunks:
        chunk.id = chunk.id.replace("-", "").upper()
    store.add_documents(chunks)
    index = SeamIndex(store)
    assert index.sync(chunks).added == len(chunks) - 3
    assert index.status().stale == 0
    assert index.sync().added == 0
    only = SeamsRetriever(
        index=index, k=2, dense=False, keywords=False, chunk_retrievers=[Fixed(documents=chunks)]
    )
    assert [d.page_content for d in only.invoke("x")] == [c.page_content for c in chunks[:2]]


def test_the_stores_own_retriever_can_be_fused_in(store) -> None:
    """Also where it gives no ``Document.id``, as Qdrant's and Milvus's do not."""
    fill(store)
    own = store.as_retriever(search_kwargs={"k": 20})
    retriever = SeamsRetriever.attach(
        store, k=5, margin=float("inf"), dense=False, keywords=False, chunk_retrievers=[own]
    )
    found = retriever.invoke("stale reads w9 d1")
    assert [d.page_content for d in found] == [
        d.page_content for d in own.invoke("stale reads w9 d1")[:5]
    ]


def test_wrong_settings_of_the_index_are_refused() -> None:
    store = empty_store("memory")
    for wrong in ({"half_width": 0}, {"snap": "x"}, {"language": "klingon"}, {"batch_size": 0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            SeamIndex(store, **wrong)
