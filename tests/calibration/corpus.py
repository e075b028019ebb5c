"""A made corpus: every sentence is a fact of its own words, and every word is one token."""

from __future__ import annotations

import random
import warnings
from functools import cache

from seams_core import Chunk, Retrieval, Row, SeamedIndex, split_text
from tests.stores import HashEmbedding, MemoryStore

CHUNK, HALF_WIDTH, SENTENCE = 90, 30, 17
WORDS = [
    f"{a}{b}{c}"
    for a in ("ba", "ke", "lo", "mi", "tu")
    for b in "bdfgklmnprst"
    for c in ("an", "el", "in", "os", "ur")
]


def text_of(document: int, sentences: int) -> str:
    """Facts of words drawn from all, and a few that the whole document shares."""
    draw = random.Random(document)
    theme = draw.sample(WORDS, 4)
    facts = []
    for _ in range(sentences):
        words = draw.sample(WORDS, SENTENCE - 2) + draw.sample(theme, 2)
        facts.append(" ".join(words).capitalize() + ".")
    return " ".join(facts)


@cache
def chunks(documents: int = 12, sentences: int = 160) -> tuple[Chunk, ...]:
    return tuple(
        chunk
        for number in range(documents)
        for chunk in split_text(
            text_of(number, sentences),
            document_id=f"d{number}",
            chunk_size=CHUNK,
            tokenizer=str.split,
        )
    )


def index_of(made: tuple[Chunk, ...], **settings) -> SeamedIndex:
    """Chunks and seams in memory."""
    embed = HashEmbedding(512)
    store = MemoryStore("chunks")
    rows = [Row(c.id, c.text, {"document_id": c.document_id, "start_index": c.start}) for c in made]
    store.put(rows, embed([row.text for row in rows]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the half-width suits the short sentences here
        index = SeamedIndex(
            store,
            MemoryStore("seams"),
            embed,
            **{"half_width": HALF_WIDTH, "tokenizer": str.split, **settings},
        )
        index.sync()
    return index


@cache
def index() -> SeamedIndex:
    return index_of(chunks())


def retrieval(of: SeamedIndex, **settings) -> Retrieval:
    return Retrieval(of.chunk_store, of.sources(), HashEmbedding(512).one, **settings)


def ask(text: str) -> str:
    """A question that repeats every second word of its answer."""
    return " ".join(text.split()[::2]) + "?"
