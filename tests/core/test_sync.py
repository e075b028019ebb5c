"""R4 to R6: seams stand apart, nothing but seams is embedded, sync is a difference."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seams_core import Chunk, Locator, Row, SeamedIndex, async_sync, build_seams, split_text, sync
from seams_core.errors import ChunkOrderError, MissingKeyError, SyncInterruptedError
from seams_core.staging import text_overlap
from seams_core.stores.chroma import ChromaStore
from seams_core.windows import WindowBuilder
from tests.stores import HashEmbedding, MemoryStore

TEXT = "One idea begins here. It goes on for a while, and ends over there.\n\n" * 40


def chunk_rows(text: str, document: str = "d", size: int = 64) -> list[Row]:
    return [
        Row(c.id, c.text, {"document_id": c.document_id, "start_index": c.start})
        for c in split_text(text, document_id=document, chunk_size=size)
    ]


def state(store: MemoryStore) -> dict:
    return {id: (row, tuple(vector)) for id, (row, vector) in store.rows.items()}


def test_r4_a_seam_is_stored_with_type_field_and_two_links() -> None:
    rows, store = chunk_rows(TEXT), MemoryStore("seams")
    sync(rows, store, HashEmbedding())
    row, _ = next(iter(store.rows.values()))
    assert row.metadata["seams_type"] == "seam"
    assert {row.metadata["left_chunk_id"], row.metadata["right_chunk_id"]} <= {r.id for r in rows}
    assert all(isinstance(v, str | int | float | bool) for v in row.metadata.values())


def test_r5_only_seams_are_embedded_and_the_chunks_are_not_touched() -> None:
    embed, chunk_store = HashEmbedding(), MemoryStore("chunks")
    rows = chunk_rows(TEXT)
    chunk_store.put(rows, HashEmbedding()([row.text for row in rows]))
    before = state(chunk_store)
    report = SeamedIndex(chunk_store, MemoryStore("seams"), embed).sync()
    assert report.added == len(embed.texts) == len(rows) - 1
    assert state(chunk_store) == before
    assert set(embed.texts).isdisjoint(row.text for row in rows)


def test_r6_the_second_run_does_nothing() -> None:
    rows, store, embed = chunk_rows(TEXT), MemoryStore(), HashEmbedding()
    first = sync(rows, store, embed)
    before, embedded = state(store), len(embed.texts)
    second = sync(random.Random(1).sample(rows, len(rows)), store, embed)
    assert (second.added, second.kept, second.deleted) == (0, first.added, 0)
    assert len(embed.texts) == embedded
    assert state(store) == before
    assert str(second).startswith(f"0 seams added, {first.added} kept, 0 deleted")


def test_what_did_not_change_is_known_without_being_made_again(monkeypatch) -> None:
    rows, store = chunk_rows(TEXT), MemoryStore()
    sync(rows, store, HashEmbedding())
    made = []
    seam = WindowBuilder.seam
    monkeypatch.setattr(
        WindowBuilder, "seam", lambda self, pair: made.append(pair) or seam(self, pair)
    )
    assert sync(rows, store, HashEmbedding()).kept == len(rows) - 1
    assert not made
    # Another text under the old id, as some splitters leave it, and other settings.
    changed = [rows[0], rows[1]._replace(text="Other. " + rows[1].text[7:]), *rows[2:]]
    report = sync(changed, store, HashEmbedding())
    assert len(made) == 2
    assert report.added == report.deleted > 0
    assert sync(changed, store, HashEmbedding(), half_width=200).added > 0


def test_seams_that_carry_no_key_are_kept(monkeypatch) -> None:
    rows, store, embed = chunk_rows(TEXT), MemoryStore(), HashEmbedding()
    sync(rows, store, embed)
    for id, (row, vector) in store.rows.items():
        metadata = {k: v for k, v in row.metadata.items() if k != "seam_key"}
        store.rows[id] = row._replace(metadata=metadata), vector
    assert sync(rows, store, embed).kept == len(rows) - 1
    assert len(embed.texts) == len(rows) - 1


DOCUMENTS = st.dictionaries(
    st.sampled_from("abcd"), st.integers(0, 12).map(lambda n: TEXT[: 150 * n]), max_size=4
)


@given(before=DOCUMENTS, after=DOCUMENTS, batch=st.integers(1, 5))
@settings(max_examples=40)
def test_r6_a_difference_ends_where_a_rebuild_does(before, after, batch) -> None:
    def rows(documents):
        return [row for name, text in documents.items() for row in chunk_rows(text, name)]

    store, fresh = MemoryStore(batch_size=batch), MemoryStore()
    sync(rows(before), store, HashEmbedding(), batch_size=3)
    report = sync(rows(after), store, HashEmbedding(), batch_size=3)
    sync(rows(after), fresh, HashEmbedding())
    assert state(store) == state(fresh)
    assert report.added + report.kept == len(fresh.rows)


class Failing(MemoryStore):
    """A store whose writes fail from a certain one on, for a while or for good."""

    def __init__(self, after: int, times: int = 10**9) -> None:
        super().__init__()
        self.calls, self.after, self.times = 0, after, times

    def put(self, rows, vectors) -> None:
        self.calls += 1
        if self.after <= self.calls < self.after + self.times:
            super().put(rows[:1], vectors[:1])  # half a batch, as some stores leave behind
            raise ConnectionError("connection cut")
        super().put(rows, vectors)


def test_a_fault_that_passes_is_tried_again(monkeypatch) -> None:
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    store, fresh = Failing(after=2, times=2), MemoryStore()
    sync(chunk_rows(TEXT), store, HashEmbedding(), batch_size=2)
    sync(chunk_rows(TEXT), fresh, HashEmbedding())
    assert state(store) == state(fresh)


def test_a_fault_in_the_middle_says_what_was_written_and_running_again_completes(
    monkeypatch,
) -> None:
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    store, fresh = Failing(after=3), MemoryStore()
    with pytest.raises(
        SyncInterruptedError, match=r"connection cut\)\. 4 seams were added .*again"
    ):
        sync(chunk_rows(TEXT), store, HashEmbedding(), batch_size=2)
    store.after = 10**9
    report = sync(chunk_rows(TEXT), store, HashEmbedding(), batch_size=2)
    assert report.kept == 5
    sync(chunk_rows(TEXT), fresh, HashEmbedding())
    assert state(store) == state(fresh)


def test_an_embedding_that_fails_or_miscounts_is_an_error() -> None:
    def broken(texts):
        raise RuntimeError("quota")

    with pytest.raises(SyncInterruptedError, match=r"embedding seams \(RuntimeError: quota\)"):
        sync(chunk_rows(TEXT), MemoryStore(), broken)
    with pytest.raises(SyncInterruptedError, match="gave 1 vectors for"):
        sync(chunk_rows(TEXT), MemoryStore(), lambda texts: [[0.0]])


def test_keyboard_interrupt_passes_and_what_is_there_is_valid() -> None:
    embed = HashEmbedding()

    def interrupted(texts):
        if embed.texts:
            raise KeyboardInterrupt
        return embed(texts)

    store, fresh = MemoryStore(), MemoryStore()
    with pytest.raises(KeyboardInterrupt):
        sync(chunk_rows(TEXT), store, interrupted, batch_size=2)
    assert len(store.rows) == 2
    sync(chunk_rows(TEXT), store, HashEmbedding())
    sync(chunk_rows(TEXT), fresh, HashEmbedding())
    assert state(store) == state(fresh)


KILLED = """
import sys, time
import chromadb
from seams_core import SeamedIndex
from seams_core.stores.chroma import ChromaStore
from tests.stores import HashEmbedding
client = chromadb.PersistentClient(path=sys.argv[1])
embed = HashEmbedding()
def slow(texts):
    time.sleep(0.06)
    return embed(texts)
