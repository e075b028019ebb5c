"""Killed, cut off, two at once: the end state is that of one undisturbed run."""

from __future__ import annotations

import multiprocessing
import os
import random
import sys
import time

import pytest

from seams_core import Row, SeamedIndex, sync
from seams_core.errors import SyncInterruptedError
from seams_core.ids import stable_uuid
from tests.conformance import killed
from tests.conformance.cases import Place, all_rows, chunk_rows, cuts, missing, wanted
from tests.conformance.conftest import CASES
from tests.conformance.servers import Servers

KILLS = int(os.environ.get("SEAMS_KILLS", "3"))
STURDY = ["langchain-chroma", "langchain-pgvectorstore", "langchain-qdrant"]
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["tests.conformance.killed", "tests.conformance.conftest"])


def chosen(name: str):
    (case,) = (case for case in CASES if case.name == name)
    if not wanted(name):
        pytest.skip("left out by SEAMS_STORES")
    if missing(case):
        pytest.skip(f"{name} needs {missing(case)}, which is not installed here")
    return case


def started(case, place: Place, slow: float = 0.0):
    url = place.url("postgres") if "pgvector" in case.name else ""
    ours, theirs = PROCESSES.Pipe()
    args = (case.name, str(place.path), url, place.name, theirs, slow)
    process = PROCESSES.Process(target=killed.run, args=args)
    process.start()
    theirs.close()
    return process, ours


def finished(case, place: Place) -> str:
    process, talk = started(case, place)
    assert talk.recv() == "ready"
    said = talk.recv()
    process.join()
    return said


def held(case, place: Place) -> dict[str, tuple]:
    """What the seam collection holds, read by a process of its own, as a user's next one would:
    an embedded Chroma that others write to must not be open here."""
    url = place.url("postgres") if "pgvector" in case.name else ""
    ours, theirs = PROCESSES.Pipe()
    args = (case.name, str(place.path), url, place.name, theirs)
    process = PROCESSES.Process(target=killed.read, args=args)
    process.start()
    theirs.close()
    found = ours.recv()
    process.join()
    return found


@pytest.mark.parametrize("name", STURDY)
def test_killed_at_random_moments_and_run_again_it_is_as_if_never_killed(name, place) -> None:
    case = chosen(name)
    begin = time.monotonic()
    assert finished(case, place).startswith("4950 seams added, 0 kept")
    seconds = time.monotonic() - begin
    moments, partly = random.Random(name), 0
    for number in range(KILLS):
        again = Place(place.path / str(number), place.url, f"{place.name}x{number}")
        again.path.mkdir()
        process, talk = started(case, again)
        assert talk.recv() == "ready"
        time.sleep(moments.uniform(0, 0.8 * seconds))
        process.kill()
        process.join()
        said = finished(case, again)
        partly += 0 < int(said.split(" seams added, ")[1].split(" kept")[0]) < 4950
        assert held(case, again) == killed.expected(again.name), said
    assert partly


@pytest.mark.parametrize("name", STURDY)
def test_two_processes_at_once_end_right_or_one_says_that_the_other_holds_it(name, place) -> None:
    case = chosen(name)
    assert held(case, place) == {}  # makes the collection
    both = [started(case, place, slow=0.02) for _ in range(2)]
    said = []
    for process, talk in both:
        said.append(talk.recv())
        if said[-1] == "ready":
            said[-1] = talk.recv()
        process.join()
    done = [line for line in said if " seams added" in line]
    refused = [line for line in said if line not in done]
    assert done, said
    assert all("already accessed by another instance" in line for line in refused), said
    assert held(case, place) == killed.expected(place.name)


def test_a_cut_connection_is_said_and_running_again_completes(place, embed, monkeypatch) -> None:
    case = chosen("langchain-pgvector")
    import psycopg

    monkeypatch.setattr(sys.modules["seams_core.sync"], "_PAUSE", 0.01)
    held = case.fill(case.open(place, embed), chunk_rows(), embed)
    admin = psycopg.connect(
        f"postgresql://postgres@{place.url('postgres')}/postgres", autocommit=True
    )
    batches = 0

    def cutting(texts):
        nonlocal batches
        batches += 1
        if batches == 3:
            admin.execute(f"ALTER DATABASE {place.name} ALLOW_CONNECTIONS false")
            admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
                [place.name],
            )
        return embed(texts)

    chunks, seams = case.resolve(held), case.resolve(case.beside(held))
    with pytest.raises(
        SyncInterruptedError, match=r"(?s)writing seams.* 10 seams were added.*again"
    ):
        SeamedIndex(chunks, seams, cutting, batch_size=5).sync()
    admin.execute(f"ALTER DATABASE {place.name} ALLOW_CONNECTIONS true")
    admin.close()
    report = SeamedIndex(chunks, seams, embed).sync()
    assert (report.added, report.kept) == (cuts(chunk_rows()) - 10, 10)


