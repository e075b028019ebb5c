"""A hand-made corpus of three documents in which every word is one token.

Chunks have four words. ``rivers`` is cut behind words 4 and 8, ``cities`` behind word 4,
``empty-ish`` is a single chunk.
"""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np

from seams_core.evaluation import Bench, CachedEmbedder, EvaluationSet, Question, Settings, Span

_RIVER = "the river rises here and then it bends there before we sleep"
_CITY = "old city walls stand still but people left"
RIVERS, CITIES, NOTE = _RIVER.split(), _CITY.split(), ["one", "short", "note"]
DOCUMENTS = {"rivers": RIVERS, "cities": CITIES, "note": NOTE}
TEXTS = {id: " ".join(words) for id, words in DOCUMENTS.items()}
SIZE = 4


def span(document: str, first: int, last: int) -> Span:
    """Words ``first`` to ``last``, from 1, both included; without the space before."""
    words = DOCUMENTS[document]
    start = len(" ".join(words[: first - 1])) + (first > 1)
    return Span(document, start, len(" ".join(words[:last])))


def chunk(document: str, number: int) -> Span:
    """The ``number``-th chunk, from 1, as it is cut: a token takes the space before it."""
    words = DOCUMENTS[document]
    start = len(" ".join(words[: (number - 1) * SIZE]))
    return Span(document, start, len(" ".join(words[: number * SIZE])))


QUESTIONS = [
    Question("bend", "where does the river bend", (span("rivers", 3, 6),)),  # split after 4
    Question("sleep", "before what do we sleep", (span("rivers", 10, 11),)),  # whole
    Question("walls", "city walls and a note", (span("cities", 2, 3), span("note", 1, 3))),
    Question("left", "people left", (span("cities", 4, 5), span("cities", 7, 8))),  # split
]


def embed(texts: list[str]) -> np.ndarray:
    """Words hashed to 64 places: alike texts share words."""
    vectors = np.zeros((len(texts), 64))
    for row, text in enumerate(texts):
        for word in text.lower().split():
            vectors[row, zlib.crc32(word.encode()) % 64] += 1
    return vectors


def dataset() -> EvaluationSet:
    return EvaluationSet("hand-made", TEXTS, QUESTIONS)


def bench(folder: Path, **options) -> Bench:
    settings = Settings(chunk_size=SIZE, depth=10)
    return Bench(dataset(), CachedEmbedder(embed, folder, "hashed"), settings, **options)
