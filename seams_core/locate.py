"""Where a stored chunk stands: its document, and its place in it, read from metadata.

Indexes that exist were made by many splitters and loaders. Their usual keys are known here;
others can be named, as keys or as callables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from seams_core.errors import ChunkOrderError, MissingKeyError
from seams_core.store import Row

#: These name one document; the further ones a source, which may hold several.
ID_KEYS = ("document_id", "doc_id", "ref_doc_id")
DOCUMENT_KEYS = (*ID_KEYS, "source", "file_path", "file_name", "url")
#: Parts of one source that are documents of their own: rows of a table, records of a list.
PART_KEYS = ("row", "seq_num")
PAGE_KEYS = ("page", "page_number")
#: An offset in the whole document, whatever pages and rows it has.
WHOLE_OFFSET_KEY = "start_char_idx"
OFFSET_KEYS = ("start_index", WHOLE_OFFSET_KEY)
INDEX_KEYS = ("chunk_index", "chunk", "seq", "index")
#: Ids of the neighbours in the document, as adapters of frameworks that keep them name them.
PREVIOUS_KEY = "previous_id"
NEXT_KEY = "next_id"

#: A metadata key, or a callable from a row to the value.
Key: TypeAlias = "str | Callable[[Row], Any]"


class Place(NamedTuple):
    """A chunk's document and position.

    ``section`` and ``position`` order the chunks of a document; ``is_offset`` tells whether the
    position is an offset in characters, which starts anew in each section. A chunk whose place is
    told by its links alone has the position -1.
    """

    document_id: str
    section: float
    position: float
    is_offset: bool

    @property
    def is_known(self) -> bool:
        """Whether the position is told by more than links to neighbours."""
        return self.position >= 0


@dataclass(frozen=True)
class Locator:
    """Finds the place of a row.

    :param document_key: Key or callable for the document; the usual keys if ``None``.
    :param position_key: Key or callable for the place within the document, any number that rises
        in reading order; the usual keys if ``None``.
    """

    document_key: Key | None = None
    position_key: Key | None = None

    def __post_init__(self) -> None:
        for name in ("document_key", "position_key"):
            key = getattr(self, name)
            if not (key is None or isinstance(key, str) or callable(key)):
                raise ValueError(
                    f"{name}={key!r} is not allowed: give the name of a metadata key, or a "
                    "callable that is given the row"
                )

    def __call__(self, row: Row) -> Place:
        """The place of ``row``.

        :raises MissingKeyError: If document or position can not be told, naming the keys seen.
        :raises ChunkOrderError: If the position says of itself that it is not known.
        """
        metadata = row.metadata
        document = self._document(row)
        if self.position_key is not None:
            name, value = _named(row, self.position_key)
            if value is None:
                raise self._missing(row, "position", f"position_key={self.position_key!r}")
            return Place(document, 0.0, _number(row, name, value), name in OFFSET_KEYS)
        if (offset := metadata.get(WHOLE_OFFSET_KEY)) is not None:
            return Place(document, 0.0, _number(row, WHOLE_OFFSET_KEY, offset), True)
        if any(self.links(row)):
            # What else there is may be about something else, and only orders what is torn apart.
            value = _first(metadata, INDEX_KEYS)[1]
            known = isinstance(value, int | float) and value >= 0
            return Place(document, 0.0, float(value) if known else -1.0, False)
        section = _number(row, *_first(metadata, PAGE_KEYS))
        name, value = _first(metadata, OFFSET_KEYS)
        if value is not None:
            return Place(document, section, _number(row, name, value), True)
        name, value = _first(metadata, INDEX_KEYS)
        if value is not None:
            return Place(document, section, _number(row, name, value), False)
        tail = row.id.rsplit(":", 2)
        if len(tail) == 3 and tail[1].isdigit() and tail[2].isdigit():  # source:page:number
            return Place(document, float(tail[1]), float(tail[2]), False)
        if _first(metadata, PAGE_KEYS)[1] is not None:
            return Place(document, section, 0.0, False)
        raise self._missing(row, "position", ", ".join(OFFSET_KEYS + INDEX_KEYS + PAGE_KEYS))

    def links(self, row: Row) -> tuple[str | None, str | None]:
        """The ids of the previous and the next chunk; none where a position key was named."""
        if self.position_key is not None:
            return None, None
        return row.metadata.get(PREVIOUS_KEY), row.metadata.get(NEXT_KEY)

    def _document(self, row: Row) -> str:
        if self.document_key is not None:
            value = _named(row, self.document_key)[1]
            if value is None:
                raise self._missing(row, "document", f"document_key={self.document_key!r}")
            return str(value)
        name, value = _first(row.metadata, DOCUMENT_KEYS)
        if value is None:
            raise self._missing(row, "document", ", ".join(DOCUMENT_KEYS))
        if name in ID_KEYS:
            return str(value)
        parts = [str(row.metadata[key]) for key in PART_KEYS if row.metadata.get(key) is not None]
        return "#".join([str(value), *parts])

    @staticmethod
    def _missing(row: Row, what: str, looked_for: str) -> MissingKeyError:
        seen = ", ".join(sorted(map(str, row.metadata))) or "none"
        return MissingKeyError(
            f"the {what} of chunk {row.id!r} can not be told: looked for {looked_for}; its "
            f"metadata has the keys: {seen}. Pass {what}_key= the name of the right key, or a "
            "callable that is given the row"
        )


def _first(metadata: Mapping[str, Any], keys: tuple[str, ...]) -> tuple[str, Any]:
    for key in keys:
        if metadata.get(key) is not None:
            return key, metadata[key]
    return "", None


def _named(row: Row, key: Key) -> tuple[str, Any]:
    if callable(key):
        return getattr(key, "__name__", "callable"), key(row)
    return key, row.metadata.get(key)


def _number(row: Row, name: str, value: Any) -> float:
    if value is None:
        return 0.0
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ChunkOrderError(
            f"{name}={value!r} of chunk {row.id!r} is no number: pass position_key= a key or a "
            "callable that gives one"
        ) from None
    if number < 0 or number != number:
        raise ChunkOrderError(
            f"{name}={value!r} of chunk {row.id!r} does not say where it begins (some splitters "
            "write -1 when they do not know): pass position_key= a key or a callable that does"
        )
    return number
