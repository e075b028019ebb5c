"""What Seams needs of a store: a small protocol, without any store being imported here.

Adapters for real stores live in the framework packages; a user's own store needs these five
methods and no base class. Asynchronous twins (``aget``, ``asearch``) are optional: where a store
has them they are awaited, elsewhere the synchronous method runs in a thread.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from numpy.typing import ArrayLike

#: Metadata of a stored seam: the type field and the two links (paper 3.1, steps 3 and 4).
TYPE_KEY = "seams_type"
SEAM_TYPE = "seam"
LEFT_KEY = "left_chunk_id"
RIGHT_KEY = "right_chunk_id"


class Row(NamedTuple):
    """A stored text with its id and metadata; no vector.

    ``payload`` is whatever the adapter wants to have back: a framework's own object, say.
    """

    id: str
    text: str
    metadata: Mapping[str, Any]
    payload: Any = None


class Hit(NamedTuple):
    """One result of a search. ``score`` may be in any unit, and more or less may be better, as
    long as it follows the order of the hits in equal steps; it is not comparable between lists."""

    id: str
    score: float
    text: str
    metadata: Mapping[str, Any]
    payload: Any = None


@runtime_checkable
class Store(Protocol):
    """A collection of texts with vectors.

    ``filter`` is always the caller's own filter in the store's own syntax, or ``None``.
    """

    @property
    def name(self) -> str:
        """The collection's name; it enters the ids of the seams that belong to it."""
        ...

    @property
    def batch_size(self) -> int:
        """How many rows one write may hold."""
        ...

    def pages(self, size: int) -> Iterator[list[Row]]:
        """Every row, in pages of at most ``size`` rows, in the store's own order."""
        ...

    def get(self, ids: Sequence[str], filter: Any = None) -> dict[str, Row]:
        """The rows with these ids that also pass ``filter``; missing ids are left out."""
        ...

    def search(self, vector: ArrayLike, k: int, filter: Any = None) -> list[Hit]:
        """The ``k`` nearest rows, best first."""
        ...

    def put(self, rows: Sequence[Row], vectors: ArrayLike) -> None:
        """Write rows with their vectors; a row whose id is there already is replaced whole."""
        ...

    def drop(self, ids: Sequence[str]) -> None:
        """Delete by id; missing ids and an empty sequence are fine."""
        ...
