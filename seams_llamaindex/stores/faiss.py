"""LlamaIndex's FAISS stores: vectors alone, so the nodes are read from the index's docstore."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
from llama_index.core.vector_stores.simple import SimpleVectorStore
from numpy.typing import ArrayLike

from seams_core.errors import StoreError
from seams_core.registry import Part, one_kind_only
from seams_core.store import Hit, Row, Store
from seams_llamaindex.stores.conditions import passes
from seams_llamaindex.stores.nodes import node_row

_READ_ONLY = (
    "a LlamaIndex FAISS store keeps neither text nor metadata, and gives a deleted place to the "
    "next vector: pass a SimpleVectorStore, or another kind, as the seam store"
)


def store(vector_store: Any, part: Part, index: Any) -> Store:
    """The nodes of ``index``, found by the FAISS index; a filter is a ``MetadataFilters``.

    :raises StoreError: If no ``VectorStoreIndex`` is given, or a part is asked for.
    """
    one_kind_only(vector_store, part)
    if index is None:
        raise StoreError(
            f"{type(vector_store).__name__} keeps no nodes: pass the VectorStoreIndex over it, "
            "whose docstore has them"
        )
    return FaissStore(vector_store, index)


def beside(vector_store: Any) -> Any:
    """A SimpleVectorStore: FAISS alone can not hold what a seam is."""
    return SimpleVectorStore()


class FaissStore:
    """The store protocol, read-only."""

    batch_size = 10_000
    name = "faiss"

    def __init__(self, vector_store: Any, index: Any) -> None:
        self._store, self._index = vector_store, index

    def _node_ids(self) -> dict[int, str]:
        """From a place in the FAISS index to a node's id."""
        mapped = getattr(self._store, "_faiss_id_to_node_id_map", None)
        if mapped is not None:
            return {int(place): id for place, id in mapped.items()}
        return {int(place): id for place, id in self._index.index_struct.nodes_dict.items()}

    def _rows(self, ids: Sequence[str]) -> dict[str, Row]:
        nodes = self._index.docstore.get_nodes(list(ids), raise_error=False)
        return {node.node_id: node_row(node) for node in nodes}

    def pages(self, size: int) -> Iterator[list[Row]]:
        """Every row, in pages, in the order of places."""
        ids = iter(dict.fromkeys(self._node_ids().values()))
        while page := list(islice(ids, size)):
            yield list(self._rows(page).values())

    def get(self, ids: Sequence[str], filter: Any = None) -> dict[str, Row]:
        """The rows with these ids that also pass ``filter``, judged by the nodes' metadata."""
        there = set(self._node_ids().values()).intersection(ids)
        rows = self._rows([id for id in dict.fromkeys(ids) if id in there])
        return {id: row for id, row in rows.items() if passes(row.metadata, filter)}

    def search(self, vector: ArrayLike, k: int, filter: Any = None) -> list[Hit]:
        """The ``k`` nearest rows, in the order of the FAISS index."""
        faiss_index = self._store.client
        node_ids = self._node_ids()
        wanted = k if filter is None else faiss_index.ntotal
        query = np.asarray(vector, dtype=np.float32).reshape(1, -1)
        scores, places = faiss_index.search(query, max(1, min(wanted, faiss_index.ntotal)))
        best: dict[str, float] = {}
        for score, place in zip(scores[0], places[0], strict=True):
            if int(place) in node_ids:
                best.setdefault(node_ids[int(place)], float(score))
        rows = self.get(list(best), filter)
        return [
            Hit(id, score, rows[id].text, rows[id].metadata, rows[id].payload)
            for id, score in best.items()
            if id in rows
        ][:k]

    def put(self, rows: Sequence[Row], vectors: ArrayLike) -> None:
        """Chunks are only read."""
        raise StoreError(_READ_ONLY)

    def drop(self, ids: Sequence[str]) -> None:
        """Chunks are only read."""
        raise StoreError(_READ_ONLY)
