"""First-stage lists: chunks and seams searched apart, dense and keyword apart (rule R7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

from seams_core.store import LEFT_KEY, RIGHT_KEY, Hit, Store
from seams_core.types import Kind


@runtime_checkable
class Source(Protocol):
    """One ranked list of chunks or of seams.

    Seam hits carry their links in their metadata. An asynchronous twin ``afind`` is optional:
    where there is one it is awaited, elsewhere ``find`` runs in a thread.
    """

    @property
    def kind(self) -> Kind:
        """What it ranks."""
        ...

    @property
    def needs_vector(self) -> bool:
        """Whether it wants the query's embedding."""
        ...

    @property
    def filters(self) -> bool:
        """Whether its hits are shown to pass the caller's filter and carry text and metadata."""
        ...

    def find(self, query: str, vector: Any, depth: int, filter: Any) -> list[Hit]:
        """At most ``depth`` hits, best first."""
        ...


@dataclass(frozen=True)
class DenseSource:
    """Vector search in a store; ``filter`` is handed on for chunks and never for seams."""

    store: Store
    kind: Kind
    needs_vector: ClassVar[bool] = True

    @property
    def filters(self) -> bool:
        """Only the chunks' own search is filtered."""
        return self.kind == "chunk"

    def find(self, query: str, vector: Any, depth: int, filter: Any) -> list[Hit]:
        """At most ``depth`` hits, best first."""
        return self.store.search(vector, depth, filter if self.filters else None)

    async def afind(self, query: str, vector: Any, depth: int, filter: Any) -> list[Hit]:
        """The same, by the store's own asynchronous search where it has one."""
        import asyncio

        wanted = filter if self.filters else None
        native = getattr(self.store, "asearch", None)
        if native is not None:
            hits: list[Hit] = await native(vector, depth, wanted)
            return hits
        return await asyncio.to_thread(self.store.search, vector, depth, wanted)


class Keywords(Protocol):
    """What a keyword source needs of an index; see :class:`seams_core.keywords.KeywordIndex`."""

    def search(self, query: str, k: int) -> list[tuple[str, float]]:
        """At most ``k`` ids with their scores, best first."""
        ...


@dataclass(frozen=True)
class KeywordSource:
    """Keyword search in process, with the statistics of its own collection.

    :param index: The index.
    :param kind: What it holds.
    :param links: For seams: the left and right chunk of each.
    """

    index: Keywords
    kind: Kind
    links: Mapping[str, tuple[str, str]] | None = None
    needs_vector: ClassVar[bool] = False
    filters: ClassVar[bool] = False

    def find(self, query: str, vector: Any, depth: int, filter: Any) -> list[Hit]:
        """At most ``depth`` hits, best first; their texts are not known here."""
        found = self.index.search(query, depth)
        if self.links is None:
            return [Hit(id, score, "", {}) for id, score in found]
        return [Hit(id, score, "", self._link(id)) for id, score in found]

    def _link(self, id: str) -> dict[str, str]:
        link = (self.links or {}).get(id)
        return {LEFT_KEY: link[0], RIGHT_KEY: link[1]} if link else {}
