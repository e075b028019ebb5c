"""The methods that are compared: those the paper asks for, and every fire test that was tried."""

from __future__ import annotations

from collections.abc import Sequence

from seams_core.anchored import AnchoredFireTest
from seams_core.evaluation.comparators.base import Fused, Method
from seams_core.evaluation.comparators.neighbours import Adaptive, Neighbours, Smoothed
from seams_core.evaluation.comparators.plain import Overlap, Plain
from seams_core.evaluation.comparators.seams import Seams
from seams_core.evaluation.comparators.segments import Segments
from seams_core.evaluation.comparators.sides import SeamsDroppingSides
from seams_core.evaluation.comparators.small import Sentences, Windows
from seams_core.fire import MarginFireTest
from seams_core.ratio import ScoreRatioFireTest

BASELINE = Plain().name
#: What the default is called in every table: retrievers fuse by scores unless told otherwise.
DEFAULT = Fused(Seams(AnchoredFireTest()))
LONG_EVIDENCE = Fused(Seams(AnchoredFireTest(0.4, 0.5, 0.1)))
#: Weights of the anchored test that were tried: seam, stronger chunk, weaker chunk.
TRIED_WEIGHTS = (
    (0.5, 0.5, 0.0),
    (0.45, 0.45, 0.0),
    (0.4, 0.45, 0.1),
    (0.35, 0.5, 0.15),
    (0.3, 0.5, 0.15),
    (0.3, 0.5, 0.2),
    (0.4, 0.4, 0.2),
    (0.45, 0.3, 0.25),
    (0.45, 0.25, 0.3),
    (0.2, 0.6, 0.2),
)
#: The same with lists fused by scores.
TRIED_WITH_SCORES = ((0.45, 0.3, 0.25), (0.3, 0.5, 0.2), (0.4, 0.4, 0.2), (0.25, 0.5, 0.25))


def comparators() -> list[Method]:
    """Everything that is not Seams; late chunking and prefixes need the user's own functions."""
    by_scores: list[Method] = [
        Plain(),
        Overlap(0.15),
        Windows(256, 128),
        Windows(256, 128, alone=True),
        Neighbours(),
        Smoothed(),
    ]
    return [
        Plain(),
        Overlap(0.125),
        Overlap(0.15),
        Windows(256, 128),
        Windows(256, 128, alone=True),
        Windows(300, 0),
        Windows(300, 0, alone=True),
        Neighbours(),
        Smoothed(),
        Adaptive(),
        Segments(),
        Segments(penalty=0.3),
        Sentences(),
        Sentences(alone=False),
        *(Fused(method) for method in by_scores),
    ]


def fire_tests() -> list[Method]:
    """Seams at k = 150 with every fire test; the default first."""
    return [
        DEFAULT,
        LONG_EVIDENCE,
        *(Fused(Seams(MarginFireTest(margin))) for margin in (0, 3)),
        *(Fused(Seams(AnchoredFireTest(*weights))) for weights in TRIED_WITH_SCORES),
        Seams(AnchoredFireTest()),
        Seams(AnchoredFireTest(0.4, 0.5, 0.1)),
        *(Seams(MarginFireTest(margin)) for margin in (0, 3, 8)),
        *(Seams(ScoreRatioFireTest(ratio)) for ratio in (1.0, 1.2)),
        *(Seams(AnchoredFireTest(*weights)) for weights in TRIED_WEIGHTS),
        Fused(SeamsDroppingSides(AnchoredFireTest())),
        SeamsDroppingSides(MarginFireTest(0)),
    ]


def widths(half_widths: Sequence[int] = (100, 150, 200, 300)) -> list[Method]:
    """The default fire test and the paper's at several half-widths, in tokens."""
    return [
        Plain(),
        Fused(Plain()),
        *(Fused(Seams(AnchoredFireTest(), half_width=k)) for k in half_widths),
        *(Seams(MarginFireTest(0), half_width=k) for k in half_widths),
    ]


def over_chunk_sizes() -> list[Method]:
    """What is compared at chunk sizes other than the paper's."""
    return [
        Plain(),
        Fused(Plain()),
        Overlap(0.125),
        Windows(256, 128, alone=True),
        Neighbours(),
        DEFAULT,
        Seams(AnchoredFireTest()),
    ]
