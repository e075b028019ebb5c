"""Chunks and seams in one collection (rule R4): only where the store can tell them apart.

Chunks that were there before lack the type field, and in several stores a "not equal" filter
silently leaves such rows out, or lets seams through. So the store is asked, and its answer held
against what is seen by reading every row.
"""

from __future__ import annotations

from seams_core.errors import StoreError
from seams_core.store import SEAM_TYPE, TYPE_KEY, Store

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
                raise StoreError(
                    f"collection {everything.name!r} can not hold both chunks and seams: of "
                    f"{len(is_seam)} rows its filter on {TYPE_KEY!r} shows {len(shown)} as {part}, "
                    f"where {len(right)} are (for instance {min(shown ^ right)!r} is on the wrong "
                    "side). Pass a second collection as the seam store"
                )
