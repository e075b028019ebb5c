"""Each comparator does what its source says, on the hand-made corpus."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from seams_core import AnchoredFireTest, Entry, MarginFireTest, convex_combination
from seams_core.evaluation import (
    Adaptive,
    Contextual,
    Fused,
    LateChunking,
    Neighbours,
    Overlap,
    Plain,
    Seams,
    SeamsDroppingSides,
    Segments,
    Sentences,
    Smoothed,
    Windows,
)
from seams_core.evaluation.comparators.plain import windows
from seams_core.evaluation.comparators.small import sentence_units
from seams_core.evaluation.standard import comparators, fire_tests
from tests.evaluation.corpus import TEXTS, bench, chunk, span


@pytest.fixture
def small(tmp_path):
    return bench(tmp_path)


def spans(answer):
    return [unit.span for unit in answer.chunks]


def ids(answer):
    return [unit.id for unit in answer.chunks]


def test_the_bench_cuts_as_worked_out_by_hand(small):
    expected = [chunk("rivers", n) for n in (1, 2, 3)] + [chunk("cities", n) for n in (1, 2)]
    assert [unit.span for unit in small.chunks.units] == [*expected, chunk("note", 1)]
    first, second, third = (unit.id for unit in small.chunks.units[:3])
    assert small.neighbours[first] == (second,)
    assert small.neighbours[second] == (first, third)
    assert small.neighbours[small.chunks.units[5].id] == ()
    assert list(small.links().values()) == [
        (first, second),
        (second, third),
        (small.chunks.units[3].id, small.chunks.units[4].id),
    ]


def test_a_shifted_grid_is_a_partition_whose_first_cut_comes_early(tmp_path):
    moved = bench(tmp_path, shift=1)
    assert [unit.span for unit in moved.chunks.units if unit.span.document_id == "rivers"] == [
        span("rivers", 1, 3),
        span("rivers", 4, 7)._replace(start=span("rivers", 1, 3).end),
        span("rivers", 8, 11)._replace(start=span("rivers", 1, 7).end),
        span("rivers", 12, 12)._replace(start=span("rivers", 1, 11).end),
    ]
    for shift in range(4):
        for id, text in TEXTS.items():
            units = [u for u in bench(tmp_path, shift=shift).chunks.units if u.span[0] == id]
            assert "".join(unit.text for unit in units) == text


@pytest.mark.parametrize("method", [*comparators(), *fire_tests()], ids=lambda m: m.name)
def test_no_method_exceeds_its_budget_or_repeats_a_chunk(small, method):
    for question in range(len(small.data.questions)):
        longest = ids(method.answer(small, question, 6))
        for budget in range(1, 7):
            found = ids(method.answer(small, question, budget))
            assert len(found) == len(set(found)) <= budget
            held = method.returned(small).by_id
            assert set(found) <= set(held)
        assert longest, "something is found for each of these questions"
    assert method.settings()


def test_names_and_settings_tell_methods_apart():
    methods = [*comparators(), *fire_tests()]
    assert len({method.name for method in methods}) == len(methods)
    assert len({repr(method.settings()) for method in methods}) == len(methods)


def test_plain_is_what_fusion_gives(small):
    fused = small.fused(0, [("chunk", small.chunks)])
    assert ids(Plain().answer(small, 0, 4)) == [entry.id for entry in fused[:4]]


def test_overlapping_chunks_repeat_their_share(small):
    units = Overlap(0.25).returned(small).units
    assert [u.text for u in units if u.span.document_id == "rivers"] == [
        "the river rises here",
        " here and then it",
        " it bends there before",
        " before we sleep",
    ]


def test_windows_are_linked_to_every_chunk_they_overlap(small):
    units = [u for u in windows(small, 4, 2, link=True) if u.span.document_id == "rivers"]
    first, second, third = (unit.id for unit in small.chunks.units[:3])
    assert [u.parents for u in units] == [
        (first,),
        (first, second),
        (second,),
        (second, third),
        (third,),
    ]
    assert len(Windows(4, 0).collections(small)) == 2
    assert len(Windows(4, 0, alone=True).collections(small)) == 1


def test_sentences_are_a_partition_linked_to_the_chunks_they_lie_in(tmp_path):
    from seams_core.evaluation import Bench, CachedEmbedder, EvaluationSet, Question, Settings, Span
    from tests.evaluation.corpus import embed

    text = "One two. Three four five six seven. Eight.\n\nNine ten."
    data = EvaluationSet("s", {"d": text}, [Question("q", "seven", (Span("d", 0, 3),))])
    held = Bench(data, CachedEmbedder(embed, tmp_path, "h"), Settings(chunk_size=6))
    units = sentence_units(held)
    assert "".join(unit.text for unit in units).split() == text.split()
    assert [unit.text.strip() for unit in units] == [
        "One two.",
        "Three four five six seven.",
        "Eight.",
        "Nine ten.",
    ]
    for unit in units:
        overlapping = [
            c.id
            for c in held.chunks.units
            if c.span.start < unit.span.end and unit.span.start < c.span.end
        ]
        assert list(unit.parents) == overlapping
    assert spans(Sentences().answer(held, 0, 2))[0].start < text.index("seven")


def test_static_neighbours_follow_their_hit(small):
    ranked = ids(Plain().answer(small, 0, 6))
    first = ranked[0]
    expected = list(dict.fromkeys([first, *small.neighbours[first]]))
    assert ids(Neighbours().answer(small, 0, len(expected))) == expected


def test_smoothing_adds_a_share_of_the_neighbours_scores(small):
    fused = small.fused(0, [("chunk", small.chunks)])
    own = {entry.id: score for entry, score in fused.scores.items()}
    total = {
        id: own.get(id, 0) + 0.25 * sum(own.get(n, 0) for n in small.neighbours[id])
        for id in small.neighbours
    }
    best = sorted((id for id in total if total[id]), key=lambda id: (-total[id], id))
    assert ids(Smoothed(0.25).answer(small, 0, 6)) == best


def test_scar_s_inequality(small):
    # A chunk, its neighbour and the question by hand: cos(q,c) = 1, cos(q,n) = .8, cos(c,n) = .8.
    small.chunks.vectors[:] = 0
    small.chunks.vectors[0, :2] = (1, 0)
    small.chunks.vectors[1, :2] = (0.8, 0.6)
    small.chunks.vectors[2, :2] = (0, 1)
    small.question_vectors[0] = 0
    small.question_vectors[0, :2] = (1, 0)
    first, second, third = (unit.id for unit in small.chunks.units[:3])
    # .8 - .1 * (1 - .8) = .78 is not over .80 * 1, but it is over .77 * 1.
    answers = {t: ids(Adaptive(threshold=t).answer(small, 0, 6)) for t in (0.80, 0.77)}
    plain = ids(Plain().answer(small, 0, 6))
    assert plain[0] == first
    assert answers[0.80][1] == plain[1]
    assert answers[0.77][:2] == [first, second]
    # From the second chunk: 0 - .1 * (1 - .6) is not over any positive threshold.
    assert third not in answers[0.77][:3] or plain[:3].count(third)


def test_segments_take_the_run_that_is_worth_most(small):
    # Values by hand: found at rank 0 with relevance 1 is worth 1 - penalty.
    method = Segments(penalty=0.1, least=0.5)
    runs = [[("a", 0.9), ("b", -0.1), ("c", 0.6), ("d", -0.1)], [("e", 1.2)]]
    assert method._best(runs, 10, {}) == ["a", "b", "c"]  # .9 - .1 + .6 = 1.4
    assert method._best(runs, 2, {}) == ["e"]  # no room for three
    assert method._best(runs, 10, dict.fromkeys("e")) == ["a", "b", "c"]
    assert method._best(runs, 10, dict.fromkeys("abc")) == ["e"]
    assert method._best([[("a", 0.4)]], 10, {}) is None  # under the least value


def test_another_fusion_is_that_of_the_core_and_leaves_no_trace(small):
    held = small.chunks
    before = ids(Plain().answer(small, 0, 6))
    lists = [
        [
            (Entry("chunk", held.units[place].id), score)
            for place, score in zip(found.units.tolist(), found.scores.tolist(), strict=True)
        ]
        for found in (held.dense[0], held.keywords[0])
    ]
    wanted = [entry.id for entry in convex_combination(lists)][:6]
    assert ids(Fused(Plain()).answer(small, 0, 6)) == wanted
    assert ids(Plain().answer(small, 0, 6)) == before
    assert Fused(Plain()).name == "plain hybrid, convex"
    assert Fused(Plain()).settings() == {**Plain().settings(), "fusion": "convex"}
    never = Seams(MarginFireTest(float("inf")))
    assert ids(Fused(never).answer(small, 0, 6)) == wanted


def test_a_window_s_score_goes_to_the_chunks_it_leads_to(small):
    for method in (Windows(8, 4, alone=True), Windows(8, 4)):
        for way in (method, Fused(method)):
            assert len(set(ids(way.answer(small, 0, 4)))) == 4


def test_a_prefix_is_searched_and_the_chunk_is_returned(small):
    def prefix(document, text):
        return "zebra" if text.startswith("one") else ""

    method = Contextual(prefix, "zebra")
    units = method.returned(small).units
    assert units[5].text.startswith("zebra")
    assert units[5].span == chunk("note", 1)


def test_late_chunking_pools_the_tokens_of_each_chunk(small):
    seen = []

    def token_vectors(text):
        seen.append(text)
        starts = [n for n, c in enumerate(text) if c == " " or n == 0]
        # The place of the token in the longer text: its context.
        return np.array([[n, 1.0] + [0.0] * 62 for n in range(len(starts))]), starts

    method = LateChunking(token_vectors, window=8, label="places")
    vectors = method.returned(small).vectors
    first = ["the river rises here and then it bends", " there before we sleep"]
    assert seen == [*first, TEXTS["cities"], TEXTS["note"]]
    # Chunk 2 of rivers has tokens 4 to 7 of its stretch: their mean is (5.5, 1).
    assert vectors[1, :2] == pytest.approx(np.array([5.5, 1]) / np.hypot(5.5, 1), rel=1e-5)
    assert vectors[2, :2] == pytest.approx(np.array([1.5, 1]) / np.hypot(1.5, 1), rel=1e-5)
    assert method.answer(small, 0, 2).chunks


def test_seams_report_the_pairs_that_took_slots(small):
    answer = Seams(MarginFireTest(0)).answer(small, 0, 4)
    for left, right in answer.pairs:
        assert left.span.end == right.span.start
        assert {left.id, right.id} <= set(ids(answer))
    never = Seams(MarginFireTest(float("inf"))).answer(small, 0, 4)
    assert not never.pairs
    assert ids(never) == ids(Plain().answer(small, 0, 4))


def test_a_side_whose_half_matches_nothing_is_dropped(small):
    question = 1  # "before what do we sleep": every word lies right of the second cut
    kept = Seams(AnchoredFireTest(1, 1, 1)).answer(small, question, 6)
    dropped = SeamsDroppingSides(AnchoredFireTest(1, 1, 1), least=0.1).answer(small, question, 6)
    assert any(right.span == chunk("rivers", 3) for _, right in kept.pairs)
    assert not any(right.span == chunk("rivers", 3) for _, right in dropped.pairs)


def test_adjacent_chunks_share_a_document(small):
    for left, right in pairwise(small.chunks.units):
        beside = right.id in small.neighbours[left.id]
        assert beside == (left.span.document_id == right.span.document_id)
