"""From a text to the terms of keyword search, by language (paper 3.2, step 1)."""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import lru_cache
from typing import Any

# Scripts that are written without spaces, whose words no regular expression can find.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3040-\u30ff\u31f0-\u31ff"  # Japanese syllables
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Chinese characters
)
_RUN = re.compile(rf"[{_UNSPACED}]+|[^\W{_UNSPACED}]+(?:['’][^\W{_UNSPACED}]+)*")
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")
_UNKNOWN_TO_UTF8 = re.compile("[\ud800-\udfff]")

#: Languages by the name of their Snowball stemmer, and where bm25s keeps their stop words.
_STOP_WORDS = {
    "english": "STOPWORDS_EN",
    "german": "STOPWORDS_GERMAN",
    "dutch": "STOPWORDS_DUTCH",
    "french": "STOPWORDS_FRENCH",
    "spanish": "STOPWORDS_SPANISH",
    "portuguese": "STOPWORDS_PORTUGUESE",
    "italian": "STOPWORDS_ITALIAN",
    "russian": "STOPWORDS_RUSSIAN",
    "swedish": "STOPWORDS_SWEDISH",
    "norwegian": "STOPWORDS_NORWEGIAN",
    "turkish": "STOPWORDS_TURKISH",
    "danish": "STOPWORDS_DANISH",
    "chinese": "STOPWORDS_CHINESE",
    "korean": "STOPWORDS_KOREAN",
}
#: Languages without a stemmer that are still worth a name.
_UNSTEMMED = ("chinese", "japanese", "korean", "thai")


@lru_cache(maxsize=32)
def terms_of(language: str | None) -> Terms:
    """The terms of a language; ``None`` neither stems nor leaves out stop words.

    :raises ValueError: If the language is unknown, naming those that are allowed.
    """
    return Terms(language)


class Terms:
    """Turns texts into terms: normalised, case-folded, without stop words, stemmed.

    Runs of a script without spaces become overlapping pairs of characters. A name with
    underscores counts whole and by its parts.
    """

    def __init__(self, language: str | None) -> None:
        self.language = language
        self._stemmer: Any = None
        self._stop: frozenset[str] = frozenset()
        self._stems: dict[str, str] = {}
        self._lock = threading.Lock()  # a stemmer's own state is not safe between threads
        if language is None:
            return
        import Stemmer

        allowed = {*Stemmer.algorithms(), *_UNSTEMMED}
        if language not in allowed:
            raise ValueError(
                f"language={language!r} is not allowed: give None or one of "
                + ", ".join(sorted(allowed))
            )
        if language not in _UNSTEMMED:
            self._stemmer = Stemmer.Stemmer(language)
        if language in _STOP_WORDS:
            from bm25s import stopwords

            words = getattr(stopwords, _STOP_WORDS[language], ())
            self._stop = frozenset(word.casefold() for word in words)

    def __call__(self, text: str) -> list[str]:
        """The terms of ``text``, in its order, repeats included."""
        if not text.isascii():
            text = unicodedata.normalize("NFKC", _UNKNOWN_TO_UTF8.sub(" ", text))
        terms: list[str] = []
        for run in _RUN.findall(text.casefold()):
            if _IS_UNSPACED.match(run):
                terms += [run[i : i + 2] for i in range(max(1, len(run) - 1))]
            elif run not in self._stop:
                terms.append(self._stem(run.replace("’", "'").removesuffix("'s")))
                if "_" in run:
                    terms += [self._stem(part) for part in run.split("_") if part]
        return terms

    def _stem(self, word: str) -> str:
        if self._stemmer is None:
            return word
        stem = self._stems.get(word)
        if stem is None:
            with self._lock:
                stem = str(self._stemmer.stemWord(word))
                if len(self._stems) < 500_000:
                    self._stems[word] = stem
        return stem
