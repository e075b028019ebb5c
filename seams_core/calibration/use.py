"""Using a calibration: where it was made, and whether that is still so (paper 3.2)."""

from __future__ import annotations

from typing import Any

from seams_core.calibration.result import Calibration
from seams_core.calibration.sampling import fingerprint
from seams_core.fire import FireTest, MarginFireTest
from seams_core.index import SeamedIndex
from seams_core.retrieval import Retrieval
from seams_core.sources import KeywordSource, Source


def deployment(
    index: SeamedIndex, retrieval: Retrieval, embedding: str | None = None
) -> dict[str, Any]:
    """The settings of a deployment that a margin depends on.

    :param embedding: The name of the embedding.
    """
    told: dict[str, Any] = {
        "depth": retrieval.depth,
        "fusion": retrieval.fusion,
        "rrf_k": retrieval.rrf_k,
        "weights": None if retrieval.weights is None else list(retrieval.weights),
        "lists": [_kind(source) for source in retrieval.sources],
        "half_width": index.half_width,
        "snap": index.snap,
    }
    return told if embedding is None else {**told, "embedding": embedding}


def chosen_fire_test(
    margin: float | Calibration | None, fire_test: FireTest | None
) -> FireTest | None:
    """The fire test that a retriever's two settings name; ``None`` for its default.

    :raises ValueError: If both are given, or the margin is no number of 0 or more.
    :raises SeamsError: If a calibration's test can not be made from what was saved.
    """
    if margin is None:
        return fire_test
    if fire_test is not None:
        raise ValueError("margin and fire_test are both given: give one of them")
    return margin.fire_test if isinstance(margin, Calibration) else MarginFireTest(margin)


class CalibrationCheck:
    """Says once that a calibration does not fit what it is used with."""

    def __init__(self) -> None:
        self._seen: tuple[int, int] | None = None
        self._warned_of: int | None = None

    def check(
        self,
        margin: Any,
        index: SeamedIndex,
        retrieval: Retrieval,
        embedding: str | None = None,
    ) -> None:
        """Compare at the first query, and again after each sync; reads the seams' ids.

        :param margin: What a retriever has as ``margin``; numbers are not checked.
        """
        if not isinstance(margin, Calibration) or self._warned_of == id(margin):
            return
        state = id(margin), index.changes
        if self._seen == state:
            return
        self._seen = state
        now = deployment(index, retrieval, embedding)
        now["fingerprint"] = fingerprint(index.seam_store)
        if margin.mismatches(now):
            self._warned_of = id(margin)
            margin.warn_of(now)


def _kind(source: Source) -> str:
    if source.needs_vector:
        return f"dense {source.kind}"
    how = "keyword" if isinstance(source, KeywordSource) else type(source).__name__
    return f"{how} {source.kind}"
