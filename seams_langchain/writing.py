"""A LangChain model as the writer of calibration questions (paper 3.2)."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable

from seams_core.calibration.writing import PROMPT, AsyncWriter, Writer


def writer_of(llm: Runnable[Any, Any] | Writer | None) -> Writer | None:
    """A writer that asks ``llm``; callables that are no runnables are writers already."""
    if not isinstance(llm, Runnable):
        return llm

    def write(text: str) -> str:
        return _text(llm.invoke(PROMPT.format(text=text)))

    write.__name__ = llm.get_name()
    return write


def awriter_of(llm: Runnable[Any, Any] | AsyncWriter | None) -> AsyncWriter | None:
    """:func:`writer_of` for what is awaited."""
    if not isinstance(llm, Runnable):
        return llm

    async def write(text: str) -> str:
        return _text(await llm.ainvoke(PROMPT.format(text=text)))

    write.__name__ = llm.get_name()
    return write


def _text(answer: Any) -> str:
    return str(answer.text) if isinstance(answer, BaseMessage) else str(answer)
