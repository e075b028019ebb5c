"""What a method of a comparison is: a name, its vectors, and an answer at a budget."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, Protocol

from seams_core.evaluation.bench import Bench
from seams_core.evaluation.collection import Collection, Unit
from seams_core.fusion import Fusion


@dataclass(frozen=True, slots=True)
class Answer:
    """What one question is answered from.

    :param chunks: The chunks handed on, best first.
    :param pairs: The pairs that a fired seam brought in: left and right chunk.
    """

    chunks: list[Unit]
    pairs: list[tuple[Unit, Unit]] = field(default_factory=list)


class Method(Protocol):
    """A way to choose chunks. Instances hold settings alone, so one serves many benches."""

    @property
    def name(self) -> str:
        """What the tables call it."""
        ...

    def collections(self, bench: Bench) -> list[Collection]:
        """Everything it searches: their vectors are its cost."""
        ...

    def returned(self, bench: Bench) -> Collection:
        """Where the chunks that it hands on come from."""
        ...

    def answer(self, bench: Bench, question: int, budget: int) -> Answer:
        """At most ``budget`` chunks for the question at that place of the set."""
        ...

    def settings(self) -> dict[str, Any]:
        """Everything that changes its answers, as JSON: results are stored by it."""
        ...


class OverChunks:
    """What searches the disjoint chunks alone, and returns them."""

    def collections(self, bench: Bench) -> list[Collection]:
        """The chunks."""
        return [bench.chunks]

    def returned(self, bench: Bench) -> Collection:
        """The chunks."""
        return bench.chunks

    def _ranked(self, bench: Bench, question: int) -> list[str]:
        fused = bench.fused(question, [("chunk", bench.chunks)])
        return bench.remember(question, "ranked", lambda: [entry.id for entry in fused])


class OverOwnChunks(ABC):
    """What searches chunks of its own making, and returns them."""

    @abstractmethod
    def _chunks(self, bench: Bench) -> Collection: ...

    def collections(self, bench: Bench) -> list[Collection]:
        """Its own chunks."""
        return [self._chunks(bench)]

    def returned(self, bench: Bench) -> Collection:
        """Its own chunks."""
        return self._chunks(bench)

    def answer(self, bench: Bench, question: int, budget: int) -> Answer:
        """The first chunks of the fused ranking; text that two of them share is sent twice."""
        held = self._chunks(bench)
        fused = bench.fused(question, [("chunk", held)])
        return chosen(held, [entry.id for entry in fused[:budget]], budget)


def chosen(collection: Collection, ids: list[str], budget: int) -> Answer:
    """The first ``budget`` of the chunks named."""
    return Answer([collection.by_id[id] for id in ids[:budget]])


@dataclass(frozen=True)
class Fused:
    """A method whose lists are fused in another way than by reciprocal rank fusion.

    :param method: Any.
    :param fusion: See :func:`seams_core.fusion.fuse`.
    """

    method: Method
    fusion: Fusion = "convex"

    @property
    def name(self) -> str:
        """That of the method, with the way of fusing."""
        return f"{self.method.name}, {self.fusion}"

    def collections(self, bench: Bench) -> list[Collection]:
        """Those of the method."""
        return self.method.collections(bench)

    def returned(self, bench: Bench) -> Collection:
        """Where the method's chunks come from."""
        return self.method.returned(bench)

    def answer(self, bench: Bench, question: int, budget: int) -> Answer:
        """What the method answers."""
        with bench.fusing(self.fusion):
            return self.method.answer(bench, question, budget)

    def settings(self) -> dict[str, Any]:
        """Those of the method, and the way of fusing."""
        return {**self.method.settings(), "fusion": self.fusion}
