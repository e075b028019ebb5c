"""A seam window over every cut (paper 3.1, steps 2 to 4; rule R3)."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Literal, get_args

from seams_core._tiktoken import TiktokenMeasure
from seams_core.errors import ChunkOrderError
from seams_core.ids import seam_id
from seams_core.sentences import SentenceEdges, SentencesLike, as_edges
from seams_core.tokens import TokenizerLike, TokenMeasure, as_measure, checked_positive
from seams_core.types import Chunk, Seam

Snap = Literal["outward", "inward", "none"]

DEFAULT_HALF_WIDTH = 150
_WORD_REACH = 48  # characters in which the edge of a word is looked for
_SPACE = re.compile(r"\s")


def build_seams(
    chunks: Iterable[Chunk],
    *,
    half_width: int = DEFAULT_HALF_WIDTH,
    snap: Snap = "outward",
    tokenizer: TokenizerLike | None = None,
    sentences: SentencesLike | None = None,
    namespace: str = "",
) -> Iterator[Seam]:
    """Build one seam over every cut between adjacent chunks (paper 3.1, step 2).

    Streams: two neighbouring chunks are held at a time. The settings are checked at once, the
    chunks as they come.

    :param chunks: Chunks of one document after the other, each document in reading order. Chunks
        of other splitters may overlap or leave out white space: no text stands twice in a window.
    :param half_width: k, in tokens taken from each side of the cut. Under 150 it warns.
    :param snap: ``"outward"`` grows each side to a sentence edge, by at most k more tokens, so
        that at least k tokens remain on each side, or the whole chunk where it is shorter;
        ``"inward"`` shortens each side to a sentence edge; ``"none"`` cuts at the token.
    :param tokenizer: See :func:`seams_core.tokens.as_measure`.
    :param sentences: See :func:`seams_core.sentences.as_edges`; English if none.
    :param namespace: The collection the seams are for; it enters their ids.
    :return: The seams, in the order of the cuts.
    :raises ValueError: If a setting is wrong.
    :raises ChunkOrderError: While iterating, if a document comes back after another one, or its
        chunks do not rise in position.
    """
    builder = window_builder(
        half_width=half_width,
        snap=snap,
        tokenizer=tokenizer,
        sentences=sentences,
        namespace=namespace,
        stacklevel=3,
    )
    return (seam for seam in map(builder.seam, adjacent(chunks)) if seam is not None)


def window_builder(
    *,
    half_width: int = DEFAULT_HALF_WIDTH,
    snap: Snap = "outward",
    tokenizer: TokenizerLike | None = None,
    sentences: SentencesLike | None = None,
    namespace: str = "",
    stacklevel: int = 2,
) -> WindowBuilder:
    """What makes the seam of one pair of neighbours; for the settings see :func:`build_seams`.

    :raises ValueError: If a setting is wrong.
    """
    k = checked_positive("half_width", half_width)
    if snap not in get_args(Snap):
        allowed = ", ".join(repr(mode) for mode in get_args(Snap))
        raise ValueError(f"snap={snap!r} is not allowed: give one of {allowed}")
    if k < DEFAULT_HALF_WIDTH:
        warnings.warn(
            f"half_width={k} is under {DEFAULT_HALF_WIDTH} tokens: a seam must be wide enough to "
            "hold the evidence it is meant to find, which the paper takes to be about 150 tokens "
            "or more (sections 2.3 and 3.1)",
            stacklevel=stacklevel,
        )
    return WindowBuilder(
        k, snap, as_measure(tokenizer), as_edges(None if snap == "none" else sentences), namespace
    )


def adjacent(chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, Chunk]]:
    """Neighbours within a document, refusing what is out of order."""
    finished: set[int] = set()  # hashes, so that a million documents stay small
    for left, right in pairwise(chunks):
        if left.document_id != right.document_id:
            finished.add(hash(left.document_id))
            if hash(right.document_id) in finished:
                raise ChunkOrderError(
                    f"chunk {right.id!r} belongs to document {right.document_id!r}, whose chunks "
                    "came earlier: give all chunks of a document together"
                )
        elif right.start == left.start:
            raise ChunkOrderError(
                f"chunks {left.id!r} and {right.id!r} both start at character {left.start} of "
                f"document {left.document_id!r}: give each position once"
            )
        elif right.start < left.start:
            raise ChunkOrderError(
                f"chunk {right.id!r} starts at character {right.start} of document "
                f"{right.document_id!r}, before chunk {left.id!r} at {left.start}: give chunks in "
                "reading order"
            )
        else:
            yield left, right


class WindowBuilder:
    """Everything that is the same for all cuts; made by :func:`window_builder`."""

    def __init__(
        self, k: int, snap: Snap, measure: TokenMeasure, edges: SentenceEdges, namespace: str
    ) -> None:
        self.k = k
        self.snap = snap
        self.measure = measure
        self.edges = edges
        self.by_bytes = isinstance(measure, TiktokenMeasure)
        self.namespace = namespace
        parts = [f"k={k}", f"snap={snap}", measure.name] + [edges.name] * (snap != "none")
        self.settings = ";".join(parts)

    def seam(self, pair: tuple[Chunk, Chunk]) -> Seam | None:
        """The seam of two neighbours; none where nothing lies beyond the cut."""
        left, right = pair
        overlap = max(0, left.end - right.start)
        right_text = right.text[overlap:]
        if not right_text or not left.text:
            return None  # nothing lies beyond the cut
        gap = right.start - left.end
        joint = "" if gap <= 0 else " " if gap == 1 else "\n\n"
        start = self._left_start(left.text)
        end = self._right_end(right_text)
        window = left.text[start:] + joint + right_text[:end]
        return Seam(
            id=seam_id(self.namespace, left.id, right.id, window, self.settings),
            document_id=left.document_id,
            left_chunk_id=left.id,
            right_chunk_id=right.id,
            text=window,
            start=left.end - (len(left.text) - start),
            cut=left.end,
            end=right.start + overlap + end,
            metadata={"half_width": self.k, "snap": self.snap},
        )

    def _left_start(self, text: str) -> int:
        """Where the window begins in the left chunk's text, in characters."""
        token = self.measure.tail(text, self.k)
        if self.snap == "none" or token == 0:
            return token
        if self.snap == "inward":
            edge = self.edges.first(text, token, len(text) - 1)
            return token if edge is None else edge
        low = max(0, token - self._reach())
        edge = self.edges.last(text, low, token)
        if edge is not None and self._grows_little(text[edge:token]):
            return edge
        return self._grown_to_word(text, token, -1)

    def _right_end(self, text: str) -> int:
        """Where the window ends in the right chunk's text, in characters."""
        token = self.measure.head(text, self.k)
        if self.snap == "none" or token >= len(text):
            return token
        if self.snap == "inward":
            edge = self.edges.last(text, 1, token)
            return token if edge is None else edge
        edge = self.edges.first(text, token, min(len(text), token + self._reach()))
        if edge is not None and self._grows_little(text[token:edge]):
            return edge
        return self._grown_to_word(text, token, 1)

    def _reach(self) -> int:
        # Characters that k more tokens may cover; what is found there is then counted.
        return 8 * self.k

    def _grows_little(self, growth: str) -> bool:
        """Whether it is at most k tokens; a byte is the least that a token can be."""
        short = len(growth) * (1 if growth.isascii() else 4) <= self.k
        return (short and self.by_bytes) or self.measure.count(growth) <= self.k

    def _grown_to_word(self, text: str, token: int, step: int) -> int:
        """With no sentence edge in reach: out to the edge of the word, so that none is cut."""
        if step < 0:
            near = text[max(0, token - _WORD_REACH) : token]
            back = _SPACE.search(near[::-1])
            grown = token if back is None else token - back.start()
        else:
            ahead = _SPACE.search(text, token, token + _WORD_REACH)
            grown = token if ahead is None else ahead.start()
        low, high = sorted((token, grown))
        return grown if self._grows_little(text[low:high]) else token
