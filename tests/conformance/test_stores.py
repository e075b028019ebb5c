"""One suite for every store in every framework: the store protocol, and seams on top of it."""

from __future__ import annotations

import asyncio
import copy

import numpy as np
import pytest

from seams_core import MarginFireTest, Retrieval, Row, SeamedIndex, Store
from seams_core.errors import StoreError
from seams_core.store import SEAM_TYPE, TYPE_KEY
from tests.conformance.cases import (
    UUIDS,
    Case,
    all_rows,
    chunk_rows,
    cuts,
    plain,
    renamed,
)

QUESTIONS = [f"stale reads w{n} d{n % 3}" for n in range(0, 150, 12)]


def attached(case: Case, held, embed, seam_store=None, **settings) -> SeamedIndex:
    shared = seam_store is held
    beside = case.beside(held) if seam_store is None else seam_store
    return SeamedIndex(
        case.resolve(held, "chunks" if shared else "all"),
        case.resolve(beside, "seams" if shared else "all"),
        embed,
        whole_store=case.resolve(held) if shared else None,
        **settings,
    )


def retrieval(index: SeamedIndex, embed) -> Retrieval:
    return Retrieval(index.chunk_store, index.sources(), embed.one)


@pytest.fixture
def held(case, place, embed):
    return case.fill(case.open(place, embed), chunk_rows(), embed)


def test_the_store_protocol(case, held, embed) -> None:
    store, rows = case.resolve(held), chunk_rows()
    assert isinstance(store, Store)
    assert store.name
    assert all(0 < len(page) <= 7 for page in store.pages(7))
    found = all_rows(store, 7)
    assert {id: plain(row) for id, row in found.items()} == {row.id: plain(row) for row in rows}
    some = [rows[3].id, rows[0].id, rows[3].id, UUIDS[0]]
    assert {i: plain(r) for i, r in store.get(some).items()} == {
        row.id: plain(row) for row in (rows[3], rows[0])
    }
    assert store.get([]) == {}
    vector = embed.one("stale reads w9")
    hits = store.search(vector, 5)
    best = sorted((-float(vector @ embed.one(row.text)), row.id) for row in rows)
    assert [round(float(vector @ embed.one(hit.text)), 4) for hit in hits] == [
        round(-score, 4) for score, _ in best[:5]
    ]
    assert {hit.id for hit in store.search(vector, 500)} == {row.id for row in rows}
    for native, passes in case.filters:
        allowed = {row.id for row in rows if passes(row.metadata)}
        assert allowed
        assert set(store.get([row.id for row in rows], native)) == allowed
        assert {hit.id for hit in store.search(vector, 500, native)} == allowed
        assert len(store.search(vector, 3, native)) == 3


def test_writing_is_an_upsert_that_replaces_whole(case, place, embed) -> None:
    held = case.fill(case.open(place, embed), chunk_rows(), embed)
    beside = case.beside(held)
    store = case.resolve(beside)
    seam = {TYPE_KEY: SEAM_TYPE, "left_chunk_id": "l", "right_chunk_id": "r"}
    texts = [f"text {n} of w{n % 7} {' '.join(f'v{n * m}' for m in range(9))}" for n in range(100)]
    rows = [
        Row(id, text, {**seam, "seam_cut": n})
        for n, (id, text) in enumerate(zip(UUIDS, texts, strict=True))
    ]
    store.put([], np.zeros((0, 64)))
    store.put(rows[:60], embed([row.text for row in rows[:60]]))
    store.put(rows[40:], embed([row.text for row in rows[40:]]))
    changed = [row._replace(text=f"changed {row.text}") for row in rows[50:70]]
    changed = [row._replace(metadata={**seam, "seam_cut": 1000}) for row in changed]
    store.put(changed, embed([row.text for row in changed]))
    wanted = {row.id: row for row in [*rows, *changed]}
    there = all_rows(store)
    assert {i: (r.text, r.metadata["seam_cut"]) for i, r in there.items()} == {
        i: (r.text, r.metadata["seam_cut"]) for i, r in wanted.items()
    }
    (first,) = store.search(embed.one(changed[7].text), 1)
    assert first.text == changed[7].text
    assert len({hit.id for hit in store.search(embed.one("text"), 500)}) == len(wanted)
    store.drop([])
    store.drop([rows[0].id, rows[1].id, "00000000-0000-4000-8000-000000000000"])
    store.drop([rows[0].id])
    assert set(all_rows(store)) == set(wanted) - {rows[0].id, rows[1].id}
    assert not {rows[0].id, rows[1].id} & {hit.id for hit in store.search(embed.one("text"), 500)}
    assert set(all_rows(case.resolve(held))) == {row.id for row in chunk_rows()}


