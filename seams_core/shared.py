"""Chunks and seams in one collection (rule R4): only where the store can tell them apart.

Chunks that were there before lack the type field, and in several stores a "not equal" filter
silently leaves such rows out, or lets seams through. So the store is asked, and its answer held
against what is seen by reading every row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from numpy.typing import ArrayLike

from seams_core.errors import StoreError
from seams_core.store import SEAM_TYPE, TYPE_KEY, Hit, Row, Store

_PAGE = 1000


def check_shared(everything: Store, chunks: Store, seams: Store) -> None:
    """Refuse a collection whose filters on the type field do not part chunks from seams.

    :param everything: The collection without a filter.
    :param chunks: The same collection, showing what is not a seam.
    :param seams: The same collection, showing seams alone.
    :raises StoreError: If a filter leaves out a row that it should show, or the other way round.
    """
    for page in everything.pages(_PAGE):
        is_seam = {row.id: row.metadata.get(TYPE_KEY) == SEAM_TYPE for row in page}
        for part, store, wanted in (("chunks", chunks, False), ("seams", seams, True)):
            right = {id for id, seam in is_seam.items() if seam == wanted}
            shown = set(store.get(list(is_seam)))
            if shown != right:
                raise _refusal(everything.name, len(is_seam), part, shown, right)


class CheckedStore:
    """The seams of a shared collection, whose first write is taken back where it goes wrong.

    A filter that is dropped without a word can only be seen once there is a seam.
    """

    def __init__(self, seams: Store, chunks: Store) -> None:
        self._seams, self._chunks = seams, chunks
        self._checked = False
        self.name, self.batch_size = seams.name, seams.batch_size

    def pages(self, size: int) -> Iterator[list[Row]]:
        """As the seams' own."""
        return self._seams.pages(size)

    def get(self, ids: Sequence[str], filter: Any = None) -> dict[str, Row]:
        """As the seams' own."""
        return self._seams.get(ids, filter)

    def search(self, vector: ArrayLike, k: int, filter: Any = None) -> list[Hit]:
        """As the seams' own."""
        return self._seams.search(vector, k, filter)

    def drop(self, ids: Sequence[str]) -> None:
        """As the seams' own."""
        self._seams.drop(ids)

    def put(self, rows: Sequence[Row], vectors: ArrayLike) -> None:
        """As the seams' own, looked at once.

        :raises StoreError: If what was written shows among the chunks, or not among the seams.
        """
        self._seams.put(rows, vectors)
        if self._checked or not rows:
            return
        ids = [row.id for row in rows]
        sides: list[tuple[str, Store, set[str]]] = [
            ("chunks", self._chunks, set()),
            ("seams", self._seams, set(ids)),
        ]
        for part, store, right in sides:
            shown = set(store.get(ids))
            if shown != right:
                self._seams.drop(ids)
                raise _refusal(self.name, len(ids), part, shown, right)
        self._checked = True


def _refusal(name: str, rows: int, part: str, shown: set[str], right: set[str]) -> StoreError:
    return StoreError(
        f"collection {name!r} can not hold both chunks and seams: of {rows} rows its filter on "
        f"{TYPE_KEY!r} shows {len(shown)} as {part}, where {len(right)} are (for instance "
        f"{min(shown ^ right)!r} is on the wrong side). Pass a second collection as the seam store"
    )
