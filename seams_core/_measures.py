"""Measures for tokenizers other than tiktoken: by token offsets, or by counting alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Sized
from typing import Any

_CHARS_PER_TOKEN = 5


class OffsetMeasure:
    """A measure over anything with ``token_ends(text)``, such as a user's own tokenizer.

    Pieces are checked by counting them alone, since a tokenizer that normalises or adds a leading
    mark may give a piece more tokens than it had inside the longer text.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self.name = str(getattr(tokenizer, "name", type(tokenizer).__name__))

    def _ends(self, text: str) -> Sequence[int]:
        ends: Sequence[int] = self._tokenizer.token_ends(text)
        return ends

    def count(self, text: str) -> int:
        """How many tokens ``text`` has, encoded alone."""
        return len(self._ends(text))

    def prefix(self, text: str, start: int, limit: int) -> int:
        """The end, in characters, of a piece from ``start`` of at most ``limit`` tokens."""
        width = limit * _CHARS_PER_TOKEN + 64
        while True:
            ends = self._ends(text[start : start + width])
            whole = start + width >= len(text)
            if whole or len(ends) > limit + 8:
                break
            width *= 2
        if whole and len(ends) <= limit:
            return len(text)
        wanted = limit
        while wanted > 0:
            size = int(ends[wanted - 1])
            excess = self.count(text[start : start + size]) - limit
            if size > 0 and excess <= 0:
                return start + size
            wanted -= max(excess, 1)
        return start + 1

    def head(self, text: str, n: int) -> int:
        """Where the first ``n`` tokens end, in characters."""
        ends = self._ends(text)
        return int(ends[n - 1]) if n < len(ends) else len(text)

    def tail(self, text: str, n: int) -> int:
        """Where the last ``n`` tokens begin, in characters."""
        ends = self._ends(text)
        return int(ends[-n - 1]) if n < len(ends) else 0


class HuggingFaceMeasure(OffsetMeasure):
    """A measure over a Hugging Face ``tokenizers.Tokenizer``.

    A copy without truncation and padding is used: many saved tokenizers carry the truncation of
    their model and would silently count no further than that.
    """

    def __init__(self, tokenizer: Any) -> None:
        copy = type(tokenizer).from_str(tokenizer.to_str())
        copy.no_truncation()
        copy.no_padding()
        super().__init__(copy)
        self.name = f"tokenizers:{type(copy.model).__name__}:{copy.get_vocab_size()}"

    def _ends(self, text: str) -> Sequence[int]:
        # Surrogates can not cross into Rust; the replacement keeps every offset.
        clean = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if len(clean) != len(text):
            clean = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
        encoding = self._tokenizer.encode(clean, add_special_tokens=False)
        return [end for _, end in encoding.offsets]


class CallableMeasure:
    """A measure over a callable that maps a text to its token count or to its tokens.

    Nothing is known of where its tokens lie, so places are found by bisection, which takes for
    granted that a longer piece has no fewer tokens.
    """

    def __init__(self, function: Callable[[str], int | Sized]) -> None:
        self._function = function
        self.name = str(getattr(function, "__qualname__", type(function).__name__))

    def count(self, text: str) -> int:
        """How many tokens ``text`` has."""
        answer = self._function(text)
        return answer if isinstance(answer, int) else len(answer)

    def prefix(self, text: str, start: int, limit: int) -> int:
        """The end, in characters, of a piece from ``start`` of at most ``limit`` tokens."""
        high = 1
        while start + high < len(text) and self.count(text[start : start + high]) <= limit:
            high *= 2
        if start + high >= len(text) and self.count(text[start:]) <= limit:
            return len(text)
        low, high = high // 2, min(high, len(text) - start)
        while high - low > 1:
            middle = (low + high) // 2
            if self.count(text[start : start + middle]) <= limit:
                low = middle
            else:
                high = middle
        return start + max(low, 1)

    def head(self, text: str, n: int) -> int:
        """Where the first ``n`` tokens end, in characters."""
        return self._smallest(len(text), lambda size: self.count(text[:size]) >= n)

    def tail(self, text: str, n: int) -> int:
        """Where the last ``n`` tokens begin, in characters."""
        total = len(text)
        return total - self._smallest(total, lambda size: self.count(text[total - size :]) >= n)

    @staticmethod
    def _smallest(total: int, reached: Callable[[int], bool]) -> int:
        """The smallest size up to ``total`` at which ``reached`` holds, or ``total``."""
        high = 1
        while high < total and not reached(high):
            high *= 2
        low, high = high // 2, min(high, total)
        while high - low > 1:
            middle = (low + high) // 2
            if reached(middle):
                high = middle
            else:
                low = middle
        return high
