"""Bringing the seams of an index in step with its chunks (rules R5 and R6)."""

from __future__ import annotations

import asyncio
import hashlib
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

from seams_core.errors import SeamsError, SyncInterruptedError
from seams_core.locate import Locator
from seams_core.sentences import SentencesLike
from seams_core.staging import AFTER_KEY, BEFORE_KEY, Staging, Surround
from seams_core.store import LEFT_KEY, RIGHT_KEY, SEAM_TYPE, TYPE_KEY, Row, Store
from seams_core.tokens import TokenizerLike, checked_positive
from seams_core.types import Chunk, Seam
from seams_core.windows import DEFAULT_HALF_WIDTH, Snap, WindowBuilder, adjacent, window_builder

#: Metadata of a stored seam: what it was made from, in short.
KEY = "seam_key"

_PAGE = 2000  # rows read at a time
_PAIRS = 200  # neighbours looked up at a time
_TRIES = 3  # of a write, for faults that pass
_WINDOWS = 1  # to be raised when windows are made in another way
_PAUSE = 0.2  # seconds before the second try; twice that before the third

#: Texts to vectors, in their order.
Embed = Callable[[list[str]], Sequence[Any]]


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync found and did.

    :param added: Seams embedded and written; nothing else is ever embedded.
    :param kept: Seams that were there and right.
    :param deleted: Seams that no longer had a place.
    :param chunks: Chunks read.
    :param documents: Documents they belong to.
    :param overlapping: Cuts whose chunks share text, in number of cuts.
    :param overlap: Text shared at those cuts, in characters on average.
    """

    added: int
    kept: int
    deleted: int
    chunks: int
    documents: int
    overlapping: int = 0
    overlap: float = 0.0

    def __str__(self) -> str:
        text = (
            f"{self.added} seams added, {self.kept} kept, {self.deleted} deleted, over "
            f"{self.chunks} chunks of {self.documents} documents"
        )
        if self.overlapping:
            text += (
                f"; the chunks overlap at {self.overlapping} cuts by {self.overlap:.0f} characters "
                "on average, which already keeps short evidence whole: seams add little there"
            )
        return text


def sync(
    chunks: Iterable[Row] | Iterable[Chunk],
    seam_store: Store,
    embed: Embed,
    *,
    half_width: int = DEFAULT_HALF_WIDTH,
    snap: Snap = "outward",
    tokenizer: TokenizerLike | None = None,
    sentences: SentencesLike | None = None,
    locator: Locator | None = None,
    surround: Surround | None = None,
    batch_size: int = 256,
    progress: bool = False,
) -> SyncReport:
    """Compute the seams that should be, add those that are missing, delete the rest (R6).

    A difference, not a rebuild: run twice, it does nothing the second time; stopped at any moment
    and run again, it ends in the same state. Seams are added before others are deleted, so that
    who searches meanwhile loses nothing. Memory does not grow with the number of chunks.

    :param chunks: Every chunk of the index, in any order: rows of a store, or chunks.
    :param seam_store: Where the seams are; its name enters their ids.
    :param embed: The chunks' own embedding function.
    :param half_width: k, in tokens; likewise ``snap``, ``tokenizer`` and ``sentences``: see
        :func:`seams_core.build_seams`.
    :param locator: How document and place are read from a row's metadata.
    :param surround: From a row to what its embedding was given before and after its text, such
        as its title; a seam is embedded with what stands around its left chunk.
    :param batch_size: How many seams are embedded and written at a time.
    :param progress: Show a progress bar.
    :raises ValueError: If a setting is wrong.
    :raises MissingKeyError: If document or place of a chunk can not be told.
    :raises ChunkOrderError: If two different chunks stand at one position.
    :raises SyncInterruptedError: If the store or the embedding failed; what was written is valid.
    """
    size = min(checked_positive("batch_size", batch_size), seam_store.batch_size)
    settings: dict[str, Any] = {
        "half_width": half_width,
        "snap": snap,
        "tokenizer": tokenizer,
        "sentences": sentences,
        "namespace": seam_store.name,
    }
    builder = window_builder(**settings)  # settings are checked before anything is read
    work = _Work(seam_store, embed, size)
    with Staging() as staging:
        with _reading("chunks"):
            _stage(staging, chunks, locator or Locator(), surround)
        with _reading("seams"):
            for keyed in _keyed(seam_store):
                staging.add_seams(keyed)
        count, documents = staging.counts()
        overlaps = _Overlaps()
        keys = _Keys(builder)
        with _bar(progress, max(0, count - documents)) as bar:
            pairs = adjacent(overlaps.watch(staging.ordered()))
            while page := list(islice(pairs, _PAIRS)):
                made_from = [keys.of(*pair) for pair in page]
                there = staging.want_made_from(made_from)
                for pair, key in zip(page, made_from, strict=True):
                    if key in there:
                        work.kept += 1
                        continue
                    seam = builder.seam(pair)
                    if seam is None:
                        continue
                    # Under another title the same window is embedded anew.
                    if staging.want(seam.id) and not any(_around(pair[0])):
                        work.kept += 1
                    else:
                        work.add(seam, key, pair[0])
                bar.update(len(page))
            work.flush()
        unwanted = staging.unwanted()
        while batch := list(islice(unwanted, size)):
            work.drop(batch)
    return SyncReport(
        work.added,
        work.kept,
        work.deleted,
        count,
        documents,
        overlaps.cuts,
        overlaps.characters / max(1, overlaps.cuts),
    )


async def async_sync(
    chunks: Iterable[Row] | Iterable[Chunk],
    seam_store: Store,
    embed: Callable[[list[str]], Awaitable[Sequence[Any]]],
    **settings: Any,
) -> SyncReport:
    """:func:`sync` in a thread, with an asynchronous embedding awaited in this event loop.

    Cancelled, it stops before the next batch; what was written is valid.

    :param chunks: See :func:`sync`, and for the rest.
    :param embed: The chunks' own embedding function, asynchronous.
    """
    loop, cancelled = asyncio.get_running_loop(), threading.Event()

    def embed_there(texts: list[str]) -> Sequence[Any]:
        if cancelled.is_set():
            raise RuntimeError("cancelled")
        return asyncio.run_coroutine_threadsafe(_awaited(embed(texts)), loop).result()

    try:
        return await asyncio.to_thread(sync, chunks, seam_store, embed_there, **settings)
    except asyncio.CancelledError:
        cancelled.set()
        raise


async def _awaited(vectors: Awaitable[Sequence[Any]]) -> Sequence[Any]:
    return await vectors


def seam_row(seam: Seam, key: str = "") -> Row:
    """A seam as it is stored: flat scalars, the type field and the two links.

    :param key: Tells what it was made from, so that a later sync need not make it to know it.
    """
    metadata = {
        TYPE_KEY: SEAM_TYPE,
        LEFT_KEY: seam.left_chunk_id,
        RIGHT_KEY: seam.right_chunk_id,
        "document_id": seam.document_id,
        "seam_start": seam.start,
        "seam_cut": seam.cut,
        "seam_end": seam.end,
        KEY: key,
        **{f"seam_{name}": value for name, value in seam.metadata.items()},
    }
    return Row(seam.id, seam.text, metadata)


class _Work:
    """Seams on their way into the store, and what has been done so far."""

    def __init__(self, store: Store, embed: Embed, size: int) -> None:
        self.store, self.embed, self.size = store, embed, size
        self.added = self.kept = self.deleted = 0
        self._pending: list[tuple[Seam, str, str]] = []

    def add(self, seam: Seam, key: str, left: Chunk) -> None:
        before, after = _around(left)
        self._pending.append((seam, key, before + seam.text + after))
        if len(self._pending) >= self.size:
            self.flush()

    def flush(self) -> None:
        seams, self._pending = self._pending, []
        if not seams:
            return
        try:
            vectors = self.embed([text for _, _, text in seams])
        except Exception as error:
            raise self._stopped("embedding seams", error) from error
        if len(vectors) != len(seams):
            raise SyncInterruptedError(
                f"the embedding function gave {len(vectors)} vectors for {len(seams)} texts: it "
                "must give one for each; nothing of this batch was written"
            )
        rows = [seam_row(seam, key) for seam, key, _ in seams]
        self.write(lambda: self.store.put(rows, vectors), "writing seams")
        self.added += len(seams)

    def drop(self, ids: list[str]) -> None:
        self.write(lambda: self.store.drop(ids), "deleting seams")
        self.deleted += len(ids)

    def write(self, call: Callable[[], None], doing: str) -> None:
        """Try a write again on a fault that may pass: all writes here can be repeated."""
        for attempt in range(1, _TRIES + 1):
            try:
                return call()
            except (ValueError, TypeError, AttributeError, SeamsError) as error:
                raise self._stopped(doing, error) from error
            except Exception as error:
                if attempt == _TRIES:
                    raise self._stopped(doing, error) from error
                time.sleep(_PAUSE * attempt)
        return None

    def _stopped(self, doing: str, error: Exception) -> SyncInterruptedError:
        return SyncInterruptedError(
            f"stopped while {doing} ({type(error).__name__}: {error}). {self.added} seams were "
            f"added and {self.deleted} deleted before that; all of them are valid. Run sync again "
            "to complete it"
        )


def _keyed(store: Store) -> Iterator[list[tuple[str, str | None]]]:
    """Ids and keys of all seams, without their texts where the store can leave these out."""
    field_pages = getattr(store, "field_pages", None)
    if field_pages is not None:
        yield from field_pages(KEY, _PAGE)
        return
    for page in store.pages(_PAGE):
        yield [(row.id, row.metadata.get(KEY)) for row in page]


class _Keys:
    """What a seam is made from, in short: both chunks, how they join, and the settings."""

    def __init__(self, builder: WindowBuilder) -> None:
        self._settings = f"{_WINDOWS}|{builder.namespace}|{builder.settings}"
        self._before: tuple[str, bytes] = ("", b"")

    def of(self, left: Chunk, right: Chunk) -> str:
        """The key of the seam between two neighbours."""
        id, text = self._before
        if id != left.id:
            text = self._text(left)
        joined = hashlib.blake2b(text, digest_size=16)
        text = self._text(right)
        joined.update(text)
        joined.update(f"{left.end}|{right.start}|{self._settings}".encode())
        if around := "|".join(_around(left)).strip("|"):
            joined.update(around.encode("utf-8", "surrogatepass"))
        self._before = right.id, text
        return joined.hexdigest()

    @staticmethod
    def _text(chunk: Chunk) -> bytes:
        whole = f"{len(chunk.id)}|{chunk.id}|{chunk.text}"
        return hashlib.blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _around(chunk: Chunk) -> tuple[str, str]:
    """What the embedding sees before and after the text of a staged chunk."""
    return chunk.metadata.get(BEFORE_KEY, ""), chunk.metadata.get(AFTER_KEY, "")


class _Overlaps:
    """Counts how much neighbouring chunks share, as they pass."""

    def __init__(self) -> None:
        self.cuts = 0
        self.characters = 0

    def watch(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        before: Chunk | None = None
        for chunk in chunks:
            if before is not None and before.document_id == chunk.document_id:
                shared = before.end - chunk.start
                if shared > 0:
                    self.cuts += 1
                    self.characters += shared
            before = chunk
            yield chunk


def _stage(
    staging: Staging,
    chunks: Iterable[Row] | Iterable[Chunk],
    locator: Locator,
    surround: Surround | None,
) -> None:
    items = iter(chunks)
    while page := list(islice(items, _PAGE)):
        staging.add_chunks(item for item in page if isinstance(item, Chunk))
        staging.add_rows((item for item in page if isinstance(item, Row)), locator, surround)


@contextmanager
def _reading(what: str) -> Iterator[None]:
    """A store that fails while it is read: nothing has been written yet, and that is said."""
    try:
        yield
    except SeamsError:
        raise
    except Exception as error:
        raise SyncInterruptedError(
            f"stopped while reading {what} ({type(error).__name__}: {error}). Nothing was added or "
            "deleted. Run sync again to complete it"
        ) from error


def _bar(progress: bool, total: int) -> Any:
    from tqdm import tqdm

    return tqdm(total=total, desc="seams", unit="seam", disable=not progress)