index = SeamedIndex(ChromaStore(client.get_collection("chunks")),
                    ChromaStore(client.get_or_create_collection("seams")), slow, batch_size=4)
print("ready", flush=True)
index.sync()
print("done", flush=True)
"""


def test_r6_killed_and_run_again_it_ends_in_the_same_state(tmp_path) -> None:
    import chromadb

    rows = chunk_rows(TEXT * 4, size=32)

    def filled(path):
        client = chromadb.PersistentClient(path=str(path))
        chunks = ChromaStore(client.get_or_create_collection("chunks"))
        chunks.put(rows, HashEmbedding()([row.text for row in rows]))
        return client, chunks

    client, chunks = filled(tmp_path / "whole")
    whole = ChromaStore(client.get_or_create_collection("seams"))
    SeamedIndex(chunks, whole, HashEmbedding()).sync()
    wanted = {row.id: row for page in whole.pages(500) for row in page}

    filled(tmp_path / "killed")
    command = [sys.executable, "-c", KILLED, str(tmp_path / "killed")]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in ("", *sys.path) if p)}
    killed = 0
    for wait in (0.05, 0.2, 0.4):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env)
        assert process.stdout.readline() == "ready\n"
        time.sleep(wait)
        process.send_signal(signal.SIGKILL)
        killed += process.stdout.read() == ""
        process.wait()
    assert killed == 3
    subprocess.run(command, check=True, env=env, capture_output=True)
    again = chromadb.PersistentClient(path=str(tmp_path / "killed")).get_collection("seams")
    assert {r.id: r for page in ChromaStore(again).pages(500) for r in page} == wanted


def test_chunks_and_rows_give_the_same_seams() -> None:
    chunks = split_text(TEXT, document_id="d", chunk_size=64)
    one, other = MemoryStore(), MemoryStore()
    sync(chunks, one, HashEmbedding())
    sync(chunk_rows(TEXT), other, HashEmbedding())
    assert state(one) == state(other)
    assert set(one.rows) == {seam.id for seam in build_seams(chunks, namespace="memory")}


def test_ingested_twice_a_seam_never_joins_a_chunk_to_itself() -> None:
    rows = chunk_rows(TEXT)
    twice = rows + [Row(f"copy-{row.id}", row.text, row.metadata) for row in rows]
    store = MemoryStore()
    assert sync(twice, store, HashEmbedding()).added == len(rows) - 1
    for row, _ in store.rows.values():
        assert row.metadata["left_chunk_id"] != row.metadata["right_chunk_id"]


def test_two_different_chunks_at_one_position_are_named() -> None:
    place = {"document_id": "d", "start_index": 0}
    with pytest.raises(ChunkOrderError, match=r"'a' and 'b' both stand at position 0 of .*'d'"):
        sync([Row("a", "x", place), Row("b", "y", place)], MemoryStore(), HashEmbedding())


@pytest.mark.parametrize(
    ("metadata", "order"),
    [
        ([{"source": "f", "start_index": n * 10} for n in range(3)], [0, 1, 2]),
        ([{"source": "f", "page": n, "start_index": 0} for n in (2, 0, 1)], [1, 2, 0]),
        ([{"source": "f", "chunk_index": n} for n in (1, 2, 0)], [2, 0, 1]),
        ([{"file_path": "f", "start_char_idx": n} for n in (5, 9, 1)], [2, 0, 1]),
        ([{"source": "f", "page": n} for n in (1, 3, 2)], [0, 2, 1]),
        ([{"source": "f", "seq": str(n)} for n in (11, 2, 1)], [2, 1, 0]),
    ],
)
def test_the_keys_that_splitters_and_loaders_write_are_known(metadata, order) -> None:
    rows = [Row(str(n), f"text {n}", meta) for n, meta in enumerate(metadata)]
    store = MemoryStore()
    sync(rows, store, HashEmbedding())
    links = {
        (row.metadata["left_chunk_id"], row.metadata["right_chunk_id"])
        for row, _ in store.rows.values()
    }
    assert links == {(str(a), str(b)) for a, b in zip(order, order[1:], strict=False)}


def test_ids_of_source_page_and_number_give_the_order() -> None:
    rows = [Row(f"f.pdf:{p}:{n}", f"{p} {n}", {"source": "f.pdf"}) for p in (10, 2) for n in (1, 0)]
    store = MemoryStore()
    assert sync(rows, store, HashEmbedding()).added == 3
    texts = {row.metadata["left_chunk_id"]: row.metadata for row, _ in store.rows.values()}
    assert texts["f.pdf:2:1"]["right_chunk_id"] == "f.pdf:10:0"


def test_rows_of_a_table_and_records_of_a_list_are_documents_of_their_own() -> None:
    rows = [
        Row(str(n), f"r {n}", {"source": "t.csv", "row": n, "start_index": 0}) for n in range(3)
    ]
    rows += [Row(f"j{n}", "r", {"source": "j", "seq_num": n, "chunk_index": n}) for n in range(3)]
    assert sync(rows, MemoryStore(), HashEmbedding()).added == 0


def test_keys_or_callables_of_the_user_are_taken() -> None:
    rows = [Row(str(n), f"t {n}", {"book": "b", "where": {"at": 9 - n}}) for n in range(3)]
    locator = Locator(document_key="book", position_key=lambda row: row.metadata["where"]["at"])
    store = MemoryStore()
    assert sync(rows, store, HashEmbedding(), locator=locator).added == 2


@pytest.mark.parametrize(
    ("row", "locator", "error", "message"),
    [
        (
            Row("a", "t", {"author": "x", "title": "y"}),
            Locator(),
            MissingKeyError,
            r"the document of chunk 'a' .* keys: author, title\. Pass document_key=",
        ),
        (Row("a", "t", {}), Locator(), MissingKeyError, "keys: none"),
        (
            Row("a", "t", {"source": "x"}),
            Locator(),
            MissingKeyError,
            r"the position of chunk 'a' .* keys: source\. Pass position_key=",
        ),
        (
            Row("a", "t", {"source": "x"}),
            Locator(position_key="at"),
            MissingKeyError,
            r"looked for position_key='at'",
        ),
        (
            Row("a", "t", {"source": "x"}),
            Locator(document_key="book"),
            MissingKeyError,
            r"looked for document_key='book'",
        ),
        (
            Row("a", "t", {"source": "x", "start_index": -1}),
            Locator(),
            ChunkOrderError,
            r"start_index=-1 of chunk 'a' does not say where it begins",
        ),
        (
            Row("a", "t", {"source": "x", "chunk_index": "first"}),
            Locator(),
            ChunkOrderError,
            r"chunk_index='first' of chunk 'a' is no number",
        ),
    ],
)
def test_what_the_metadata_lacks_is_said_with_the_keys_seen(row, locator, error, message) -> None:
    with pytest.raises(error, match=message):
        sync([row], MemoryStore(), HashEmbedding(), locator=locator)


def test_overlap_is_taken_out_and_said_in_the_report() -> None:
    text = "".join(f"word{n} " for n in range(400))
    rows = [
        Row(str(n), text[n * 300 : n * 300 + 400], {"source": "s", "chunk_index": n})
        for n in range(6)
    ]
    store = MemoryStore()
    report = sync(rows, store, HashEmbedding())
    assert (report.overlapping, report.overlap) == (5, 100)
    assert "seams add little there" in str(report)
    assert all(row.text in text for row, _ in store.rows.values())


def test_offsets_that_start_anew_on_each_page_run_on() -> None:
    rows = [
        Row(f"{p}{n}", f"page {p} part {n}.", {"source": "s", "page": p, "start_index": 15 * n})
        for p in range(2)
        for n in range(2)
    ]
    store = MemoryStore()
    sync(rows, store, HashEmbedding())
    texts = {row.metadata["left_chunk_id"]: row.text for row, _ in store.rows.values()}
    assert texts["01"] == "page 0 part 1.\n\npage 1 part 0."
    assert texts["00"] == "page 0 part 0. page 0 part 1."


@given(left=st.text("ab", max_size=40), shared=st.text("ab", min_size=16, max_size=30))
def test_text_overlap_finds_what_two_texts_share(left, shared) -> None:
    overlap = text_overlap(left + shared, shared + "c")
    assert overlap >= len(shared) or (left + shared).endswith((shared + "c")[:overlap])
    assert (left + shared).endswith((shared + "c")[:overlap])
    assert text_overlap("x", "y") == 0


def test_settings_are_refused_before_anything_is_read() -> None:
    def unread():
        raise AssertionError("was read")
        yield

    for wrong in ({"half_width": 0}, {"snap": "out"}, {"batch_size": 0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            sync(unread(), MemoryStore(), HashEmbedding(), **wrong)


def test_status_counts_stale_seams() -> None:
    chunk_store, seams = MemoryStore("chunks"), MemoryStore("seams")
    rows = chunk_rows(TEXT)
    chunk_store.put(rows, HashEmbedding()([row.text for row in rows]))
    index = SeamedIndex(chunk_store, seams, HashEmbedding())
    index.sync()
    assert index.status() == (len(rows), len(rows) - 1, 0)
    chunk_store.drop([rows[2].id])
    assert index.status() == (len(rows) - 1, len(rows) - 1, 2)
    assert "2 of them stale" in str(index.status())


def test_an_empty_index_and_documents_of_one_chunk_have_no_seams() -> None:
    assert sync([], MemoryStore(), HashEmbedding()).added == 0
    chunks = [Chunk(n, n, "text", 0, 4) for n in "abc"]
    report = sync(chunks, MemoryStore(), HashEmbedding(), progress=True)
    assert (report.added, report.documents) == (0, 3)


async def test_async_sync_awaits_the_embedding_and_lets_the_loop_go_on() -> None:
    embed, store, fresh = HashEmbedding(), MemoryStore(), MemoryStore()
    loop = asyncio.get_running_loop()

    async def embedded(texts):
        assert asyncio.get_running_loop() is loop
        await asyncio.sleep(0)
        return embed(texts)

    report = await async_sync(chunk_rows(TEXT), store, embedded, batch_size=2)
    sync(chunk_rows(TEXT), fresh, HashEmbedding())
    assert state(store) == state(fresh)
    assert report.added == len(fresh.rows)


async def test_async_sync_cancelled_stops_and_running_again_completes() -> None:
    store, fresh, begun = MemoryStore(), MemoryStore(), asyncio.Event()

    async def slow(texts):
        begun.set()
        await asyncio.sleep(0.05)
        return HashEmbedding()(texts)

    task = asyncio.create_task(async_sync(chunk_rows(TEXT), store, slow, batch_size=1))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.sleep(0.2)
    there = len(store.rows)
    await asyncio.sleep(0.2)
    assert len(store.rows) == there < len(chunk_rows(TEXT)) - 1
    sync(chunk_rows(TEXT), store, HashEmbedding())
    sync(chunk_rows(TEXT), fresh, HashEmbedding())
    assert state(store) == state(fresh)
