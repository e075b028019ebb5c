"""A LlamaIndex model as the writer of calibration questions (paper 3.2)."""

from __future__ import annotations

from llama_index.core.llms import LLM

from seams_core.calibration.writing import PROMPT, AsyncWriter, Writer


def writer_of(llm: LLM | Writer | None) -> Writer | None:
    """A writer that asks ``llm``; callables that are no models are writers already."""
    if not isinstance(llm, LLM):
        return llm

    def write(text: str) -> str:
        return llm.complete(PROMPT.format(text=text)).text

    write.__name__ = llm.metadata.model_name
    return write


def awriter_of(llm: LLM | AsyncWriter | None) -> AsyncWriter | None:
    """:func:`writer_of` for what is awaited."""
    if not isinstance(llm, LLM):
        return llm

    async def write(text: str) -> str:
        return (await llm.acomplete(PROMPT.format(text=text))).text

    write.__name__ = llm.metadata.model_name
    return write
