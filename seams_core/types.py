"""The nouns of the method (paper 2 and 3.1): chunk, seam, entry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

Kind = Literal["chunk", "seam"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document that is stored, searched and returned (paper 3.1, step 1).

    :param id: Stable identifier, unique in its collection.
    :param document_id: The document that the chunk was cut from.
    :param text: The chunk's own text.
    :param start: Where the text begins in the document, in characters.
    :param end: Where it ends, in characters, exclusive.
    :param metadata: Whatever the caller wants to travel along; never read by the method.
    """

    id: str
    document_id: str
    text: str
    start: int
    end: int
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Seam:
    """The small search unit over one cut, linked to both chunks (paper 3.1, steps 2 and 3).

    :param id: Stable identifier, from both chunk ids, the window and the settings.
    :param document_id: The document of both chunks.
    :param left_chunk_id: The chunk that ends at the cut.
    :param right_chunk_id: The chunk that begins at the cut.
    :param text: The window's text. It only finds; it is never evidence.
    :param start: Where the window begins in the document, in characters.
    :param cut: Where the cut lies, in characters.
    :param end: Where the window ends, in characters, exclusive.
    :param metadata: Flat scalars that are stored beside the vector.
    """

    id: str
    document_id: str
    left_chunk_id: str
    right_chunk_id: str
    text: str
    start: int
    cut: int
    end: int
    metadata: Mapping[str, Any] = field(default_factory=dict)


class Entry(NamedTuple):
    """One line of a ranking: a chunk or a seam, by id."""

    kind: Kind
    id: str
