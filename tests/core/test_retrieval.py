"""The whole query: R4, R8 and R12 over a store, plainly and with awaits."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seams_core import (
    AnchoredFireTest,
    DenseSource,
    KeywordSource,
    MarginFireTest,
    Retrieval,
    Row,
    SeamedIndex,
    convex_combination,
    reciprocal_rank_fusion,
    split_text,
)
from seams_core.types import Entry
from tests.stores import HashEmbedding, MemoryStore

TOPICS = ["orders outage stale reads", "billing records strongly consistent", "replicas lag writes"]


def made(documents: int = 4) -> tuple[SeamedIndex, HashEmbedding]:
    embed = HashEmbedding()
    chunk_store, seam_store = MemoryStore("chunks"), MemoryStore("seams")
    for number in range(documents):
        words = " ".join(f"{TOPICS[(number + n) % 3]} w{n} d{number}." for n in range(120))
        rows = [
            Row(c.id, c.text, {"document_id": c.document_id, "start_index": c.start, "n": n % 3})
            for n, c in enumerate(split_text(words, document_id=f"d{number}", chunk_size=128))
        ]
        chunk_store.put(rows, embed([row.text for row in rows]))
    index = SeamedIndex(chunk_store, seam_store, embed)
    index.sync()
    return index, embed


@pytest.fixture(scope="module")
def index() -> SeamedIndex:
    return made()[0]


def retrieval(index: SeamedIndex, **settings) -> Retrieval:
    return Retrieval(index.chunk_store, index.sources(), HashEmbedding().query, **settings)


kinds = st.sets(st.sampled_from([0, 1, 2]))
queries = st.lists(
    st.sampled_from(" ".join(TOPICS).split() + [f"w{n}" for n in range(0, 120, 9)]), max_size=5
).map(" ".join)


@given(query=queries, k=st.integers(1, 40), margin=st.integers(0, 5))
@settings(max_examples=40)
def test_no_seam_text_no_chunk_twice_and_just_min_k_available(index, query, k, margin) -> None:
    available = index.chunk_store.rows
    result = retrieval(index).run(query, budget=k, fire_test=MarginFireTest(margin))
    ids = [row.id for row in result.rows]
    assert ids == result.selection.chunk_ids
    assert len(ids) == len(set(ids)) == min(k, len(available))
    for row in result.rows:
        assert row == available[row.id][0]


@given(query=queries, k=st.integers(1, 20), fusion=st.sampled_from(["convex", "rrf"]))
@settings(max_examples=30)
def test_an_endless_margin_gives_plain_retrieval(index, query, k, fusion) -> None:
    vector = HashEmbedding().query(query)
    lists = [
        [(Entry("chunk", hit.id), hit.score) for hit in source.find(query, vector, 150, None)]
        for source in index.sources()
        if source.kind == "chunk"
    ]
    plain = (
        convex_combination(lists)
        if fusion == "convex"
        else reciprocal_rank_fusion([[entry for entry, _ in ranking] for ranking in lists])
    )
    result = retrieval(index, fusion=fusion).run(
        query, budget=k, fire_test=MarginFireTest(float("inf"))
    )
    assert result.selection.chunk_ids == [entry.id for entry in plain][:k]


@given(
    query=queries,
    k=st.integers(1, 12),
    margin=st.integers(0, 3),
    kept=st.sets(st.sampled_from([0, 1, 2])),
)
@settings(max_examples=40)
def test_r12_a_filter_holds_on_every_path(index, query, k, margin, kept) -> None:
    def allowed(metadata) -> bool:
        return metadata["n"] in kept

    passing = [r for r, _ in index.chunk_store.rows.values() if allowed(r.metadata)]
    for test in (MarginFireTest(margin), AnchoredFireTest()):
        result = retrieval(index).run(query, budget=k, fire_test=test, filter=allowed)
        assert all(allowed(row.metadata) for row in result.rows)
        assert len(result.rows) == min(k, len(passing))
        for seam in result.selection.brought_by.values():
            link = result.selection.trace.links[seam]
            assert all(allowed(index.chunk_store.rows[id][0].metadata) for id in link)


def test_r12_a_filtered_query_is_that_of_an_index_of_the_allowed_chunks_alone() -> None:
    index, _ = made(4)
    small, _ = made(2)
    for query in ("stale reads", "billing consistent w9", "lag"):
        one = retrieval(index).run(
            query,
            budget=6,
            filter=lambda m: m["document_id"] in ("d0", "d1"),
            fire_test=MarginFireTest(0),
        )
        dense = Retrieval(small.chunk_store, small.sources()[:2], HashEmbedding().query).run(
            query, budget=6, fire_test=MarginFireTest(0)
        )
        only_dense = Retrieval(index.chunk_store, index.sources()[:2], HashEmbedding().query).run(
            query,
            budget=6,
            filter=lambda m: m["document_id"] in ("d0", "d1"),
            fire_test=MarginFireTest(0),
        )
        assert only_dense.selection.chunk_ids == dense.selection.chunk_ids
        assert len(one.rows) == 6


def test_a_budget_above_the_depth_is_still_filled(index) -> None:
    available = len(index.chunk_store.rows)
    assert available > 10
    result = retrieval(index, depth=2).run("stale", budget=available)
    assert len(result.rows) == available


def test_a_query_is_embedded_once_and_not_at_all_for_keywords(index) -> None:
    embed = HashEmbedding()
    Retrieval(index.chunk_store, index.sources(), embed.query).run("stale", budget=3)
    assert embed.texts == ["stale"]
    words = [source for source in index.sources() if isinstance(source, KeywordSource)]
    Retrieval(index.chunk_store, words, embed.query).run("stale", budget=3)
    assert embed.texts == ["stale"]


def test_a_deleted_chunk_makes_its_seams_stale_until_the_next_sync() -> None:
    index, _ = made(1)
    index.sources()  # keyword indexes of before the deletion
    retrieve = retrieval(index)
    gone = list(index.chunk_store.rows)[2]
    index.chunk_store.drop([gone])
    result = retrieve.run("stale reads billing", budget=30, fire_test=MarginFireTest(0))
    assert gone not in result.selection.chunk_ids
    assert len(result.rows) == len(index.chunk_store.rows)
    assert result.selection.trace.counts["stale"] == 2
    assert "stale" in str(result.selection.trace)
    index.sync()
    result = retrieval(index).run("stale reads billing", budget=30)
    assert result.selection.trace.counts["stale"] == 0


def test_a_seam_row_without_links_is_stale(index) -> None:
    store = MemoryStore("seams")
    embed = HashEmbedding()
    store.put([Row("odd", "stale reads", {})], embed(["stale reads"]))
    sources = [DenseSource(index.chunk_store, "chunk"), DenseSource(store, "seam")]
    result = Retrieval(index.chunk_store, sources, embed.query).run("stale reads", budget=3)
    assert result.selection.trace.verdict("odd") == "stale"


def test_a_reranker_sees_rows_of_ordinary_chunks_alone(index) -> None:
    seen: list[Row] = []

    def rerank(query, rows):
        assert query == "stale reads"
        seen.extend(rows)
        return [row.id for row in rows][::-1]

    result = retrieval(index, rerank_top_n=5).run(
        "stale reads", budget=8, fire_test=MarginFireTest(0), rerank=rerank
    )
    assert len(seen) == 5
    assert not {row.id for row in seen} & set(result.selection.brought_by)
    assert all(row == index.chunk_store.rows[row.id][0] for row in seen)
    assert result.selection.trace.reranked


def test_no_chunks_means_no_call_of_the_reranker() -> None:
    empty = Retrieval(MemoryStore(), [DenseSource(MemoryStore(), "chunk")], HashEmbedding().query)

    def rerank(query, rows):
        raise AssertionError("called")

    assert empty.run("x", budget=3, rerank=rerank).rows == []


class AsyncStore(MemoryStore):
    """A store with its own asynchronous forms, which must be used."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.at_once = self.most = 0

    async def asearch(self, vector, k, filter=None):
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        await asyncio.sleep(0.01)
        self.at_once -= 1
        return self.search(vector, k, filter)

    async def aget(self, ids, filter=None):
        await asyncio.sleep(0)
        return self.get(ids, filter)