def test_a_server_that_stops_is_said_and_running_again_completes(tmp_path, embed, monkeypatch):
    case = chosen("langchain-chroma-http")
    monkeypatch.setattr(sys.modules["seams_core.sync"], "_PAUSE", 0.01)
    servers = Servers(tmp_path)
    place = Place(tmp_path, servers.url, "docs")
    try:
        held = case.fill(case.open(place, embed), chunk_rows(), embed)
        batches = 0

        def stopping(texts):
            nonlocal batches
            batches += 1
            if batches == 3:
                servers.stop()
            return embed(texts)

        chunks, seams = case.resolve(held), case.resolve(case.beside(held))
        with pytest.raises(SyncInterruptedError, match=r"10 seams were added.*again"):
            SeamedIndex(chunks, seams, stopping, batch_size=5).sync()
        held = case.open(place, embed)  # the same folder, served again
        index = SeamedIndex(case.resolve(held), case.resolve(case.beside(held)), embed)
        assert index.sync().kept == 10
        assert index.status() == (len(chunk_rows()), cuts(chunk_rows()), 0)
    finally:
        servers.stop()


@pytest.mark.parametrize("kind", ["HNSW", "IVFFlat"])
def test_an_index_for_vectors_never_makes_the_hits_fewer(kind, place, embed) -> None:
    case = chosen("langchain-pgvectorstore")
    from langchain_postgres.v2.indexes import HNSWIndex, IVFFlatIndex

    held = case.open(place, embed)
    store = case.resolve(held)
    rows = [Row(stable_uuid("row", n), f"text {n}", {"rare": n % 200 == 0}) for n in range(6000)]
    rng = random.Random(0)
    for begin in range(0, len(rows), 500):
        part = rows[begin : begin + 500]
        store.put(part, [[rng.gauss(0, 1) for _ in range(64)] for _ in part])
    held.apply_vector_index(HNSWIndex() if kind == "HNSW" else IVFFlatIndex(lists=30))
    with place_connection(place) as connection:
        connection.execute(f"ANALYZE {place.name}")
    vector = [rng.gauss(0, 1) for _ in range(64)]
    rare = {row.id for row in rows if row.metadata["rare"]}
    assert len(held.similarity_search_by_vector(vector, k=500)) < 500  # the plain wrapper's limit
    assert len(store.search(vector, 500)) == 500
    assert len(store.search(vector, len(rows))) == len(rows)
    found = store.search(vector, len(rare), {"rare": True})
    assert {hit.id for hit in found} == rare
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


def place_connection(place: Place):
    import psycopg

    url = f"postgresql://postgres@{place.url('postgres')}/postgres"
    return psycopg.connect(url, autocommit=True)


async def test_pgvector_in_async_mode_can_be_attached_to(place, embed) -> None:
    chosen("langchain-pgvector")
    import asyncio

    from langchain_core.documents import Document
    from langchain_postgres import PGVector

    from seams_langchain.stores import beside, resolve_store
    from tests.conformance.in_langchain import Hashed

    with place_connection(place) as connection:
        connection.execute(f"CREATE DATABASE {place.name}")
    url = f"postgresql+psycopg://postgres@{place.url('postgres')}/{place.name}"
    held = PGVector(Hashed(embed), connection=url, collection_name="docs", async_mode=True)
    rows = chunk_rows()
    await held.aadd_documents(
        [Document(id=r.id, page_content=r.text, metadata=dict(r.metadata)) for r in rows]
    )
    chunks, seams = resolve_store(held), resolve_store(beside(held))
    report = await asyncio.to_thread(sync, all_rows(chunks).values(), seams, embed)
    assert report.added == cuts(rows)
    vector = embed.one("stale reads")
    assert await chunks.asearch(vector, 5) == chunks.search(vector, 5)
    some = [row.id for row in rows[:3]]
    assert await chunks.aget(some, {"half": 1}) == chunks.get(some, {"half": 1})
