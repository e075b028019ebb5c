"""Putting chunks that come in a store's order into reading order, in bounded memory.

Stores give their rows in insertion, id or random order. They are staged in a temporary SQLite
file, which sorts them by document and place, and which also keeps the ledger of a sync: the ids
of the seams that are there.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, TypeAlias

from seams_core.chains import Linked, chained
from seams_core.errors import ChunkOrderError
from seams_core.locate import Locator, Place
from seams_core.store import Row
from seams_core.types import Chunk

_PROBE = 16  # characters by which an overlap of two texts is looked for
_SCHEMA = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -32000;
CREATE TABLE chunks (id TEXT PRIMARY KEY, document TEXT, section REAL, position REAL,
                     is_offset INTEGER, text BLOB, before BLOB, after BLOB,
                     previous TEXT, next TEXT);
CREATE TABLE numbered (id TEXT PRIMARY KEY, run INTEGER, place INTEGER) WITHOUT ROWID;
CREATE TABLE seams (id TEXT PRIMARY KEY, key TEXT, wanted INTEGER DEFAULT 0) WITHOUT ROWID;
CREATE INDEX seam_keys ON seams (key);
"""


#: From a row to what its embedding sees before and after its text.
Surround: TypeAlias = Callable[[Row], tuple[str, str]]
#: Metadata of a staged chunk, where that is not nothing.
BEFORE_KEY, AFTER_KEY = "before", "after"
_ALONE = (b"", b"", None, None)  # nothing around it, no links


class _Staged(NamedTuple):
    id: str
    place: Place
    text: str
    before: str
    after: str
    run: int | None

    @property
    def document_id(self) -> str:
        """The document, or the part of it that stands by itself."""
        document = self.place.document_id
        return f"{document}#{self.run}" if self.run else document

    @property
    def metadata(self) -> dict[str, str]:
        if not (self.before or self.after):
            return {}
        return {BEFORE_KEY: self.before, AFTER_KEY: self.after}


