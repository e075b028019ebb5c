"""Reading order by links to the previous and the next chunk."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seams_core import Row
from seams_core.chains import Linked, chained
from seams_core.errors import ChunkOrderError
from seams_core.locate import NEXT_KEY, PREVIOUS_KEY, Locator, Place
from seams_core.sync import sync
from tests.stores import HashEmbedding, MemoryStore

UNKNOWN = Place("d", 0.0, -1.0, False)


def chain(count: int, offsets: bool = False, name: str = "c") -> list[Linked]:
    return [
        Linked(
            f"{name}{n}",
            Place("d", 0.0, 10.0 * n, True) if offsets else UNKNOWN,
            f"{name}{n - 1}" if n else None,
            f"{name}{n + 1}" if n + 1 < count else None,
        )
        for n in range(count)
    ]


@given(st.integers(1, 30), st.randoms())
def test_a_whole_chain_is_one_run_however_it_comes(count: int, rng: random.Random) -> None:
    links = chain(count)
    ids = [link.id for link in links]
    rng.shuffle(links)
    assert chained(links) == [ids]


@given(st.integers(2, 20), st.sets(st.integers(0, 19)), st.randoms())
def test_half_of_the_links_are_enough(count: int, cut: set[int], rng: random.Random) -> None:
    links = [
        link._replace(previous=None) if n in cut else link._replace(next=None)
        for n, link in enumerate(chain(count))
    ]
    known = {
        (a.id, b.id)
        for a, b in zip(links, links[1:], strict=False)
        if a.next == b.id or b.previous == a.id
    }
    rng.shuffle(links)
    runs = chained(links)
    assert runs is not None
    assert {(a, b) for run in runs for a, b in zip(run, run[1:], strict=False)} == known


def test_one_that_is_gone_is_bridged() -> None:
    links = chain(5)
    del links[2]
    assert chained(links) == [["c0", "c1", "c3", "c4"]]


def test_two_that_are_gone_leave_two_runs_unless_places_order_them() -> None:
    links = chain(6)
    del links[2:4]
    runs = chained(links)
    assert runs is not None
    assert sorted(runs) == [["c0", "c1"], ["c4", "c5"]]
    placed = chain(6, offsets=True)
    del placed[2:4]
    assert chained(placed[::-1]) == [["c0", "c1", "c4", "c5"]]


def test_two_versions_of_a_document_are_left_to_their_places() -> None:
    assert chained(chain(3, offsets=True) + chain(3, offsets=True, name="x")) is None
    runs = chained(chain(3) + chain(3, name="x"))
    assert runs is not None
    assert sorted(runs) == [["c0", "c1", "c2"], ["x0", "x1", "x2"]]


@pytest.mark.parametrize(
    "links",
    [
        [("a", None, "b"), ("b", None, "a")],
        [("a", None, "c"), ("b", None, "c"), ("c", None, None)],
        [("a", None, "b"), ("b", None, None), ("c", "a", None)],
    ],
    ids=["a ring", "two before one", "two after one"],
)
def test_links_that_contradict_each_other(links) -> None:
    known = [Linked(id, Place("d", 0, n, True), p, x) for n, (id, p, x) in enumerate(links)]
    assert chained(known) is None
    with pytest.raises(ChunkOrderError, match="contradict"):
        chained([link._replace(place=UNKNOWN) for link in known])


# As a store is brought in step


def rows(texts: list[str], **more) -> list[Row]:
    last = len(texts) - 1
    return [
        Row(
            f"c{n}",
            text,
            {
                "document_id": "d",
                **({PREVIOUS_KEY: f"c{n - 1}"} if n else {}),
                **({NEXT_KEY: f"c{n + 1}"} if n < last else {}),
                **more,
            },
        )
        for n, text in enumerate(texts)
    ]


def links_of(store: MemoryStore) -> set[tuple[str, str]]:
    found = (row.metadata for row, _ in store.rows.values())
    return {(m["left_chunk_id"], m["right_chunk_id"]) for m in found}


def test_a_sync_follows_links() -> None:
    store = MemoryStore()
    texts = [f"Part {n} of the page." for n in (4, 2, 0, 1, 3)]
    sync(sorted(rows(texts), key=lambda row: row.text), store, HashEmbedding())
    assert links_of(store) == {("c0", "c1"), ("c1", "c2"), ("c2", "c3"), ("c3", "c4")}


def test_a_position_key_goes_before_links() -> None:
    store = MemoryStore()
    parts = [Row(r.id, r.text, {**r.metadata, "n": 9 - i}) for i, r in enumerate(rows(["a", "b"]))]
    sync(parts, store, HashEmbedding(), locator=Locator(position_key="n"))
    assert links_of(store) == {("c1", "c0")}


def test_offsets_that_are_wrong_take_nothing_from_a_window() -> None:
    """Found by looking for a text that comes twice: they say an overlap that is not there."""
    store = MemoryStore()
    texts = ["One sentence here. ", "Other words there. ", "One sentence here. "]
    wrong = [0, 10, 12]
    parts = [
        Row(r.id, r.text, {**r.metadata, "start_index": s})
        for r, s in zip(rows(texts), wrong, strict=True)
    ]
    sync(parts, store, HashEmbedding())
    found = [row.text for row, _ in store.rows.values()]
    assert sorted(found) == ["".join(texts[:2]), "".join(texts[1:])]


def test_what_stands_around_a_text_is_embedded_with_its_seams() -> None:
    store, embed = MemoryStore(), HashEmbedding()
    texts = ["One sentence here. ", "Other words there. "]

    def around(row: Row) -> tuple[str, str]:
        return f"{row.metadata['title']}: ", "."

    for title, added in (("A", 1), ("A", 0), ("B", 1)):
        report = sync(rows(texts, title=title), store, embed, surround=around)
        assert (report.added, report.deleted) == (added, 0)
    window = next(iter(store.rows.values()))[0].text
    assert embed.texts == [f"A: {window}.", f"B: {window}."]
    assert "A" not in window
