"""Running SQLAlchemy statements, several in one transaction, plainly or awaited."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Sequence
from typing import Any, Protocol


class Runner(Protocol):
    """Runs statements in one transaction and gives the rows of the last one."""

    def run(self, statements: Sequence[Any]) -> Sequence[Any]:
        """Run them."""
        ...

    def is_async_here(self) -> bool:
        """Whether ``arun`` can be awaited in the running event loop."""
        ...

    async def arun(self, statements: Sequence[Any]) -> Sequence[Any]:
        """Run them, awaited."""
        ...


class EngineRunner:
    """By an engine, and by an asynchronous one where there is one.

    The connections of an asynchronous engine belong to the event loop that opened them: in every
    other loop a thread does the work.
    """

    def __init__(self, engine: Any, async_engine: Any = None) -> None:
        self._engine, self._async_engine = engine, async_engine
        self._loop: weakref.ref[asyncio.AbstractEventLoop] | None = None

    def run(self, statements: Sequence[Any]) -> Sequence[Any]:
        """Run them in one transaction."""
        with self._engine.begin() as connection:
            for statement in statements:
                result = connection.execute(statement)
            return list(result) if result.returns_rows else []

    def is_async_here(self) -> bool:
        """Only in the first loop that asks."""
        if self._async_engine is None:
            return False
        loop = asyncio.get_running_loop()
        if self._loop is None:
            self._loop = weakref.ref(loop)
        return self._loop() is loop

    async def arun(self, statements: Sequence[Any]) -> Sequence[Any]:
        """Run them in one transaction, awaited."""
        return await _in_transaction(self._async_engine, statements)


class LoopRunner:
    """By an asynchronous engine alone, in an event loop of its own, so from everywhere."""

    def __init__(self, async_engine: Any, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self._engine = async_engine
        self._loop = loop or _background_loop()

    def run(self, statements: Sequence[Any]) -> Sequence[Any]:
        """Run them in one transaction."""
        work = _in_transaction(self._engine, statements)
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def is_async_here(self) -> bool:
        """Always."""
        return True

    async def arun(self, statements: Sequence[Any]) -> Sequence[Any]:
        """Run them in one transaction, awaited."""
        work = _in_transaction(self._engine, statements)
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))


async def _in_transaction(engine: Any, statements: Sequence[Any]) -> Sequence[Any]:
    async with engine.begin() as connection:
        for statement in statements:
            result = await connection.execute(statement)
        return list(result) if result.returns_rows else []


def _background_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="seams-sql", daemon=True).start()
    return loop
