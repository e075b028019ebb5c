"""Who writes the questions: a callable of the user's, a language model's, or none at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from seams_core.words import terms_of

#: From a text to a question that it answers.
Writer: TypeAlias = Callable[[str], str]
AsyncWriter: TypeAlias = Callable[[str], Awaitable[str]]

#: What adapters ask a language model.
PROMPT = (
    "Write one question that the following text answers. Ask as someone would who does not have "
    "the text: do not repeat its wording, and do not refer to it. Reply with the question alone."
    "\n\nText: {text}"
)


class RareWords:
    """A stand-in for a writer, offline: a query of the text's own rarest words.

    It is an approximation: a person's question shares fewer words with its answer, so ranks come
    out too well, on both sides.

    :param frequencies: For each term in how many texts it is.
    :param language: Of stemmer and stop words.
    :param words: How many words a query has.
    """

    name = "rarest words"

    def __init__(
        self, frequencies: Counter[str], language: str | None = "english", words: int = 6
    ) -> None:
        self._frequencies, self._words = frequencies, words
        self._terms = terms_of(language)

    def __call__(self, text: str) -> str:
        """The rarest words of ``text``, in its order; empty if it has none."""
        found: dict[str, tuple[int, int, str]] = {}
        for place, word in enumerate(text.split()):
            for term in self._terms(word):
                found.setdefault(term, (self._frequencies[term], place, word.strip(".,;:!?()\"'")))
        rarest = sorted(found.values())[: self._words]
        return " ".join(dict.fromkeys(word for _, _, word in sorted(rarest, key=lambda w: w[1])))
