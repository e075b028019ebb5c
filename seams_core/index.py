"""An index that has seams beside its chunks: both collections, kept in step and searched."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from seams_core.keywords import KeywordIndex
from seams_core.locate import Locator
from seams_core.sentences import SentencesLike
from seams_core.shared import CheckedStore, check_shared
from seams_core.sources import DenseSource, KeywordSource, Source
from seams_core.staging import Surround
from seams_core.store import LEFT_KEY, RIGHT_KEY, Row, Store
from seams_core.sync import Embed, SyncReport, sync
from seams_core.tokens import TokenizerLike, checked_positive
from seams_core.types import Chunk
from seams_core.windows import DEFAULT_HALF_WIDTH, Snap, build_seams
from seams_core.words import terms_of

_PAGE = 2000


class IndexStatus(NamedTuple):
    """What an index holds now. ``stale`` counts seams with a chunk that is no longer there."""

    chunks: int
    seams: int
    stale: int

    def __str__(self) -> str:
        return f"{self.chunks} chunks, {self.seams} seams, {self.stale} of them stale"


class _Keywords(NamedTuple):
    chunks: KeywordIndex
    seams: KeywordIndex
    links: Mapping[str, tuple[str, str]]


@dataclass
class SeamedIndex:
    """Chunks and seams in two collections (rule R4), with what is needed to search both.

    :param chunk_store: The collection of chunks, which is only read (rule R5).
    :param seam_store: The collection of seams.
    :param embed: The chunks' own embedding function, for seams.
    :param keywords: Keep a keyword index of each collection in process, made when it is first
        needed; ``False`` for dense search alone.
    :param language: Of stemmer, stop words and sentence edges.
    :param half_width: k, in tokens; see :func:`seams_core.build_seams` for it and the next three.
    :param locator: How document and place are read from a row's metadata.
    :param surround: From a row to what its embedding was given before and after its text.
    :param whole_store: Where both share one collection, the store that shows all of it: before
        the first sync writes, the filters of the other two are held against it.
    :raises ValueError: If a setting is wrong.
    """

    chunk_store: Store
    seam_store: Store
    embed: Embed
    keywords: bool = True
    language: str | None = "english"
    half_width: int = DEFAULT_HALF_WIDTH
    snap: Snap = "outward"
    tokenizer: TokenizerLike | None = None
    sentences: SentencesLike | None = None
    locator: Locator = field(default_factory=Locator)
    surround: Surround | None = None
    batch_size: int = 256
    whole_store: Store | None = None

    def __post_init__(self) -> None:
        checked_positive("batch_size", self.batch_size)
        terms_of(self.language)
        if self.sentences is None:
            self.sentences = self.language
        build_seams(
            [],
            half_width=self.half_width,
            snap=self.snap,
            tokenizer=self.tokenizer,
            sentences=self.sentences,
        )
        self._lock = threading.Lock()
        self._keywords: _Keywords | None = None
        self._parted = False
        #: How often what is stored may have changed through this object.
        self.changes = 0

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()

    def sync(
        self, chunks: Iterable[Row] | Iterable[Chunk] | None = None, *, progress: bool = False
    ) -> SyncReport:
        """Bring the seams in step with the chunks; see :func:`seams_core.sync.sync`.

        :param chunks: Every chunk of the index; read from the chunk store if ``None``.
        :param progress: Show a progress bar.
        :raises StoreError: If both share a collection whose filters do not part them.
        """
        seam_store: Store = self.seam_store
        if self.whole_store is not None and not self._parted:
            check_shared(self.whole_store, self.chunk_store, self.seam_store)
            self._parted = True
            seam_store = CheckedStore(self.seam_store, self.chunk_store)
        if chunks is None:
            chunks = (row for page in self.chunk_store.pages(_PAGE) for row in page)
        try:
            return sync(
                chunks,
                seam_store,
                self.embed,
                half_width=self.half_width,
                snap=self.snap,
                tokenizer=self.tokenizer,
                sentences=self.sentences,
                locator=self.locator,
                surround=self.surround,
                batch_size=self.batch_size,
                progress=progress,
            )
        finally:
            self.forget()

    def forget(self) -> None:
        """Drop the keyword indexes, so that the next query makes them anew."""
        with self._lock:
            self._keywords = None
            self.changes += 1

    def status(self) -> IndexStatus:
        """Count what is there, and the seams that a change has left without a chunk."""
        chunk_ids = {row.id for page in self.chunk_store.pages(_PAGE) for row in page}
        seams = stale = 0
        for page in self.seam_store.pages(_PAGE):
            seams += len(page)
            stale += sum(not chunk_ids.issuperset(_link(row.metadata)) for row in page)
        return IndexStatus(len(chunk_ids), seams, stale)

    def sources(self, *, keywords: bool = True) -> Sequence[Source]:
        """The first-stage lists of a query: dense chunks and seams, then keywords of each.

        :param keywords: ``False`` leaves the keyword lists out, and their indexes unmade.
        """
        chunks = DenseSource(self.chunk_store, "chunk")
        if not (self.keywords and keywords):
            return (chunks, DenseSource(self.seam_store, "seam"))
        words = self._keyword_indexes()
        return (
            chunks,
            DenseSource(self.seam_store, "seam", words.links),
            KeywordSource(words.chunks, "chunk"),
            KeywordSource(words.seams, "seam", words.links),
        )

    def _keyword_indexes(self) -> _Keywords:
        with self._lock:  # made once, however many queries come at the same time
            if self._keywords is None:
                links: dict[str, tuple[str, str]] = {}

                def seams() -> Iterable[tuple[str, str]]:
                    for page in self.seam_store.pages(_PAGE):
                        for row in page:
                            links[row.id] = _link(row.metadata)
                            yield row.id, row.text

                chunks = (
                    (row.id, row.text) for page in self.chunk_store.pages(_PAGE) for row in page
                )
                self._keywords = _Keywords(
                    KeywordIndex.build(chunks, language=self.language),
                    KeywordIndex.build(seams(), language=self.language),
                    links,
                )
            return self._keywords


def reading_order(rows: Sequence[Row], locator: Locator) -> list[Row]:
    """Rows document by document, in the order in which the documents first rank, each in reading
    order, so that the chunks of a pair stand side by side."""
    places = {row.id: locator(row) for row in rows}
    first: dict[str, int] = {}
    for rank, row in enumerate(rows):
        first.setdefault(places[row.id].document_id, rank)
    return sorted(rows, key=lambda row: (first[places[row.id].document_id], places[row.id][1:]))


def _link(metadata: Mapping[str, Any]) -> tuple[str, str]:
    return str(metadata.get(LEFT_KEY, "")), str(metadata.get(RIGHT_KEY, ""))
