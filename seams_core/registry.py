"""Which adapter serves which vector store: a table by class name, one for each framework.

By name, so that no store has to be installed to be known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from seams_core.errors import StoreError
from seams_core.store import Store

#: Which rows a store is to show: all, or those of one kind where both share a collection.
Part: TypeAlias = Literal["all", "chunks", "seams"]
Factory: TypeAlias = Callable[..., Store]
Beside: TypeAlias = Callable[[Any], Any]


class StoreRegistry:
    """Adapters of one framework.

    :param framework: The framework's package, for messages.
    :param factories: From a class name to a factory, which is given the vector store, the part of
        it to show and whatever else the framework hands on.
    :param beside: From a class name to what makes a second collection beside a first.
    """

    def __init__(
        self, framework: str, factories: dict[str, Factory], beside: dict[str, Beside]
    ) -> None:
        self._framework = framework
        self._factories = factories
        self._beside = beside

    def register(self, class_name: str, factory: Factory, beside: Beside | None = None) -> None:
        """Teach it a vector store, by the name of its class or of a base of it."""
        self._factories[class_name] = factory
        if beside is not None:
            self._beside[class_name] = beside

    def resolve(self, vector_store: Any, part: Part = "all", *more: Any) -> Store:
        """The store behind a vector store; an object with the store's methods is its own.

        :raises StoreError: If no adapter is known for its type, or a store of the user's own is
            asked for a part.
        """
        for kind in type(vector_store).__mro__:
            if kind.__name__ in self._factories:
                return self._factories[kind.__name__](vector_store, part, *more)
        name = type(vector_store).__name__
        if not isinstance(vector_store, Store):
            raise StoreError(
                f"no adapter is known for {name}, so what it holds can not be listed. Pass an "
                "object with the methods of seams_core.Store (name, batch_size, pages, get, "
                f"search, put, drop), or teach it with {self._framework}.register_store. Known "
                "are " + ", ".join(sorted(self._factories))
            )
        if part != "all":
            raise StoreError(
                f"a {name} of your own holds chunks or seams, not both: pass a second store for "
                "the seams"
            )
        return vector_store

    def beside(self, vector_store: Any) -> Any:
        """A second, empty collection for seams beside an existing one, of the same kind.

        :raises StoreError: If that can not be made without more being known.
        """
        for kind in type(vector_store).__mro__:
            if kind.__name__ in self._beside:
                return self._beside[kind.__name__](vector_store)
        raise StoreError(
            f"a second collection beside a {type(vector_store).__name__} can not be made by "
            "itself: make one as you made the first and pass it as seam_store="
        )


def one_kind_only(vector_store: Any, part: Part) -> None:
    """For stores in which chunks and seams can not be told apart.

    :raises StoreError: If a part of the collection is asked for.
    """
    if part != "all":
        raise StoreError(
            f"{type(vector_store).__name__} can not hold chunks and seams in one collection: its "
            "filters do not tell them apart where chunks lack the type field. Pass a second "
            "collection as the seam store"
        )
