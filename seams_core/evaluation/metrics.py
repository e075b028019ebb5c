"""What an answer's context is worth, over tokens of the documents (paper 3.5).

Recall, precision, IoU and precision Ω follow the definitions of Chroma's chunking evaluation:
``t_e`` are the tokens of the evidence, ``t_r`` those retrieved, and every retrieved token counts,
so that text sent twice lowers precision and IoU. Its code departs from them in two places: a span
that ends on a cut counts for both chunks, and overlapping references cap recall below 1. Here spans
are half open and the references are taken as their union.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from seams_core.evaluation.data import Span
from seams_core.evaluation.ruler import TokenRuler, intersection, union


@dataclass(frozen=True, slots=True)
class SpanScores:
    """One question at one budget. Shares are from 0 to 1.

    :param recall: Share of the evidence tokens that were retrieved.
    :param full: 1 if every evidence token was, else 0.
    :param precision: Share of the retrieved tokens that are evidence.
    :param iou: Shared tokens over the tokens of both, repeats counted.
    :param tokens: Tokens sent, repeats counted.
    """

    recall: float
    full: float
    precision: float
    iou: float
    tokens: int


def span_scores(
    evidence: Sequence[Span], retrieved: Sequence[Span], ruler: TokenRuler
) -> SpanScores:
    """Score what was retrieved against the evidence.

    :param evidence: The spans that answer the question; at least one token.
    :param retrieved: The chunks handed on, in any order; overlapping ones count twice.
    """
    wanted = union(evidence)
    shared = intersection(wanted, retrieved)
    held, sent, total = ruler.total(shared), ruler.total(retrieved), ruler.total(wanted)
    either = total + sent - held
    # Evidence within one token may hold no token's end; characters decide then.
    whole = sum(s.end - s.start for s in shared) == sum(s.end - s.start for s in wanted)
    return SpanScores(
        recall=held / total if total else float(whole),
        full=float(whole),
        precision=held / sent if sent else 0.0,
        iou=held / either if either else 0.0,
        tokens=sent,
    )


def precision_omega(evidence: Sequence[Span], chunks: Sequence[Span], ruler: TokenRuler) -> float:
    """Precision if just the chunks that hold evidence were retrieved: an upper bound (Chroma).

    :param chunks: Every chunk of the documents the evidence lies in; others do not matter.
    """
    holding = [chunk for chunk in chunks if intersection(evidence, [chunk])]
    sent = ruler.total(holding)
    return ruler.total(intersection(evidence, holding)) / sent if sent else 0.0


def gains(evidence: Sequence[Span], chunks: Sequence[Span], ruler: TokenRuler) -> list[int]:
    """For each chunk how many evidence tokens it holds: its gain for nDCG."""
    wanted = union(evidence)
    return [ruler.total(intersection(wanted, [chunk])) for chunk in chunks]


def is_split(evidence: Sequence[Span], cuts: Mapping[str, Sequence[int]]) -> bool:
    """Whether a cut falls strictly inside a span of the evidence.

    :param cuts: For each document where it is cut, in characters, rising.
    """
    for span in evidence:
        places = cuts.get(span.document_id, ())
        after = bisect_right(places, span.start)
        if after < len(places) and places[after] < span.end:
            return True
    return False


def boundary_risk(evidence_tokens: float, chunk_tokens: float) -> float:
    """The paper's Figure 1: the chance L / C that a cut falls inside L tokens, at most 1."""
    return min(1.0, evidence_tokens / chunk_tokens)
