"""Sentences near a cut, and sentences that a cut crosses (paper 3.2).

They are drawn from the windows of the seams that are stored, so what is sampled is what is
searched, and the index is read in pages: memory holds the sample alone.
"""

from __future__ import annotations

import hashlib
import heapq
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from seams_core.errors import SeamsError
from seams_core.sentences import SentenceEdges
from seams_core.store import LEFT_KEY, RIGHT_KEY, Row, Store
from seams_core.words import terms_of

#: ``"unsplit"``: wholly in one chunk. ``"split"``: a cut crosses it. ``"joined"``: the sentences
#: on both sides of a cut that crosses none, which stand in for split ones.
Side: TypeAlias = Literal["unsplit", "split", "joined"]

_PAGE = 1000
_FEWEST_WORDS = 5  # a shorter sentence answers no question


class Sample(NamedTuple):
    """A text that a question is written for, and the seam whose head start is recorded."""

    seam_id: str
    left_chunk_id: str
    right_chunk_id: str
    side: Side
    text: str


@dataclass
class Samples:
    """What was drawn, and what was seen of the index on the way.

    :param unsplit: Texts wholly in one chunk; the expected answer is that the seam stays quiet.
    :param split: Texts that a cut crosses.
    :param cuts: Seams read.
    :param crossed: Cuts that lie inside a sentence.
    :param fingerprint: Of the ids of all seams, whatever their order.
    :param frequencies: For each term in how many seam windows it is.
    """

    unsplit: list[Sample] = field(default_factory=list)
    split: list[Sample] = field(default_factory=list)
    cuts: int = 0
    crossed: int = 0
    fingerprint: str = ""
    frequencies: Counter[str] = field(default_factory=Counter)


class _Draw:
    """The ``size`` candidates of lowest hash: the same ones in whatever order they come."""

    def __init__(self, size: int, seed: int) -> None:
        self._size, self._seed = size, seed
        self._heap: list[tuple[int, str, Sample]] = []

    def offer(self, sample: Sample) -> None:
        """Take it if it is among the lowest so far."""
        key = f"{self._seed}|{sample.side}|{sample.seam_id}|{sample.text}"
        rank = int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest(), "big")
        item = (-rank, key, sample)
        if len(self._heap) < self._size:
            heapq.heappush(self._heap, item)
        elif item > self._heap[0]:
            heapq.heapreplace(self._heap, item)

    def drawn(self) -> list[Sample]:
        """What was taken, in an order that the seed gives."""
        return [sample for _, _, sample in sorted(self._heap, reverse=True)]


def draw(
    seams: Store, edges: SentenceEdges, *, size: int, seed: int, language: str | None
) -> Samples:
    """Draw ``size`` texts of each side.

    :param seams: The collection of seams.
    :param edges: Where sentences begin.
    :param size: Of each side.
    :param seed: The same seed and index give the same texts.
    :param language: Of the terms that are counted.
    :raises SeamsError: If the seams carry no offsets, or there are none.
    """
    samples, terms = Samples(), terms_of(language)
    unsplit, split, joined = (_Draw(size, seed) for _ in range(3))
    fingerprint = 0
    for page in seams.pages(_PAGE):
        for row in page:
            samples.cuts += 1
            fingerprint ^= _hash(row.id)
            samples.frequencies.update(set(terms(row.text)))
            for sample in _candidates(row, edges):
                {"unsplit": unsplit, "split": split, "joined": joined}[sample.side].offer(sample)
                samples.crossed += sample.side == "split"
    if not samples.cuts:
        raise SeamsError("the index has no seams to calibrate on: run sync first")
    samples.unsplit, samples.split = unsplit.drawn(), split.drawn()
    samples.split += joined.drawn()[: size - len(samples.split)]
    samples.fingerprint = _written(fingerprint)
    return samples


def fingerprint(seams: Store) -> str:
    """Of the ids of all seams, whatever their order; another one where one has changed."""
    found = 0
    field_pages = getattr(seams, "field_pages", None)
    if field_pages is not None:
        for page in field_pages(LEFT_KEY, _PAGE):
            for id, _ in page:
                found ^= _hash(id)
        return _written(found)
    for rows in seams.pages(_PAGE):
        for row in rows:
            found ^= _hash(row.id)
    return _written(found)


def _hash(id: str) -> int:
    return int.from_bytes(hashlib.blake2b(id.encode(), digest_size=16).digest(), "big")


def _written(value: int) -> str:
    return f"{value:032x}"


def _candidates(row: Row, edges: SentenceEdges) -> Iterator[Sample]:
    """The texts of each chunk near the cut, and the one across it."""
    try:
        cut = int(row.metadata["seam_cut"]) - int(row.metadata["seam_start"])
        link = str(row.metadata[LEFT_KEY]), str(row.metadata[RIGHT_KEY])
    except KeyError as error:
        raise SeamsError(
            f"seam {row.id!r} has no {error.args[0]!r} in its metadata: it was not written by "
            "sync; delete it and run sync"
        ) from error
    text = row.text
    spans = list(_sentences(text, edges))
    before = [span for span in spans if span[1] <= cut]
    after = [span for span in spans if span[0] >= cut]
    # The outermost may be pieces of sentences, where a window's growth was bounded.
    for span in (*(before[1:] or before), *(after[:-1] or after)):
        if (inside := _worth_asking(text[slice(*span)])) is not None:
            yield Sample(row.id, *link, "unsplit", inside)
    across = [span for span in spans if span[0] < cut < span[1]]
    side: Side = "split" if across else "joined"
    if not across and before and after:
        across = [(before[-1][0], after[0][1])]
    for span in across:
        if (inside := _worth_asking(text[slice(*span)])) is not None:
            yield Sample(row.id, *link, side, inside)


def _sentences(text: str, edges: SentenceEdges) -> Iterator[tuple[int, int]]:
    begin = 0
    while begin < len(text):
        end = edges.first(text, begin + 1, len(text))
        end = len(text) if end is None else end
        yield begin, end
        begin = end


def _worth_asking(text: str) -> str | None:
    words = text.split()
    return " ".join(words) if len(words) >= _FEWEST_WORDS or len(text) >= 40 else None