class Staging:
    """A temporary file of chunks and seam ids; use it as a context manager."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="seams-")
        self._db = sqlite3.connect(
            Path(self._folder.name) / "staging.sqlite", check_same_thread=False
        )
        self._db.executescript(_SCHEMA)

    def __enter__(self) -> Staging:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._db.close()
        self._folder.cleanup()

    def add_rows(
        self, rows: Iterable[Row], locator: Locator, surround: Surround | None = None
    ) -> None:
        """Stage chunks of a store, whose places are read from their metadata."""
        self._insert(
            (
                row.id,
                *locator(row),
                *map(_as_bytes, (row.text, *(surround(row) if surround else ("", "")))),
                *locator.links(row),
            )
            for row in rows
        )

    def add_chunks(self, chunks: Iterable[Chunk]) -> None:
        """Stage chunks whose offsets are known."""
        self._insert(
            (c.id, c.document_id, 0.0, float(c.start), True, _as_bytes(c.text), *_ALONE)
            for c in chunks
        )

    def _insert(self, items: Iterable[tuple[Any, ...]]) -> None:
        self._db.executemany(
            "INSERT OR REPLACE INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", items
        )

    def counts(self) -> tuple[int, int]:
        """How many chunks and how many documents are staged."""
        query = "SELECT COUNT(*), COUNT(DISTINCT document) FROM chunks"
        chunks, documents = self._db.execute(query).fetchone()
        return int(chunks), int(documents)

    def ordered(self) -> Iterator[Chunk]:
        """The chunks, one document after the other, in reading order, with offsets that fit.

        Exact duplicates, which ingesting twice leaves behind, come once. Where the store knows
        only an order, or offsets start anew on each page, offsets run on through the document.

        :raises ChunkOrderError: If two different chunks stand at one position.
        """
        before: _Staged | None = None
        chunk: Chunk | None = None
        for staged in self._sorted():
            same_document = before is not None and before.document_id == staged.document_id
            if not same_document:
                start = int(max(0, staged.place.position)) if staged.place.is_offset else 0
            else:
                assert before is not None
                assert chunk is not None
                if before.place[:3] == staged.place[:3] and staged.run is None:
                    if before.text == staged.text:
                        continue
                    raise ChunkOrderError(
                        f"chunks {before.id!r} and {staged.id!r} both stand at position "
                        f"{staged.place.position:g} of document {staged.place.document_id!r} with "
                        "different texts: delete the one that is out of date, or pass "
                        "document_key= or position_key= a key that tells them apart"
                    )
                start = _next_start(before, staged, chunk)
            end = start + len(staged.text)
            chunk = Chunk(staged.id, staged.document_id, staged.text, start, end, staged.metadata)
            before = staged
            yield chunk

    def _sorted(self) -> Iterator[_Staged]:
        self._follow_links()
        rows = self._db.cursor().execute(
            "SELECT id, document, section, position, is_offset, text, before, after, run "
            "FROM chunks LEFT JOIN numbered USING (id) "
            "ORDER BY document, run, place, section, position, id"
        )
        for id, document, section, position, is_offset, *texts, run in rows:
            place = Place(document, section, position, bool(is_offset))
            text, before, after = map(_as_text, texts)
            yield _Staged(id, place, text, before, after, run)

    def _follow_links(self) -> None:
        """Number the chunks of documents that have links, as these order them."""
        rows = self._db.cursor().execute(
            "SELECT id, document, section, position, is_offset, previous, next FROM chunks "
            "WHERE document IN (SELECT document FROM chunks WHERE previous NOT NULL OR next "
            "NOT NULL) ORDER BY document, section, position, id"
        )
        linked = (Linked(row[0], Place(*row[1:5]), *row[5:]) for row in rows)
        for _, chunks in groupby(linked, key=lambda chunk: chunk.place.document_id):
            runs = chained(list(chunks)) or []
            self._db.executemany(
                "INSERT INTO numbered VALUES (?, ?, ?)",
                ((id, run, place) for run, ids in enumerate(runs) for place, id in enumerate(ids)),
            )

    def add_seams(self, seams: Iterable[tuple[str, str | None]]) -> None:
        """Note seams that the seam store holds, with the keys of what they were made from."""
        self._db.executemany("INSERT OR IGNORE INTO seams (id, key) VALUES (?, ?)", seams)

    def want(self, seam_id: str) -> bool:
        """Note that a seam should be; whether it is there already."""
        found = self._db.execute("UPDATE seams SET wanted = 1 WHERE id = ?", (seam_id,))
        return found.rowcount > 0

    def want_made_from(self, keys: Sequence[str]) -> set[str]:
        """:meth:`want` for seams by their keys, which need not be made to be known.

        :return: The keys of those that are there already.
        """
        asked = json.dumps(keys)
        found = self._db.execute(
            "UPDATE seams SET wanted = 1 WHERE key IN (SELECT value FROM json_each(?)) "
            "RETURNING key",
            (asked,),
        )
        return {key for (key,) in found.fetchall()}

    def unwanted(self) -> Iterator[str]:
        """Seams that are there and should not be."""
        rows = self._db.cursor().execute("SELECT id FROM seams WHERE wanted = 0 ORDER BY id")
        return (str(id) for (id,) in rows)


def _next_start(before: _Staged, staged: _Staged, chunk: Chunk) -> int:
    """Where ``staged`` begins, on the scale of ``chunk``, the one before it."""
    if before.place.section != staged.place.section:
        return chunk.end + 2  # another page: as a paragraph of its own
    if staged.place.is_offset and before.place.is_offset:
        start = chunk.start + int(staged.place.position - before.place.position)
        if start > chunk.start and _is_shared(chunk.text[start - chunk.start :], staged.text):
            return start
        # Offsets that were found by looking for the text are wrong where it comes twice.
    overlap = text_overlap(before.text, staged.text)
    if overlap or before.text[-1:].isspace() or staged.text[:1].isspace():
        return max(chunk.start + 1, chunk.end - overlap)
    return chunk.end + 1  # the white space that splitters strip


def _is_shared(tail: str, text: str) -> bool:
    """Whether what two offsets say is shared really is; ``tail`` is empty beyond the chunk."""
    return tail.startswith(text) if len(tail) > len(text) else text.startswith(tail)


def _as_bytes(text: str) -> bytes:
    # SQLite's text refuses lone surrogates.
    return text.encode("utf-8", "surrogatepass")


def _as_text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def text_overlap(left: str, right: str) -> int:
    """How many characters the end of ``left`` and the beginning of ``right`` share, from 16 on."""
    probe = right[:_PROBE]
    if len(probe) < _PROBE:
        return 0
    at = left.find(probe, max(0, len(left) - len(right)))
    while at >= 0:
        if right.startswith(left[at:]):
            return len(left) - at
        at = left.find(probe, at + 1)
    return 0