@pytest.mark.parametrize("native", [False, True])
async def test_async_gives_the_same_and_does_not_block_the_loop(index, native) -> None:
    retrieve = retrieval(index)
    if native:
        store = AsyncStore("chunks")
        store.rows = index.chunk_store.rows
        sources = [DenseSource(store, "chunk"), *index.sources()[1:]]
        retrieve = Retrieval(store, sources, HashEmbedding().query)
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    counter = asyncio.create_task(count())
    questions = [f"stale reads w{n}" for n in range(0, 100, 2)]

    async def aembed(text):
        return HashEmbedding().query(text)

    retrieve.aembed = aembed
    answers = await asyncio.gather(
        *(retrieve.arun(q, budget=5, filter=lambda m: m["n"] < 2) for q in questions)
    )
    counter.cancel()
    if not native:  # this native store computes on the loop itself
        assert turns > 10
    plain = [retrieve.run(q, budget=5, filter=lambda m: m["n"] < 2) for q in questions]
    assert [a.selection.chunk_ids for a in answers] == [p.selection.chunk_ids for p in plain]
    if native:
        assert store.most > 5

    async def arerank(query, rows):
        await asyncio.sleep(0)
        return [row.id for row in rows][::-1]

    one = await retrieve.arun("stale", budget=5, arerank=arerank)
    two = await retrieve.arun("stale", budget=5, rerank=lambda q, rows: [r.id for r in rows][::-1])
    assert one.selection.chunk_ids == two.selection.chunk_ids