def test_attach_embeds_the_seams_and_follows_what_changes(case, place, held, embed) -> None:
    rows = chunk_rows()
    before, chunks = len(embed.texts), all_rows(case.resolve(held))
    index = attached(case, held, embed)
    report = index.sync()
    assert report.added == len(embed.texts) - before == cuts(rows)
    assert index.status() == (len(rows), cuts(rows), 0)
    assert all_rows(case.resolve(held)) == chunks
    again = index.sync()
    assert (again.added, again.kept, again.deleted) == (0, cuts(rows), 0)
    assert len(embed.texts) - before == cuts(rows)

    # A document changes, one goes, one comes.
    kept = [row for row in rows if row.metadata["source"] == "doc-1"]
    changed = chunk_rows(1, words=200)
    new = chunk_rows(1, first=5)
    ids = {row.id for row in [*changed, *new]}
    now = [*kept, *changed, *new]
    if case.removes:
        case.remove(held, [row.id for row in rows if row not in kept and row.id not in ids])
        there = set(all_rows(case.resolve(held)))
        case.fill(held, [row for row in [*changed, *new] if row.id not in there], embed)
    else:  # as its users do: a new one is made
        index.chunk_store = case.resolve(case.fill(case.open(place, embed), now, embed))
    assert set(all_rows(index.chunk_store)) == {row.id for row in now}
    before = len(embed.texts)
    report = index.sync()
    assert (report.added, report.kept) == (len(embed.texts) - before, cuts(now) - report.added)
    assert report.kept >= cuts(kept)
    assert report.deleted > 0
    assert index.status() == (len(now), cuts(now), 0)
    assert index.sync().added == 0


def test_filters_hold_for_what_a_seam_brings(case, held, embed) -> None:
    rows = {row.id: row for row in chunk_rows()}
    index = attached(case, held, embed)
    index.sync()
    run = retrieval(index, embed).run
    fired = 0
    for native, passes in case.filters:
        allowed = {row.id for row in rows.values() if passes(row.metadata)}
        for question in QUESTIONS[::3]:
            found = run(question, budget=8, filter=native, fire_test=MarginFireTest(0))
            ids = found.selection.chunk_ids
            assert set(ids) <= allowed
            assert len(ids) == min(8, len(allowed))
            fired += len(found.selection.brought_by)
    free = [run(q, budget=8, fire_test=MarginFireTest(0)).selection.brought_by for q in QUESTIONS]
    assert any(free)
    assert fired or all(len({row.metadata["half"] for row in rows.values()}) > 1 for _ in free)


def test_no_public_method_of_the_old_collection_gives_a_seam(case, held, embed) -> None:
    texts = {row.text for row in chunk_rows()}
    index = attached(case, held, embed)
    index.sync()
    for question in QUESTIONS[:4]:
        assert set(case.public(held, question, embed)) <= texts
    seams = {row.text for row in all_rows(index.seam_store).values()}
    assert not seams & texts
    found = retrieval(index, embed).run(QUESTIONS[0], budget=500)
    assert {row.text for row in found.rows} == texts


