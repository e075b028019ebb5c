"""Late chunking: embed long texts first, then pool each chunk's tokens (paper 1.3 and 3.5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from seams_core.evaluation.bench import Bench
from seams_core.evaluation.collection import Collection
from seams_core.evaluation.comparators.base import OverOwnChunks

#: From a text to one vector per token and where each token begins, in characters.
TokenVectors = Callable[[str], tuple[Any, Sequence[int]]]


@dataclass(frozen=True)
class LateChunking(OverOwnChunks):
    """The mean of the token vectors that a chunk has inside its longer text.

    Each document is embedded in stretches of whole chunks, as many as fit the model's window.

    :param token_vectors: The model; its window must hold ``window`` tokens.
    :param window: In tokens of the chunking, at least the chunk size.
    :param label: Tells this model from others, in tables and in stored results.
    """

    token_vectors: TokenVectors
    window: int
    label: str

    @property
    def name(self) -> str:
        """With the label."""
        return f"late chunking: {self.label}"

    def _chunks(self, bench: Bench) -> Collection:
        plain = bench.chunks
        key = ("late", self.label, self.window)
        if key in bench.extra:
            return bench.extra[key]
        vectors = np.zeros_like(plain.vectors)
        stretch: list[int] = []
        tokens = 0
        for place, unit in enumerate(plain.units):
            size = bench.ruler.count(unit.span)
            if stretch and (
                plain.units[stretch[-1]].span.document_id != unit.span.document_id
                or tokens + size > self.window
            ):
                self._pool(plain, stretch, vectors)
                stretch, tokens = [], 0
            stretch.append(place)
            tokens += size
        if stretch:
            self._pool(plain, stretch, vectors)
        bench.extra[key] = replace(plain, vectors=vectors)
        return bench.extra[key]

    def _pool(self, plain: Collection, stretch: list[int], vectors: Any) -> None:
        units = [plain.units[place] for place in stretch]
        rows, starts = self.token_vectors("".join(unit.text for unit in units))
        rows, begin = np.asarray(rows, dtype=np.float32), 0
        for place, unit in zip(stretch, units, strict=True):
            low, high = np.searchsorted(starts, (begin, begin + len(unit.text)))
            if high > low:
                mean = rows[low:high].mean(axis=0)
                vectors[place] = mean / max(float(np.linalg.norm(mean)), 1e-12)
            begin += len(unit.text)

    def settings(self) -> dict[str, Any]:
        """Label and window."""
        return {"method": "late", "label": self.label, "window": self.window}
