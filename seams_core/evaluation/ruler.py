"""How many tokens a piece of a document has, so that pieces add up to their whole (paper 3.5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from seams_core._tiktoken import tiktoken_measure
from seams_core.evaluation.data import Span
from seams_core.tokens import DEFAULT_ENCODING


class TokenRuler:
    """Counts tokens of spans by where each token of the whole document ends.

    Every token belongs to its last character, so the counts of disjoint pieces add up to the
    count of the document whatever the cuts, and a span that begins with a word counts the word
    although its token begins with the space before. Documents are encoded when first asked for.

    :param texts: The text of each document.
    :param encoding: Name of a tiktoken encoding.
    """

    def __init__(self, texts: Mapping[str, str], encoding: str = DEFAULT_ENCODING) -> None:
        self._texts = texts
        self._measure = tiktoken_measure(encoding)
        self._bounds: dict[str, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}

    def _known(self, document_id: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        if document_id not in self._bounds:
            self._bounds[document_id] = self._measure.token_bounds(self._texts[document_id])
        return self._bounds[document_id]

    def starts(self, document_id: str) -> NDArray[np.int64]:
        """Where each token of a document begins, in characters, rising."""
        return self._known(document_id)[0]

    def count(self, span: Span) -> int:
        """How many tokens end inside ``span``."""
        ends = self._known(span.document_id)[1]
        low, high = np.searchsorted(ends, (span.start, span.end), side="right")
        return int(high - low)

    def total(self, spans: Iterable[Span]) -> int:
        """The sum over spans, repeats and overlaps counted each time."""
        return sum(map(self.count, spans))


def union(spans: Iterable[Span]) -> list[Span]:
    """The same characters as disjoint spans, in order of document and place."""
    merged: list[Span] = []
    for span in sorted(spans):
        last = merged[-1] if merged else None
        if last and last.document_id == span.document_id and span.start <= last.end:
            merged[-1] = Span(last.document_id, last.start, max(last.end, span.end))
        elif span.start < span.end:
            merged.append(Span(*span))
    return merged


def intersection(left: Iterable[Span], right: Iterable[Span]) -> list[Span]:
    """The characters that both hold, as disjoint spans."""
    ones, others = union(left), union(right)
    shared: list[Span] = []
    i = j = 0
    while i < len(ones) and j < len(others):
        one, other = ones[i], others[j]
        if one.document_id == other.document_id:
            start, end = max(one.start, other.start), min(one.end, other.end)
            if start < end:
                shared.append(Span(one.document_id, start, end))
        if (one.document_id, one.end) <= (other.document_id, other.end):
            i += 1
        else:
            j += 1
    return shared
