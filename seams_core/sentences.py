"""Where sentences, paragraphs and list items begin, near a cut only (paper 3.1, step 2).

An edge is the offset at which a new sentence, paragraph or list item begins. Paragraph breaks,
list items, exclamation and question marks and the full stops of scripts without spaces are plain
to see; whether a full stop ends a sentence or an abbreviation is asked of NLTK's Punkt, with the
word before and the word after it, which is all that Punkt looks at.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

from seams_core._tiktoken import shipped_folder

DEFAULT_LANGUAGE = "english"

_EDGE = re.compile(
    r"""
      (?P<paragraph> \n [^\S\n]* \n \s* )                    # a blank line
    | (?P<item> \n (?= [^\S\n]* (?: [-*+•‣◦–—·] | \(?\d{1,3}[.)] | \(?[a-zA-Z][.)]
                                  | \(?[ivxIVX]{2,5}[.)] ) [^\S\n] ) )
    | (?P<stop> (?: [。｡！？‼⁇⁈⁉।॥۔؟։።] | ．(?!\d) )+ [」』”’）】》〉\]"')]* \s* )
    | (?P<mark> [.!?…]* [!?] [.!?…]* ['"”’»)\]]* \s+ )
    | (?P<dot> [.…]+ ['"”’»)\]]* \s+ )
    """,
    re.VERBOSE,
)
# Where an edge's match can begin: one character class is found far faster than the whole pattern.
_MARK = re.compile("[\\n.!?…。｡！？‼⁇⁈⁉।॥۔؟։።．]")
_LAST_WORD = re.compile(r"\S+\s*$")
_NEXT_WORD = re.compile(r"\S+")
_WORD_REACH = 80  # characters of a word that Punkt is shown
_STEP = 240  # characters looked through at a time on the way back
_LOOK_AROUND = 16  # characters beyond the wanted span in which an edge's match may begin
_lock = threading.Lock()


@runtime_checkable
class SentenceEdges(Protocol):
    """What the seam builder asks; offsets are in characters of ``text``."""

    @property
    def name(self) -> str:
        """What enters the settings of a seam's id."""
        ...

    def last(self, text: str, low: int, high: int) -> int | None:
        """The last edge in ``[low, high]``, or ``None``."""
        ...

    def first(self, text: str, low: int, high: int) -> int | None:
        """The first edge in ``[low, high]``, or ``None``."""
        ...


#: A language, an object with ``first`` and ``last``, or a callable from a text to its edges.
SentencesLike: TypeAlias = "str | SentenceEdges | Callable[[str], Sequence[int]]"


def as_edges(sentences: SentencesLike | None = None) -> SentenceEdges:
    """Turn what the user names as ``sentences`` into edges.

    :param sentences: ``None`` (English), the name of a language that Punkt knows, a
        :class:`SentenceEdges`, or a callable that maps a piece of text to the offsets, in
        characters, at which its sentences begin.
    :raises ValueError: If it is none of these.
    """
    if sentences is None:
        return PunktEdges(DEFAULT_LANGUAGE)
    if isinstance(sentences, str):
        return PunktEdges(sentences)
    if isinstance(sentences, SentenceEdges):
        return sentences
    if callable(sentences):
        return CallableEdges(sentences)
    raise ValueError(
        f"sentences={sentences!r} is not understood: give a language such as 'english', an object "
        "with first() and last(), or a callable from a text to the offsets where sentences begin"
    )


class PunktEdges:
    """Edges by marks and layout, with Punkt of one language to judge full stops."""

    def __init__(self, language: str = DEFAULT_LANGUAGE) -> None:
        self.language = language.strip().lower()
        self.name = f"punkt:{self.language}"

    def last(self, text: str, low: int, high: int) -> int | None:
        """The last edge in ``[low, high]``, in characters."""
        while low <= high:
            near = max(low, high - _STEP)
            for edge, match in reversed(list(_candidates(text, near, high))):
                if self._holds(text, edge, match):
                    return edge
            high = near - 1
        return None

    def first(self, text: str, low: int, high: int) -> int | None:
        """The first edge in ``[low, high]``, in characters."""
        for edge, match in _candidates(text, low, high):
            if self._holds(text, edge, match):
                return edge
        return None

    def _holds(self, text: str, edge: int, match: re.Match[str]) -> bool:
        if match.lastgroup != "dot":
            return True
        before = _LAST_WORD.search(text, max(0, edge - _WORD_REACH), edge)
        after = _NEXT_WORD.match(text, edge, edge + _WORD_REACH)
        if before is None or after is None:
            return False
        return _punkt(self.language).ends_sentence(before[0], after[0])


class CallableEdges:
    """Edges by a user's own splitter, which is shown only the text near the cut."""

    def __init__(self, function: Callable[[str], Sequence[int]]) -> None:
        self._function = function
        self.name = str(getattr(function, "__qualname__", type(function).__name__))

    def _edges(self, text: str, low: int, high: int) -> list[int]:
        # A line or two of context, so that the splitter need not guess at the borders.
        start = max(0, low - 200)
        found = (start + int(edge) for edge in self._function(text[start : high + 200]))
        return [edge for edge in found if low <= edge <= high and edge > 0]

    def last(self, text: str, low: int, high: int) -> int | None:
        """The last edge in ``[low, high]``, in characters."""
        return max(self._edges(text, low, high), default=None)

    def first(self, text: str, low: int, high: int) -> int | None:
        """The first edge in ``[low, high]``, in characters."""
        return min(self._edges(text, low, high), default=None)


def _candidates(text: str, low: int, high: int) -> Iterator[tuple[int, re.Match[str]]]:
    # The match of an edge begins before it; white space behind it may reach past ``high``.
    stop = min(len(text), high + _LOOK_AROUND)
    done = 0
    for mark in _MARK.finditer(text, max(0, low - _LOOK_AROUND), stop):
        if mark.start() < done:
            continue
        match = _EDGE.match(text, mark.start(), stop)
        if match is None:
            continue
        done = match.end()
        if low <= done <= high:
            yield done, match


class _Punkt:
    """Punkt of one language, asked about one full stop."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        parameters = getattr(tokenizer, "_params", None)
        self._plain_words_end = parameters is not None
        self._special = set(getattr(parameters, "abbrev_types", ()))
        self._special.update(first for first, _ in getattr(parameters, "collocations", ()))

    def ends_sentence(self, before: str, after: str) -> bool:
        """Whether the full stop behind the word ``before`` ends a sentence."""
        word = before.rstrip()[:-1]
        if "." in word and after[:1].islower():
            return False  # "e.g. stale": some of Punkt's models do not know such abbreviations
        if self._plain_words_end and len(word) > 1 and word.isalpha():
            # Punkt's own first step, without the price of its tokenizer: a full stop behind a
            # word that is no abbreviation and begins no collocation ends the sentence.
            lowered = word.lower()
            if lowered not in self._special and before.rstrip()[-1] == ".":
                return True
        return bool(self._tokenizer.text_contains_sentbreak(before + after))


def _copied(shipped: Path, target: Path, language: str) -> bool:
    """Copy one language's shipped data to ``target``, and whether there was any."""
    data = shipped / "tokenizers" / "punkt_tab" / language
    if not re.fullmatch(r"\w+", language) or not data.is_dir():
        return False
    copy = target / "tokenizers" / "punkt_tab" / language
    shutil.copytree(data, copy, copy_function=shutil.copyfile)
    return True


@lru_cache(maxsize=32)
def _punkt(language: str) -> _Punkt:
    """Punkt of a language: installed data, else llama-index-core's copy, else untrained."""
    import nltk.data
    from nltk.tokenize import punkt

    shipped = shipped_folder("nltk_cache")
    with _lock, tempfile.TemporaryDirectory(prefix="seams-punkt-") as private:
        paths = list(nltk.data.path)
        try:
            # PermissionError: NLTK 3.10 refuses files with more than one hard link, which is how
            # uv installs wheels. The copy of the shipped data has one.
            with contextlib.suppress(LookupError, ValueError, PermissionError):
                return _Punkt(punkt.PunktTokenizer(language))
            if shipped is not None and _copied(shipped, Path(private), language):
                nltk.data.path[:] = [private]
                with contextlib.suppress(LookupError, ValueError, PermissionError):
                    return _Punkt(punkt.PunktTokenizer(language))
        finally:
            nltk.data.path[:] = paths
    warnings.warn(
        f"NLTK's Punkt data for {language!r} was not found, neither installed nor in "
        "llama-index-core's wheel: full stops are judged without its abbreviations. Install it "
        "with nltk.download('punkt_tab'), or pass sentences= a language that has data.",
        stacklevel=2,
    )
    return _Punkt(punkt.PunktSentenceTokenizer())
