"""Cutting a text into disjoint chunks of fixed length (paper 3.1, step 1; rules R1 and R2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seams_core.ids import chunk_id
from seams_core.tokens import TokenizerLike, as_measure, checked_positive
from seams_core.types import Chunk


def split_text(
    text: str,
    *,
    document_id: str,
    chunk_size: int = 1024,
    tokenizer: TokenizerLike | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> list[Chunk]:
    """Cut ``text`` into a partition of chunks (paper 3.1, step 1).

    Joined in order, the chunks give the text back exactly. No cut falls inside a code point; a
    single code point that alone has more than ``chunk_size`` tokens stands by itself.

    :param text: Any text; what looks like a special token is an ordinary string here.
    :param document_id: Stable name of the document; it enters the chunk ids.
    :param chunk_size: The most tokens a chunk may have.
    :param tokenizer: See :func:`seams_core.tokens.as_measure`; tiktoken's ``cl100k_base`` if none.
    :param metadata: Copied into every chunk.
    :return: The chunks in reading order; none for an empty text.
    :raises ValueError: If ``chunk_size`` is below 1 or ``tokenizer`` is not understood.
    :raises TypeError: If ``text`` or ``document_id`` is no string.
    :raises TokenizerUnavailableError: If tiktoken's file can not be found.
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, not {type(text).__name__}")
    if not isinstance(document_id, str):
        raise TypeError(f"document_id must be a str, not {type(document_id).__name__}")
    size = checked_positive("chunk_size", chunk_size)
    measure = as_measure(tokenizer)
    chunks: list[Chunk] = []
    start = 0
    while start < len(text):
        end = measure.prefix(text, start, size)
        piece = text[start:end]
        chunks.append(
            Chunk(
                chunk_id(document_id, start, piece),
                document_id,
                piece,
                start,
                end,
                dict(metadata or {}),
            )
        )
        start = end
    return chunks
