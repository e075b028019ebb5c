"""Every metric on the hand-made corpus, worked out by hand (paper 3.5)."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seams_core.evaluation import (
    Span,
    TokenRuler,
    boundary_risk,
    precision_omega,
    span_scores,
)
from seams_core.evaluation.metrics import gains, is_split
from seams_core.evaluation.ruler import intersection, union
from seams_core.evaluation.runner import ndcg
from tests.evaluation.corpus import DOCUMENTS, QUESTIONS, TEXTS, bench, chunk, span

ruler = TokenRuler(TEXTS)


def test_every_word_is_one_token():
    for document, words in DOCUMENTS.items():
        assert ruler.count(Span(document, 0, len(TEXTS[document]))) == len(words)
        for n in range(1, len(words) + 1):
            assert ruler.count(span(document, n, n)) == 1


def test_one_half_of_split_evidence():
    # Evidence: words 3 to 6 of rivers. Retrieved: chunk 1 (words 1 to 4) and the whole note.
    scores = span_scores(QUESTIONS[0].evidence, [chunk("rivers", 1), chunk("note", 1)], ruler)
    assert scores.recall == 2 / 4  # words 3 and 4 of 3, 4, 5, 6
    assert scores.full == 0
    assert scores.tokens == 4 + 3
    assert scores.precision == 2 / 7
    assert scores.iou == 2 / (4 + 7 - 2)


def test_both_halves_of_split_evidence():
    scores = span_scores(QUESTIONS[0].evidence, [chunk("rivers", 2), chunk("rivers", 1)], ruler)
    assert (scores.recall, scores.full) == (1, 1)
    assert scores.precision == 4 / 8
    assert scores.iou == 4 / 8


def test_evidence_in_two_documents():
    # Two words of cities and all three of note; retrieved: cities 1 (4 words) and rivers 3.
    scores = span_scores(QUESTIONS[2].evidence, [chunk("cities", 1), chunk("rivers", 3)], ruler)
    assert scores.recall == 2 / 5
    assert scores.precision == 2 / 8
    assert scores.iou == 2 / (5 + 8 - 2)
    nothing = span_scores(QUESTIONS[2].evidence, [], ruler)
    assert (nothing.recall, nothing.precision, nothing.iou, nothing.tokens) == (0, 0, 0, 0)


def test_text_sent_twice_counts_twice_in_what_is_sent_and_once_in_what_is_found():
    # Chroma: |t_r| counts every retrieved token, the shared ones are a set.
    both = [span("rivers", 1, 4), span("rivers", 3, 6)]
    scores = span_scores(QUESTIONS[0].evidence, both, ruler)
    assert scores.recall == 1
    assert scores.tokens == 8
    assert scores.precision == 4 / 8
    assert scores.iou == 4 / (4 + 8 - 4)


def test_overlapping_references_do_not_cap_recall():
    # Chroma's code takes .80 at best for such references; by its definition full is 1.
    evidence = [span("rivers", 1, 3), span("rivers", 2, 4)]
    assert span_scores(evidence, [chunk("rivers", 1)], ruler).recall == 1


def test_a_span_that_ends_on_a_cut_counts_for_one_chunk():
    evidence = [span("rivers", 3, 4)]
    chunks = [chunk("rivers", n) for n in (1, 2, 3)]
    assert gains(evidence, chunks, ruler) == [2, 0, 0]
    assert precision_omega(evidence, chunks, ruler) == 2 / 4
    assert not is_split(evidence, {"rivers": [chunks[0].end, chunks[1].end]})


def test_precision_omega():
    # Words 3 to 6 lie in chunks 1 and 2: four of their eight words.
    chunks = [chunk("rivers", n) for n in (1, 2, 3)]
    assert precision_omega(QUESTIONS[0].evidence, chunks, ruler) == 4 / 8
    # Words 10 and 11 lie in chunk 3, which has four.
    assert precision_omega(QUESTIONS[1].evidence, chunks, ruler) == 2 / 4
    assert precision_omega(QUESTIONS[1].evidence, chunks[:2], ruler) == 0


def test_split_and_whole(tmp_path):
    assert bench(tmp_path).split == [True, False, False, True]
    cuts = bench(tmp_path).cuts
    assert cuts == {
        "rivers": [chunk("rivers", 1).end, chunk("rivers", 2).end],
        "cities": [chunk("cities", 1).end],
        "note": [],
    }


def test_ndcg_by_hand():
    # Gains 3 and 1; ranked: nothing, 1, 3.
    found = 1 / math.log2(3) + 3 / math.log2(4)
    best = 3 + 1 / math.log2(3)
    values = ndcg([{"a": 3, "b": 1}, {"c": 2}], [["x", "b", "a"], ["x", "y"]])
    assert values == pytest.approx([found / best, 0])


def test_the_paper_s_own_points_of_figure_1():
    assert boundary_risk(50, 512) == pytest.approx(0.10, abs=0.005)
    assert boundary_risk(200, 512) == pytest.approx(0.39, abs=0.005)
    assert boundary_risk(200, 1024) == pytest.approx(0.20, abs=0.005)
    assert boundary_risk(400, 256) == 1


some_spans = st.lists(
    st.builds(
        lambda d, a, b: Span(d, min(a, b), max(a, b) + 1),
        st.sampled_from(sorted(TEXTS)),
        st.integers(0, 13),
        st.integers(0, 13),
    ),
    max_size=6,
)


def characters(spans):
    return {(s.document_id, at) for s in spans for at in range(s.start, s.end)}


@given(some_spans, some_spans)
def test_unions_and_intersections_are_those_of_characters(left, right):
    assert characters(union(left)) == characters(left)
    assert characters(intersection(left, right)) == characters(left) & characters(right)
    for spans in (union(left), intersection(left, right)):
        assert sum(s.end - s.start for s in spans) == len(characters(spans))


@given(st.text(max_size=60), st.data())
def test_tokens_of_pieces_add_up_whatever_the_cuts(text, data):
    measured = TokenRuler({"d": text})
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=5)) | {0, len(text)})
    pieces = [Span("d", a, b) for a, b in zip(cuts, cuts[1:], strict=False)]
    assert measured.total(pieces) == measured.count(Span("d", 0, len(text)))
    assert measured.total(pieces) == len(measured.starts("d"))
