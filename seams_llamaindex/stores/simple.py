"""LlamaIndex's SimpleVectorStore: vectors and metadata in it, the nodes in a docstore."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from typing import Any

import numpy as np
from llama_index.core.vector_stores.simple import SimpleVectorStore, SimpleVectorStoreData
from llama_index.core.vector_stores.types import VectorStoreQuery
from numpy.typing import ArrayLike

from seams_core.locks import lock_of
from seams_core.registry import Part
from seams_core.store import SEAM_TYPE, TYPE_KEY, Hit, Row, Store
from seams_llamaindex.stores.conditions import passes
from seams_llamaindex.stores.nodes import node_row, read_row, row_metadata


def store(vector_store: Any, part: Part, index: Any) -> Store:
    """Its dictionaries; a filter is a ``MetadataFilters``."""
    return SimpleStore(vector_store, part, index)


def beside(vector_store: Any) -> Any:
    """Another one; it is persisted as the first one is."""
    return type(vector_store)()


class SimpleStore:
    """The store protocol. What is written here carries its text along and needs no docstore."""

    batch_size = 10_000
    name = "simple"

    def __init__(self, vector_store: Any, part: Part, index: Any) -> None:
        self._store = vector_store
        self._part = part
        self._index = index

    @property
    def _lock(self) -> AbstractContextManager[Any]:
        # Rows are written part by part.
        return lock_of(self._store)

    @property
    def _metadata(self) -> dict[str, Mapping[str, Any]]:
        metadata: dict[str, Mapping[str, Any]] = self._store.data.metadata_dict
        return metadata

    def _is_seam(self, id: str) -> bool:
        return bool(self._metadata.get(id, {}).get(TYPE_KEY) == SEAM_TYPE)

    def _ids(self) -> list[str]:
        ids = list(self._store.data.embedding_dict)
        if self._part == "all":
            return ids
        wanted = self._part == "seams"
        return [id for id in ids if self._is_seam(id) == wanted]

    def _own_ids(self) -> list[str]:
        """Of nodes those of this index: others may share its storage context, and so the store."""
        ids = self._ids()
        if self._index is None or self._part == "seams":
            return ids
        own = set(self._index.index_struct.nodes_dict.values())
        return [id for id in ids if id in own or self._is_seam(id)]

    def _rows(self, ids: Sequence[str]) -> dict[str, Row]:
        rows: dict[str, Row] = {}
        elsewhere = []
        for id in ids:
            metadata = self._metadata.get(id, {})
            if "_node_content" in metadata:
                rows[id] = read_row(id, None, metadata)
            else:
                elsewhere.append(id)
        if self._index is not None and elsewhere:
            nodes = self._index.docstore.get_nodes(elsewhere, raise_error=False)
            rows.update((node.node_id, node_row(node)) for node in nodes)
        return {id: rows[id] for id in ids if id in rows}

    def pages(self, size: int) -> Iterator[list[Row]]:
        """Every row, in pages, in the order of insertion; with those of other indexes, since the
        seams' store is shared by all, too."""
        ids = iter(self._ids())
        while page := list(islice(ids, size)):
            yield list(self._rows(page).values())

    def get(self, ids: Sequence[str], filter: Any = None) -> dict[str, Row]:
        """The rows with these ids that also pass ``filter``."""
        there = set(self._own_ids()).intersection(ids)
        return self._rows([id for id in dict.fromkeys(ids) if id in there and self._ok(id, filter)])

    def search(self, vector: ArrayLike, k: int, filter: Any = None) -> list[Hit]:
        """The ``k`` nearest rows by cosine similarity."""
        # A copy is searched, as the store's own query goes through what an insertion changes.
        # Filters are judged here: that query takes no nested ones.
        vectors = dict(self._store.data.embedding_dict)
        ids = [id for id in self._own_ids() if id in vectors]
        wanted = {id: vectors[id] for id in ids if self._ok(id, filter)}
        copied: Any = SimpleVectorStore(data=SimpleVectorStoreData(embedding_dict=wanted))
        found = copied.query(
            VectorStoreQuery(query_embedding=np.asarray(vector).tolist(), similarity_top_k=k)
        )
        rows = self._rows(found.ids)
        scored = dict(zip(found.ids, map(float, found.similarities), strict=True))
        hits = [
            Hit(id, scored[id], row.text, row.metadata, row.payload) for id, row in rows.items()
        ]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))

    def _ok(self, id: str, filter: Any) -> bool:
        if filter is None:
            return True
        metadata = self._metadata.get(id)  # none where it has just been deleted
        return metadata is not None and passes(metadata, filter)

    def put(self, rows: Sequence[Row], vectors: ArrayLike) -> None:
        """Write rows with their vectors, replacing those that are there."""
        data = self._store.data
        written = [row_metadata(row, remove_text=False) for row in rows]
        with self._lock:
            for row, vector, metadata in zip(rows, np.asarray(vectors), written, strict=True):
                data.metadata_dict[row.id] = metadata
                data.text_id_to_ref_doc_id[row.id] = metadata["ref_doc_id"]
                data.embedding_dict[row.id] = vector.tolist()

    def drop(self, ids: Sequence[str]) -> None:
        """Delete by id."""
        data = self._store.data
        with self._lock:
            for id in ids:
                data.embedding_dict.pop(id, None)
                data.text_id_to_ref_doc_id.pop(id, None)
                data.metadata_dict.pop(id, None)