@pytest.mark.parametrize(
    "wrong", [{"depth": 0}, {"rerank_top_n": 0}, {"rrf_k": -1}, {"weights": [1]}, {"fusion": "sum"}]
)
def test_wrong_settings_are_refused(index, wrong) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        retrieval(index, **wrong)
    with pytest.raises(ValueError, match="budget=0"):
        retrieval(index).run("x", budget=0)


def test_the_index_pickles_and_answers_the_same(index) -> None:
    import pickle

    other = pickle.loads(pickle.dumps(index))
    for query in ("stale", "billing w9"):
        one, two = (retrieval(i).run(query, budget=4).selection.chunk_ids for i in (index, other))
        assert one == two


def test_without_keywords_there_are_two_lists(index) -> None:
    dense = SeamedIndex(index.chunk_store, index.seam_store, HashEmbedding(), keywords=False)
    assert [source.kind for source in dense.sources()] == ["chunk", "seam"]
    assert [source.kind for source in index.sources()] == ["chunk", "seam", "chunk", "seam"]


class FindsIds(MemoryStore):
    """A store that can find without reading."""

    def search_ids(self, vector, k, filter=None):
        return [hit._replace(text="", metadata={}) for hit in self.search(vector, k, filter)]


@given(query=queries, k=st.integers(1, 12), kept=kinds)
@settings(max_examples=30)
def test_finding_ids_first_gives_the_same(index, query, k, kept) -> None:
    chunk_store, seam_store = FindsIds("chunks"), FindsIds("seams")
    chunk_store.rows, seam_store.rows = index.chunk_store.rows, index.seam_store.rows
    other = SeamedIndex(chunk_store, seam_store, HashEmbedding())
    for filter in (None, lambda m: m["n"] in kept):
        for test in (MarginFireTest(0), AnchoredFireTest()):
            one = retrieval(index).run(query, budget=k, fire_test=test, filter=filter)
            two = retrieval(other).run(query, budget=k, fire_test=test, filter=filter)
            assert one.rows == two.rows
            assert one.selection.brought_by == two.selection.brought_by


def test_seams_that_another_process_adds_later_have_their_links() -> None:
    full, _ = made(1)
    chunk_store, seam_store = FindsIds("chunks"), FindsIds("seams")
    chunk_store.rows = full.chunk_store.rows
    index = SeamedIndex(chunk_store, seam_store, HashEmbedding())
    retrieve = retrieval(index)  # its links were read before there was a seam
    seam_store.rows = full.seam_store.rows
    trace = retrieve.run("stale reads billing", budget=5).selection.trace
    assert trace.counts["stale"] == 0
    assert sum(trace.counts.values()) == len(full.seam_store.rows)
