"""A small real store in memory, for tests of the core that are not about a certain store."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np

from seams_core import Hit, Row


class MemoryStore:
    """The store protocol over a dictionary; a filter is a callable over a row's metadata."""

    def __init__(self, name: str = "memory", batch_size: int = 1000) -> None:
        self.name = name
        self.batch_size = batch_size
        self.rows: dict[str, tuple[Row, np.ndarray]] = {}

    def pages(self, size: int) -> Iterator[list[Row]]:
        rows = [row for row, _ in self.rows.values()]
        for begin in range(0, len(rows), size):
            yield rows[begin : begin + size]

    def get(self, ids, filter=None) -> dict[str, Row]:
        found = {id: self.rows[id][0] for id in ids if id in self.rows}
        return {i: r for i, r in found.items() if filter is None or filter(r.metadata)}

    def search(self, vector, k, filter=None) -> list[Hit]:
        scored = [
            Hit(row.id, float(np.dot(vector, other)), row.text, row.metadata)
            for row, other in self.rows.values()
            if filter is None or filter(row.metadata)
        ]
        return sorted(scored, key=lambda hit: (-hit.score, hit.id))[:k]

    def put(self, rows, vectors) -> None:
        assert len(rows) <= self.batch_size
        for row, vector in zip(rows, vectors, strict=True):
            self.rows[row.id] = (row, np.asarray(vector))

    def drop(self, ids) -> None:
        for id in ids:
            self.rows.pop(id, None)


class HashEmbedding:
    """A bag of hashed words: the same text gives the same vector everywhere. Counts texts."""

    def __init__(self, size: int = 64) -> None:
        self.size = size
        self.texts: list[str] = []

    def __call__(self, texts: list[str]) -> np.ndarray:
        self.texts += texts
        return np.array([self.one(text) for text in texts])

    def query(self, text: str) -> np.ndarray:
        return self([text])[0]

    def one(self, text: str) -> np.ndarray:
        vector = np.full(self.size, 1e-3)
        for word in text.lower().split():
            vector[int(hashlib.md5(word.encode()).hexdigest(), 16) % self.size] += 1
        return vector / np.linalg.norm(vector)