def test_chunks_and_seams_in_one_collection(case, held, embed) -> None:
    if not case.shares:
        with pytest.raises(StoreError, match=r"second collection|pass another"):
            attached(case, held, embed, held)
        return
    rows = chunk_rows()
    index = attached(case, held, embed, held)
    assert index.sync().added == cuts(rows)
    assert index.status() == (len(rows), cuts(rows), 0)
    assert len(all_rows(index.whole_store)) == len(rows) + cuts(rows)
    for native, passes in [(None, lambda m: True), *case.filters]:
        allowed = {row.id for row in rows if passes(row.metadata)}
        found = retrieval(index, embed).run(QUESTIONS[0], budget=500, filter=native)
        assert set(found.selection.chunk_ids) == allowed
    fresh = attached(case, held, embed, held)
    report = fresh.sync()
    assert (report.added, report.kept, report.deleted) == (0, cuts(rows), 0)
    index.seam_store.drop(list(all_rows(index.seam_store)))
    assert len(all_rows(index.whole_store)) == len(rows)


def test_ids_that_are_no_uuids(case, place, embed) -> None:
    if not case.any_id:
        pytest.skip(f"{case.name} takes UUIDs and whole numbers alone")
    names = ["it's", 'a "quoted" one', "source.pdf:1:2", "ünï 中", "0", "a\\b", "%s", "x" * 60]
    rows = renamed(chunk_rows(), lambda n: names[n] if n < len(names) else f"id/{n}")
    held = case.fill(case.open(place, embed), rows, embed)
    store = case.resolve(held)
    assert set(all_rows(store)) == {row.id for row in rows}
    assert set(store.get(names)) == set(names)
    index = attached(case, held, embed)
    assert index.sync().added == cuts(rows)
    found = retrieval(index, embed).run(QUESTIONS[0], budget=500)
    assert set(found.selection.chunk_ids) == {row.id for row in rows}


def test_metadata_of_every_type_comes_back(case, place, embed) -> None:
    rows = [row._replace(metadata={**row.metadata, **case.values}) for row in chunk_rows()]
    held = case.fill(case.open(place, embed), copy.deepcopy(rows), embed)
    index = attached(case, held, embed)
    index.sync()
    for row in retrieval(index, embed).run(QUESTIONS[0], budget=5).rows:
        for key, value in case.values.items():
            assert row.metadata[key] == value
            assert type(row.metadata[key]) is type(value)


def test_async_forms_give_the_same_in_any_event_loop(case, held, embed) -> None:
    index = attached(case, held, embed)
    index.sync()
    search = retrieval(index, embed)
    native, _ = case.filters[0]

    def ids(found):
        return [f.selection.chunk_ids for f in found]

    in_turn = ids(search.run(q, budget=8, filter=native) for q in QUESTIONS)

    async def at_once():
        return ids(
            await asyncio.gather(*(search.arun(q, budget=8, filter=native) for q in QUESTIONS))
        )

    assert asyncio.run(at_once()) == in_turn
    assert asyncio.run(at_once()) == in_turn  # a client may be bound to the first loop it saw


def test_a_search_does_not_block_the_event_loop(case, held, embed) -> None:
    index = attached(case, held, embed)
    index.sync()
    search = retrieval(index, embed)

    async def turns() -> int:
        count = 0
        done = asyncio.Event()

        async def tick() -> None:
            nonlocal count
            while not done.is_set():
                count += 1
                await asyncio.sleep(0)

        ticking = asyncio.create_task(tick())
        for question in QUESTIONS[:4]:
            await search.arun(question, budget=4)
        done.set()
        await ticking
        return count

    assert asyncio.run(turns()) > 40


def test_two_syncs_at_once_end_in_the_right_state(case, held, embed) -> None:
    rows = chunk_rows()
    # Stale seams are there from before, which both will want to delete.
    one = attached(case, held, embed, half_width=200)
    one.sync()
    beside = one.seam_store
    two = [SeamedIndex(one.chunk_store, beside, embed, batch_size=4) for _ in range(2)]

    async def at_once():
        return await asyncio.gather(*(asyncio.to_thread(index.sync) for index in two))

    asyncio.run(at_once())
    assert two[0].status() == (len(rows), cuts(rows), 0)
    report = two[0].sync()
    assert (report.added, report.kept, report.deleted) == (0, cuts(rows), 0)
