"""R4: chunks and seams in one collection only where the store parts them; who adapts what."""

from __future__ import annotations

import gc
import threading

import pytest

from seams_core import Hit, Row, SeamedIndex
from seams_core.errors import StoreError, SyncInterruptedError
from seams_core.locks import _LOCKS, lock_of
from seams_core.registry import StoreRegistry, one_kind_only
from seams_core.store import SEAM_TYPE, TYPE_KEY
from tests.core.test_sync import TEXT, chunk_rows
from tests.stores import HashEmbedding, MemoryStore


class Part:
    """Part of a store, by a filter on the type field that may be wrong, as real ones are."""

    def __init__(self, whole: MemoryStore, shows) -> None:
        self.whole, self.shows = whole, shows
        self.name, self.batch_size = whole.name, whole.batch_size

    def pages(self, size):
        for page in self.whole.pages(size):
            if rows := [row for row in page if self.shows(row.metadata)]:
                yield rows

    def get(self, ids, filter=None) -> dict[str, Row]:
        found = self.whole.get(ids, filter)
        return {id: row for id, row in found.items() if self.shows(row.metadata)}

    def search(self, vector, k, filter=None) -> list[Hit]:
        return [h for h in self.whole.search(vector, 10**6, filter) if self.shows(h.metadata)][:k]

    def put(self, rows, vectors) -> None:
        self.whole.put(rows, vectors)

    def drop(self, ids) -> None:
        self.whole.drop(ids)


def is_seam(metadata) -> bool:
    return metadata.get(TYPE_KEY) == SEAM_TYPE


RIGHT = (lambda m: not is_seam(m), is_seam)
WRONG = {
    "not equal gives nothing where the field is missing": (
        lambda m: TYPE_KEY in m and not is_seam(m),
        is_seam,
    ),
    "the filter is dropped": (lambda m: True, is_seam),
    "both are dropped": (lambda m: True, lambda m: True),
    "nothing is a seam": (lambda m: not is_seam(m), lambda m: False),
}


def shared(shows) -> tuple[MemoryStore, SeamedIndex]:
    whole, embed, rows = MemoryStore("docs"), HashEmbedding(), chunk_rows(TEXT)
    whole.put(rows, embed([row.text for row in rows]))
    chunks, seams = (Part(whole, part) for part in shows)
    return whole, SeamedIndex(chunks, seams, embed, whole_store=whole)


def test_r4_where_the_filters_are_right_both_share_a_collection() -> None:
    whole, index = shared(RIGHT)
    chunks = len(whole.rows)
    assert index.sync().added == chunks - 1
    assert index.status() == (chunks, chunks - 1, 0)
    assert index.sync().kept == chunks - 1


@pytest.mark.parametrize("shows", WRONG.values(), ids=WRONG)
def test_r4_where_a_filter_is_wrong_it_is_refused_before_anything_is_written(shows) -> None:
    whole, index = shared(shows)
    before = dict(whole.rows)
    if shows[1]({TYPE_KEY: SEAM_TYPE}) is False:  # only seen once there is a seam
        row = Row("seam", "text", {TYPE_KEY: SEAM_TYPE})
        whole.put([row], HashEmbedding()(["text"]))
        before = dict(whole.rows)
    with pytest.raises(StoreError, match=r"can not hold both.*second collection"):
        index.sync()
    assert whole.rows == before


def test_a_store_that_fails_while_it_is_read_says_that_nothing_was_written() -> None:
    class Broken(MemoryStore):
        def pages(self, size):
            yield [Row("a", "text", {"source": "s", "start_index": 0})]
            raise ConnectionError("connection cut")

    seams = MemoryStore("seams")
    with pytest.raises(SyncInterruptedError, match=r"reading chunks .*cut.* Nothing was added"):
        SeamedIndex(Broken("chunks"), seams, HashEmbedding()).sync()
    with pytest.raises(SyncInterruptedError, match="reading seams"):
        SeamedIndex(MemoryStore("chunks"), Broken("seams"), HashEmbedding()).sync()
    assert not seams.rows


def test_adapters_are_found_by_the_class_or_a_base_of_it() -> None:
    class Wrapper:
        def __init__(self, inner) -> None:
            self.inner = inner

    class Special(Wrapper):
        pass

    registry = StoreRegistry("mine", {}, {})
    inner = MemoryStore()
    with pytest.raises(StoreError, match=r"no adapter is known for Special.*mine\.register_store"):
        registry.resolve(Special(inner))
    registry.register("Wrapper", lambda wrapper, part: wrapper.inner, lambda wrapper: Special(None))
    assert registry.resolve(Special(inner)) is inner
    assert isinstance(registry.beside(Special(inner)), Special)
    assert registry.resolve(inner) is inner
    with pytest.raises(StoreError, match="of your own holds chunks or seams, not both"):
        registry.resolve(inner, "seams")
    with pytest.raises(StoreError, match="make one as you made the first"):
        registry.beside(inner)
    one_kind_only(inner, "all")
    with pytest.raises(StoreError, match="MemoryStore can not hold chunks and seams in one"):
        one_kind_only(inner, "chunks")


def test_a_lock_belongs_to_an_object_and_goes_with_it() -> None:
    class Unhashable:
        __hash__ = None

    one, other = Unhashable(), Unhashable()
    assert lock_of(one) is lock_of(one)
    assert lock_of(one) is not lock_of(other)
    with lock_of(one), lock_of(one, needed=False), lock_of(other):
        taken = []
        lock = lock_of(one)
        thread = threading.Thread(target=lambda: taken.append(lock.acquire(False)))
        thread.start()
        thread.join()
        assert taken == [False]
    before = len(_LOCKS)
    del one
    gc.collect()
    assert len(_LOCKS) == before - 1
