"""Asynchronous queries are real: searches run at once, nothing blocks the loop."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from seams_core import Row
from seams_langchain import SeamIndex, SeamsMultiVectorRetriever, SeamsRetriever, SeamsTextSplitter
from tests.langchain.models import CountingEmbeddings, empty_store, long_documents
from tests.langchain.test_multi_vector import multi_vector
from tests.stores import MemoryStore

QUESTIONS = [f"stale reads w{n} d{n % 3}" for n in range(50)]


class Meeting(MemoryStore):
    """Its search goes on only when another search is under way at the same time."""

    meeting: threading.Barrier | None = None

    def search(self, vector, k, filter=None):
        if self.meeting is not None:
            self.meeting.wait(timeout=20)
        return super().search(vector, k, filter)


class Native(MemoryStore):
    """A store with an asynchronous search of its own, whose plain search is not to be used."""

    synced = False
    used = 0

    def search(self, vector, k, filter=None):
        assert not self.synced, "the plain search was used"
        return super().search(vector, k, filter)

    async def asearch(self, vector, k, filter=None):
        await asyncio.sleep(0)
        self.used += 1
        return super().search(vector, k, filter)


class Slow(CountingEmbeddings):
    def embed_query(self, text):
        time.sleep(0.5)
        return super().embed_query(text)


def attached(kind, embeddings=None, **settings) -> SeamsRetriever:
    documents = SeamsTextSplitter(chunk_size=128).split_documents(long_documents())
    embeddings = embeddings or CountingEmbeddings()
    chunks, seams = kind("chunks"), kind("seams")
    chunks.put(
        [Row(d.id, d.page_content, d.metadata) for d in documents],
        embeddings.embed_documents([d.page_content for d in documents]),
    )
    index = SeamIndex(chunks, seams, embeddings=embeddings)
    index.sync()
    return SeamsRetriever(index=index, k=6, **settings)


async def test_the_searches_of_chunks_and_seams_run_at_once() -> None:
    retriever = attached(Meeting)
    core = retriever.index.core
    core.chunk_store.meeting = core.seam_store.meeting = threading.Barrier(2)
    assert len(await retriever.ainvoke("stale reads")) == 6
    # The barrier itself is real: one after the other, as plain calls are, can not pass it.
    core.chunk_store.meeting = core.seam_store.meeting = Impatient()
    with pytest.raises(threading.BrokenBarrierError):
        retriever.invoke("stale reads")


class Impatient:
    def __init__(self) -> None:
        self.barrier = threading.Barrier(2)

    def wait(self, timeout: float) -> None:
        self.barrier.wait(timeout=0.1)


async def test_a_store_with_its_own_asynchronous_search_is_awaited() -> None:
    retriever = attached(Native, keywords=False)
    core = retriever.index.core
    expected = [d.id for d in retriever.invoke("stale reads w9")]
    core.chunk_store.synced = core.seam_store.synced = True
    assert [d.id for d in await retriever.ainvoke("stale reads w9")] == expected
    assert (core.chunk_store.used, core.seam_store.used) == (1, 1)


async def test_nothing_blocks_the_loop() -> None:
    retriever = attached(MemoryStore, Slow())
    gaps: list[float] = []

    async def tick() -> None:
        last = time.perf_counter()
        while True:
            await asyncio.sleep(0.005)
            now = time.perf_counter()
            gaps.append(now - last)
            last = now

    ticking = asyncio.create_task(tick())
    await asyncio.sleep(0)  # so that it has begun
    await retriever.ainvoke("stale reads")
    ticking.cancel()
    assert sum(gaps) >= 0.4
    assert max(gaps) < 0.4  # the embedding alone sleeps for 0.5 s


@pytest.fixture(params=["single", "multi"])
def either(request, tmp_path) -> SeamsRetriever:
    store = empty_store("chroma", tmp_path)
    if request.param == "multi":
        return SeamsMultiVectorRetriever.attach(multi_vector(store), k=5, margin=0)
    chunks = SeamsTextSplitter(chunk_size=128).split_documents(long_documents())
    store.add_documents(chunks)
    return SeamsRetriever.attach(store, k=5, margin=0)


async def test_no_form_embeds_a_query_more_than_once_or_anything_else(either) -> None:
    embeddings = either.index.embeddings
    documents = embeddings.documents
    for number, ask in enumerate(
        [
            either.invoke,
            either.explain,
            lambda q: either.batch([q])[0],
            lambda q: list(either.stream(q)),
            lambda q: either.invoke(q, k=3, margin=1),
        ]
    ):
        before = embeddings.queries
        ask(f"stale w{number}")
        assert embeddings.queries == before + 1
    for ask in (either.ainvoke, either.aexplain, lambda q: either.abatch([q])):
        before = embeddings.queries
        await ask("stale reads")
        assert embeddings.queries == before + 1
    assert embeddings.documents == documents


async def test_fifty_at_once_from_a_cold_start_are_as_fifty_in_turn(either) -> None:
    either.index.core.forget()  # all fifty find no keyword index and must share one
    at_once = await asyncio.gather(*(either.ainvoke(q) for q in QUESTIONS))
    assert at_once == [either.invoke(q) for q in QUESTIONS]
    assert any("seams_seam_id" in d.metadata for found in at_once for d in found)
