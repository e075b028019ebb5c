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
        """Whether its hits are shown to pass the caller's filter."""
        ...

    @property
    def carries_rows(self) -> bool:
        """Whether its hits carry text and metadata, so that these need not be read again."""
        ...

    def find(self, query: str, vector: Any, depth: int, filter: Any) -> list[Hit]:
        """At most ``depth`` hits, best first."""
        ...


@dataclass(frozen=True)
class DenseSource:
    """Vector search in a store; ``filter`` is handed on for chunks and never for seams.

    Where a store has ``search_ids``, which finds without reading texts and metadata, that is
    used: only the chunks handed on are read in the end.

    :param store: The store.
    :param kind: What it holds.
    :param links: For seams: the left and right chunk of each, where they are known in process.
    """

    store: Store
    kind: Kind
    links: Mapping[str, tuple[str, str]] | None = None
    needs_vector: ClassVar[bool] = True

    @property
    def filters(self) -> bool:
        """Only the chunks' own search is filtered."""
        return self.kind == "chunk"

    @property
    def carries_rows(self) -> bool:
        """Not where the store finds ids alone."""
        return self.kind == "chunk" and not self._ids_alone

    @property
    def _ids_alone(self) -> bool:
        can = hasattr(self.store, "search_ids")
        return can and (self.kind == "chunk" or self.links is not None)

    def find(self, query: str, vector: Any, depth: int, filter: Any) -> list[Hit]:
        """At most ``depth`` hits, best first."""
        wanted = filter if self.filters else None
        if not self._ids_alone:
            return self.store.search(vector, depth, wanted)
        hits: list[Hit] = self.store.search_ids(vector, depth, wanted)  # type: ignore[attr-defined]
        links = self.links
        if links is None:
            return hits
        # Seams that another process has added since the links were read.
        new = [hit.id for hit in hits if hit.id not in links]
        rows = self.store.get(new) if new else {}
        return [
            hit._replace(
                metadata=rows[hit.id].metadata if hit.id in rows else _link(links.get(hit.id))
            )
            for hit in hits
        ]

    async def afind(self, query: str, vector: Any, depth: int, filter: Any) -> list[Hit]:
        """The same, by the store's own asynchronous search where it has one."""
        import asyncio

        native = getattr(self.store, "asearch", None)
        if native is not None and not self._ids_alone:
            hits: list[Hit] = await native(vector, depth, filter if self.filters else None)
            return hits
        return await asyncio.to_thread(self.find, query, vector, depth, filter)


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
    carries_rows: ClassVar[bool] = False

    def find(self, query: str, vector: Any, depth: int, filter: Any) -> list[Hit]:
        """At most ``depth`` hits, best first; their texts are not known here."""
        found = self.index.search(query, depth)
        if self.links is None:
            return [Hit(id, score, "", {}) for id, score in found]
        return [Hit(id, score, "", _link(self.links.get(id))) for id, score in found]


def _link(link: tuple[str, str] | None) -> dict[str, str]:
    """A link as a stored seam carries it; none for a seam that is not known (yet)."""
    return {LEFT_KEY: link[0], RIGHT_KEY: link[1]} if link else {}
