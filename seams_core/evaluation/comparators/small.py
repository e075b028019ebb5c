"""Small units that lead to chunks: sliding windows and sentences (paper 1.3, 2 and 3.5)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Any

from seams_core.evaluation.bench import Bench, scored
from seams_core.evaluation.collection import Collection, Ranking, Unit
from seams_core.evaluation.comparators.base import Answer, chosen
from seams_core.evaluation.comparators.plain import windows
from seams_core.evaluation.data import Span
from seams_core.fusion import Scored
from seams_core.sentences import as_edges
from seams_core.types import Entry

_DEPTH_FACTOR = 8  # many small units lead to the same chunk


class OverSmall(ABC):
    """What searches small units and returns the chunks they lead to.

    A list of small units becomes a list of chunks, each at the place of its best unit, and is
    fused with the lists of the chunks themselves; ``alone`` leaves those out.
    """

    alone: bool

    @abstractmethod
    def _small(self, bench: Bench) -> Collection: ...

    def collections(self, bench: Bench) -> list[Collection]:
        """The chunks, unless they are not searched, and the small units."""
        return [self._small(bench)] if self.alone else [bench.chunks, self._small(bench)]

    def returned(self, bench: Bench) -> Collection:
        """The chunks."""
        return bench.chunks

    def answer(self, bench: Bench, question: int, budget: int) -> Answer:
        """The first chunks of the fused ranking."""
        small = self._small(bench)

        def rank() -> list[str]:
            depth, held = bench.settings.depth, bench.chunks
            lists = [
                _parents(small, found[question], depth) for found in (small.dense, small.keywords)
            ]
            if not self.alone:
                lists += [
                    scored("chunk", held, found[question]) for found in (held.dense, held.keywords)
                ]
            fused = bench.fuse(lists)
            return [entry.id for entry in fused]

        ranked = bench.remember(question, ("small", id(small), self.alone), rank)
        return chosen(bench.chunks, ranked, budget)


@dataclass(frozen=True)
class Windows(OverSmall):
    """Sliding windows, each linked to every chunk it overlaps; chunks are searched as well.

    :param size: Tokens of a window.
    :param stride: Tokens from one window's beginning to the next; 0 is the chunk size.
    :param alone: Search the windows and not the chunks.
    """

    size: int = 256
    stride: int = 128
    alone: bool = False

    @property
    def name(self) -> str:
        """With size and stride."""
        stride = self.stride or "one chunk"
        return f"windows {self.size}/{stride}" + (", chunks not searched" if self.alone else "")

    def _small(self, bench: Bench) -> Collection:
        stride = self.stride or bench.settings.chunk_size
        factor = _DEPTH_FACTOR if stride < bench.settings.chunk_size else 1
        return bench.collection(
            ("windows", self.size, stride),
            lambda: windows(bench, self.size, stride, link=True),
            depth=factor * bench.settings.depth,
        )

    def settings(self) -> dict[str, Any]:
        """Size and stride."""
        return {"method": "windows", "depth_factor": _DEPTH_FACTOR, **asdict(self)}


@dataclass(frozen=True)
class Sentences(OverSmall):
    """Small to big: sentences are searched, and lead to the chunks they lie in.

    :param alone: Search the sentences and not the chunks, as small-to-big retrieval does.
    """

    alone: bool = True

    @property
    def name(self) -> str:
        """With what is searched."""
        return "small to big by sentences" + ("" if self.alone else ", with chunks")

    def _small(self, bench: Bench) -> Collection:
        return bench.collection(
            "sentences",
            lambda: sentence_units(bench),
            depth=_DEPTH_FACTOR * bench.settings.depth,
        )

    def settings(self) -> dict[str, Any]:
        """What is searched."""
        return {"method": "sentences", "depth_factor": _DEPTH_FACTOR, **asdict(self)}


def _parents(small: Collection, ranking: Ranking, depth: int) -> list[Scored]:
    found: dict[Entry, float] = {}
    for place, score in zip(ranking.units.tolist(), ranking.scores.tolist(), strict=True):
        for id in small.units[place].parents:
            found.setdefault(Entry("chunk", id), score)
        if len(found) >= depth:
            break
    return list(found.items())[:depth]


def sentence_units(bench: Bench) -> list[Unit]:
    """Every sentence of every document, linked to the chunks it lies in."""
    edges = as_edges(None)
    by_document: dict[str, list[Unit]] = {}
    for unit in bench.chunks.units:
        by_document.setdefault(unit.span.document_id, []).append(unit)
    units = []
    for id, text in bench.data.texts.items():
        chunks, at = by_document.get(id, []), 0
        start = 0
        while start < len(text):
            edge = edges.first(text, start + 1, len(text))
            end = len(text) if edge is None else edge
            if text[start:end].strip():
                while chunks[at].span.end <= start:
                    at += 1
                last = at
                while chunks[last].span.end < end:
                    last += 1
                parents = tuple(chunk.id for chunk in chunks[at : last + 1])
                units.append(Unit(f"{id}:{start}", Span(id, start, end), text[start:end], parents))
            start = end
    return units
