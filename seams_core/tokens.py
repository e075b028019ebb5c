"""Which tokenizer measures a text: tiktoken by default, or whatever the user brings.

Everything that cuts asks three questions of a :class:`TokenMeasure`: how many tokens has a text,
where do its first n end, where do its last n begin. :func:`as_measure` turns an encoding name, a
tiktoken encoding, a Hugging Face tokenizer, a :class:`Tokenizer` or a plain callable into one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

DEFAULT_ENCODING = "cl100k_base"


@runtime_checkable
class Tokenizer(Protocol):
    """The least that a tokenizer must offer to take tiktoken's place.

    A ``name`` attribute, where there is one, enters the ids of seams.
    """

    def token_ends(self, text: str) -> Sequence[int]:
        """Where each token ends, in characters, never falling; its length is the token count."""
        ...


@runtime_checkable
class TokenMeasure(Protocol):
    """How the method asks about tokens. Offsets are in characters."""

    @property
    def name(self) -> str:
        """What enters the settings of a seam's id."""
        ...

    def count(self, text: str) -> int:
        """How many tokens ``text`` has."""
        ...

    def prefix(self, text: str, start: int, limit: int) -> int:
        """The end of a piece of ``text`` from ``start`` that has at most ``limit`` tokens.

        Always past ``start``: one code point that alone has more tokens stands by itself.
        """
        ...

    def head(self, text: str, n: int) -> int:
        """Where the first ``n`` tokens end, moved right if that lies inside a code point."""
        ...

    def tail(self, text: str, n: int) -> int:
        """Where the last ``n`` tokens begin, moved left if that lies inside a code point."""
        ...


#: Whatever can stand in for a tokenizer: see :func:`as_measure`.
TokenizerLike: TypeAlias = Any


def as_measure(tokenizer: TokenizerLike | None = None) -> TokenMeasure:
    """Turn what the user names as ``tokenizer`` into a measure.

    :param tokenizer: ``None`` (tiktoken's ``cl100k_base``), the name of a tiktoken encoding, a
        tiktoken ``Encoding``, a Hugging Face ``tokenizers.Tokenizer`` or fast ``transformers``
        tokenizer, a :class:`Tokenizer`, or a callable that maps a text to its token count or to
        its list of tokens.
    :raises ValueError: If it is none of these, or the encoding name is unknown.
    :raises TokenizerUnavailableError: If tiktoken's file can not be found.
    """
    from seams_core._measures import CallableMeasure, HuggingFaceMeasure, OffsetMeasure
    from seams_core._tiktoken import TiktokenMeasure, tiktoken_measure

    if tokenizer is None:
        return tiktoken_measure(DEFAULT_ENCODING)
    if isinstance(tokenizer, str):
        return tiktoken_measure(tokenizer)
    if isinstance(tokenizer, TokenMeasure):
        return tokenizer
    if hasattr(tokenizer, "token_ends"):
        return OffsetMeasure(tokenizer)
    if hasattr(tokenizer, "encode_ordinary"):
        return TiktokenMeasure(tokenizer)
    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if hasattr(backend, "encode_batch") and hasattr(backend, "to_str"):
        return HuggingFaceMeasure(backend)
    if callable(tokenizer):
        return CallableMeasure(tokenizer)
    raise ValueError(
        f"tokenizer={tokenizer!r} is not understood: give the name of a tiktoken encoding, a "
        "tiktoken Encoding, a Hugging Face fast tokenizer, an object with token_ends(text), or a "
        "callable that maps a text to its token count or its tokens"
    )


def checked_positive(name: str, value: int) -> int:
    """``value`` if it is a whole number of at least 1.

    :raises ValueError: Otherwise, naming the setting, the value and what is allowed.
    """
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < 1:
        raise ValueError(f"{name}={value!r} is not allowed: give a whole number of at least 1")
    return int(value)
