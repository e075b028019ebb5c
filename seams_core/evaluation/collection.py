"""Texts that are searched together, densely and by keywords, for all questions at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from seams_core.evaluation.data import Span
from seams_core.evaluation.embedding import Vectors
from seams_core.keywords import KeywordIndex


@dataclass(frozen=True, slots=True)
class Unit:
    """A text that is searched.

    :param id: Unique in its collection.
    :param span: Where it lies.
    :param text: What is searched.
    :param parents: The chunks it leads to, by id; itself where it is a chunk.
    """

    id: str
    span: Span
    text: str
    parents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ranking:
    """One list of one question: positions of units in their collection, best first."""

    units: NDArray[np.int64]
    scores: NDArray[np.float64]


@dataclass
class Collection:
    """Units with their vectors and their own keyword statistics (paper 3.2, step 1).

    :param units: In order of document and place.
    :param vectors: One row of norm 1 per unit.
    :param questions: The texts asked.
    :param question_vectors: One row of norm 1 per question.
    :param depth: How many hits each list holds at most.
    :param language: Of the keyword index.
    """

    units: Sequence[Unit]
    vectors: Vectors
    questions: Sequence[str]
    question_vectors: Vectors
    depth: int
    language: str | None = "english"
    by_id: dict[str, Unit] = field(init=False)

    def __post_init__(self) -> None:
        self.by_id = {unit.id: unit for unit in self.units}

    @cached_property
    def dense(self) -> list[Ranking]:
        """For each question the units by cosine; ties go to the earlier unit."""
        if not self.units:
            return self._nothing
        depth = min(self.depth, len(self.units))
        rankings: list[Ranking] = []
        for begin in range(0, len(self.questions), 256):
            block = self.question_vectors[begin : begin + 256] @ self.vectors.T
            best = np.argsort(-block, axis=1, kind="stable")[:, :depth]
            for row, order in zip(block, best, strict=True):
                rankings.append(Ranking(order, row[order].astype(np.float64)))
        return rankings

    @cached_property
    def keywords(self) -> list[Ranking]:
        """For each question the units by BM25; ties go to the earlier unit."""
        if not self.units:
            return self._nothing
        width = len(str(len(self.units)))
        index = KeywordIndex.build(
            ((str(place).zfill(width), unit.text) for place, unit in enumerate(self.units)),
            language=self.language,
        )
        rankings = []
        for question in self.questions:
            hits = index.search(question, self.depth)
            rankings.append(
                Ranking(
                    np.array([int(id) for id, _ in hits], dtype=np.int64),
                    np.array([score for _, score in hits], dtype=np.float64),
                )
            )
        return rankings

    @property
    def _nothing(self) -> list[Ranking]:
        # Documents of one chunk have no cuts, so a collection of seams may be empty.
        empty = Ranking(np.zeros(0, dtype=np.int64), np.zeros(0))
        return [empty] * len(self.questions)
