"""A set, cut and indexed in memory: what every method of a comparison shares (paper 3.5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from seams_core.cutting import split_text
from seams_core.evaluation.collection import Collection, Ranking, Unit
from seams_core.evaluation.data import EvaluationSet, Span
from seams_core.evaluation.embedding import CachedEmbedder
from seams_core.evaluation.metrics import is_split
from seams_core.evaluation.ruler import TokenRuler
from seams_core.fusion import FusedRanking, Fusion, Scored, fuse
from seams_core.types import Entry
from seams_core.windows import build_seams

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Settings:
    """What is the same for all methods of one comparison.

    :param chunk_size: In tokens.
    :param depth: Hits of each first-stage list.
    :param rrf_k: What reciprocal rank fusion adds to each rank.
    """

    chunk_size: int = 1024
    depth: int = 150
    rrf_k: float = 60


class Bench:
    """Chunks, seams and other collections of one set, made when first asked for.

    :param data: The corpus and its questions.
    :param embedder: Embeds chunks, seams and questions alike.
    :param settings: Chunk size, depth, fusion.
    :param shift: Tokens by which the first cut of every document comes early; moves all cuts.
    """

    def __init__(
        self,
        data: EvaluationSet,
        embedder: CachedEmbedder,
        settings: Settings | None = None,
        *,
        shift: int = 0,
    ) -> None:
        self.data = data
        self.embedder = embedder
        self.settings = settings or Settings()
        self.shift = shift
        self.ruler = TokenRuler(data.texts)
        self._collections: dict[Any, Collection] = {}
        #: Collections that a comparator makes by other means than the embedder.
        self.extra: dict[Any, Collection] = {}
        self._links: dict[int, dict[str, tuple[str, str]]] = {}
        self._remembered: tuple[int, dict[Any, Any]] = (-1, {})
        self._fusion: Fusion = "rrf"

    @cached_property
    def _cut(self) -> dict[str, list[Any]]:
        size = self.settings.chunk_size
        documents = {}
        for id, text in self.data.texts.items():
            first: list[Any] = []
            rest = text
            if self.shift:
                starts = self.ruler.starts(id)
                early = size - self.shift
                if early < len(starts):
                    first = split_text(text[: starts[early]], document_id=id, chunk_size=size)
                    rest = text[first[-1].end :] if first else text
            offset = len(text) - len(rest)
            chunks = split_text(rest, document_id=id, chunk_size=size)
            if offset:
                from dataclasses import replace

                chunks = [replace(c, start=c.start + offset, end=c.end + offset) for c in chunks]
            documents[id] = [*first, *chunks]
        return documents

    @cached_property
    def chunks(self) -> Collection:
        """The disjoint chunks (paper 3.1, step 1)."""
        return self.collection(
            "chunks",
            lambda: [
                Unit(f"{id}:{c.start}", Span(id, c.start, c.end), c.text, (f"{id}:{c.start}",))
                for id, chunks in self._cut.items()
                for c in chunks
            ],
        )

    def seams(self, half_width: int = 150) -> Collection:
        """One seam over every cut (paper 3.1, step 2); parents are its left and right chunk."""
        return self.collection(("seams", half_width), lambda: self._seam_units(half_width))

    def links(self, half_width: int = 150) -> dict[str, tuple[str, str]]:
        """For each seam of that width its left and right chunk."""
        if half_width not in self._links:
            self._links[half_width] = {
                unit.id: (unit.parents[0], unit.parents[1]) for unit in self.seams(half_width).units
            }
        return self._links[half_width]

    def _seam_units(self, half_width: int) -> list[Unit]:
        import warnings

        units = []
        with warnings.catch_warnings():
            # Widths under the paper's 150 are measured on purpose.
            warnings.simplefilter("ignore", UserWarning)
            for id, chunks in self._cut.items():
                begins = {c.id: f"{id}:{c.start}" for c in chunks}
                for seam in build_seams(chunks, half_width=half_width):
                    link = (begins[seam.left_chunk_id], begins[seam.right_chunk_id])
                    span = Span(id, seam.start, seam.end)
                    units.append(Unit(f"{id}:{seam.cut}", span, seam.text, link))
        return units

    def collection(
        self, key: Any, units: Callable[[], Sequence[Unit]], *, depth: int | None = None
    ) -> Collection:
        """The collection of that key, embedded and indexed the first time.

        :param units: Called the first time only.
        :param depth: Hits of each list, where it differs from the settings'.
        """
        known = self._collections.get(key)
        if known is None:
            made = list(units())
            known = self._collections[key] = Collection(
                made,
                self.embedder([unit.text for unit in made], label=f"{self.data.name}: {key}"),
                [question.text for question in self.data.questions],
                self.question_vectors,
                depth or self.settings.depth,
            )
        return known

    @cached_property
    def question_vectors(self) -> Any:
        """One vector per question; it serves all dense searches."""
        return self.embedder(
            [question.text for question in self.data.questions],
            label=f"{self.data.name}: questions",
        )

    @cached_property
    def neighbours(self) -> dict[str, tuple[str, ...]]:
        """For each chunk the chunks beside it in its document, the left one first."""
        beside: dict[str, list[str]] = {unit.id: [] for unit in self.chunks.units}
        for left, right in zip(self.chunks.units, self.chunks.units[1:], strict=False):
            if left.span.document_id == right.span.document_id:
                beside[right.id].insert(0, left.id)
                beside[left.id].append(right.id)
        return {id: tuple(others) for id, others in beside.items()}

    @cached_property
    def cuts(self) -> dict[str, list[int]]:
        """For each document where it is cut, in characters."""
        return {id: [c.end for c in chunks[:-1]] for id, chunks in self._cut.items()}

    @cached_property
    def split(self) -> list[bool]:
        """For each question whether a cut falls inside its evidence."""
        return [is_split(question.evidence, self.cuts) for question in self.data.questions]

    def fused(self, question: int, collections: Sequence[tuple[str, Collection]]) -> FusedRanking:
        """Dense and keyword lists of each collection, fused (paper 3.2, step 2).

        :param question: Its place in the set.
        :param collections: Pairs of kind, ``"chunk"`` or ``"seam"``, and collection.
        """

        key = tuple((kind, id(held)) for kind, held in collections)
        lists = (
            scored(kind, held, ranking[question])
            for kind, held in collections
            for ranking in (held.dense, held.keywords)
        )
        return self.remember(question, key, lambda: self.fuse(list(lists)))

    def fuse(self, lists: Sequence[Sequence[Scored]]) -> FusedRanking:
        """Fuse lists in the way that holds now; reciprocal rank fusion unless :meth:`fusing`."""
        return fuse(lists, fusion=self._fusion, rrf_k=self.settings.rrf_k)

    @contextmanager
    def fusing(self, fusion: Fusion) -> Iterator[None]:
        """Fuse in another way for a while."""
        before, self._fusion = self._fusion, fusion
        try:
            yield
        finally:
            self._fusion = before

    def remember(self, question: int, key: Any, make: Callable[[], T]) -> T:
        """What ``make`` gives, made once for a question and forgotten with the next question.

        Budgets differ in where they stop, so what they all read is made once.
        """
        if self._remembered[0] != question:
            self._remembered = (question, {})
        held, whole = self._remembered[1], (self._fusion, key)
        if whole not in held:
            held[whole] = make()
        made: T = held[whole]
        return made


def scored(kind: Any, collection: Collection, ranking: Ranking) -> list[Scored]:
    """A ranking as entries with scores that fusion and the fire test understand."""
    units = collection.units
    return [
        (Entry(kind, units[place].id), score)
        for place, score in zip(ranking.units.tolist(), ranking.scores.tolist(), strict=True)
    ]
