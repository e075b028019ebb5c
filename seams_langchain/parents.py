"""The parents of a MultiVectorRetriever as a store of chunks, ranked by their best unit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from langchain_core.documents import Document
from numpy.typing import ArrayLike

from seams_core import Hit, Row, Store
from seams_core.errors import StoreError
from seams_langchain.stores import resolve_store


class ParentStore:
    """The store protocol, read-only, over small units in a vector store and parents in a docstore.

    A filter is that of the vector store and speaks of units: a parent passes it if one of its
    units does.

    :param vectorstore: The vector store of the units.
    :param docstore: The key-value store of the parents; its keys are their ids.
    :param id_key: The metadata key under which a unit names its parent.
    """

    batch_size = 1000

    def __init__(self, vectorstore: Any, docstore: Any, id_key: str) -> None:
        self._units: Store = resolve_store(vectorstore)
        self._docstore = docstore
        self._id_key = id_key
        self.name = f"{self._units.name}-parents"
        self._units_of: dict[str, list[str]] | None = None

    def pages(self, size: int) -> Iterator[list[Row]]:
        """Every parent, in pages, in the order in which the docstore gives its keys."""
        self._units_of = None  # what is read anew may have other units, too
        keys = iter(self._docstore.yield_keys())
        while page := list(islice(keys, size)):
            rows = self._rows(page)
            if rows:
                yield list(rows.values())

    def get(self, ids: Sequence[str], filter: Any = None) -> dict[str, Row]:
        """The parents with these ids that have a unit which passes ``filter``."""
        rows = self._rows(list(dict.fromkeys(ids)))
        if filter is None or not rows:
            return rows
        units_of = self._parents()
        units = {unit: id for id in rows for unit in units_of.get(id, [])}
        passing = {units[unit] for unit in self._units.get(list(units), filter)}
        return {id: row for id, row in rows.items() if id in passing}

    def search(self, vector: ArrayLike, k: int, filter: Any = None) -> list[Hit]:
        """The ``k`` parents whose best units are nearest; those missing in the docstore not."""
        wanted, before = 4 * k, -1
        while True:
            hits = self._units.search(vector, wanted, filter)
            best: dict[str, Hit] = {}
            for hit in hits:
                parent = hit.metadata.get(self._id_key)
                if parent is not None:
                    best.setdefault(str(parent), hit)
            rows = self._rows(list(best))
            if len(rows) >= k or len(hits) < wanted or len(hits) == before:
                break
            wanted, before = 2 * wanted, len(hits)
        found = [
            Hit(id, hit.score, rows[id].text, rows[id].metadata)
            for id, hit in best.items()
            if id in rows
        ]
        return found[:k]

    def put(self, rows: Sequence[Row], vectors: ArrayLike) -> None:
        """Parents are only read."""
        raise StoreError("parents are only read: write them as you did before, then sync()")

    def drop(self, ids: Sequence[str]) -> None:
        """Parents are only read."""
        raise StoreError("parents are only read: delete them as you did before, then sync()")

    def _rows(self, keys: list[str]) -> dict[str, Row]:
        rows: dict[str, Row] = {}
        for key, document in zip(keys, self._docstore.mget(keys), strict=True):
            if document is None:
                continue
            if not isinstance(document, Document):
                raise StoreError(
                    f"the docstore holds a {type(document).__name__} under {key!r}: its values "
                    "must be Documents (wrap a byte store with create_kv_docstore)"
                )
            rows[key] = Row(key, document.page_content, document.metadata)
        return rows

    def _parents(self) -> dict[str, list[str]]:
        if self._units_of is None:
            units_of: dict[str, list[str]] = {}
            for page in self._units.pages(2000):
                for row in page:
                    parent = row.metadata.get(self._id_key)
                    if parent is not None:
                        units_of.setdefault(str(parent), []).append(row.id)
            self._units_of = units_of
        return self._units_of
