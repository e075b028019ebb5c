"""The score-ratio test, and dropping a side whose half adds nothing (paper 3.2 and 3.5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seams_core import (
    AnchoredFireTest,
    DropSideFireTest,
    FireTest,
    FusedRanking,
    MarginFireTest,
    ScoreRatioFireTest,
    reciprocal_rank_fusion,
    select_chunks,
)
from tests.core.rankings import chunk, entries, links_of, ranked, seam

SCORES = FusedRanking.from_scores(
    {seam("1|2"): 0.6, chunk("1"): 0.5, chunk("2"): 0.2, seam("3|4"): 0.4, chunk("3"): 0.4}
)
LINKS = links_of(SCORES)


@pytest.mark.parametrize(
    ("ratio", "fired"),
    [(1.0, {"1|2", "3|4"}), (1.2, {"1|2"}), (1.21, set()), (0.5, {"1|2", "3|4"})],
)
def test_a_ratio_of_fused_scores(ratio, fired):
    # 0.6 / 0.5 is 1.2; 0.4 / 0.4 is 1, and the absent chunk 4 blocks nothing.
    firing = ScoreRatioFireTest(ratio)(SCORES, LINKS)
    assert {v.seam_id for v in firing.verdicts if v.fired} == fired
    assert {e.id for e in firing.order if e.kind == "seam"} == fired
    assert [e for e in firing.order if e.kind == "chunk"] == [chunk("1"), chunk("3"), chunk("2")]


def test_what_blocks_is_named():
    verdicts = {v.seam_id: v for v in ScoreRatioFireTest(1.3)(SCORES, LINKS).verdicts}
    assert verdicts["1|2"].blocked_by == ("1",)
    assert verdicts["3|4"].blocked_by == ("3",)
    assert verdicts["1|2"][1:4] == (1, 2, 5)


@given(st.lists(ranked, min_size=1, max_size=4))
def test_at_ratio_1_it_is_the_margin_test_without_a_margin(lists):
    fused = reciprocal_rank_fusion(lists)
    links = links_of(fused)
    by_ratio, by_place = ScoreRatioFireTest(1)(fused, links), MarginFireTest(0)(fused, links)
    ties = {s for s in fused.scores.values() if list(fused.scores.values()).count(s) > 1}
    if not ties:  # on a tie a chunk stands before a seam, while their ratio is 1
        assert by_ratio.order == by_place.order
    assert set(by_place.order) <= set(by_ratio.order)


def test_scores_are_needed():
    with pytest.raises(ValueError, match="reciprocal_rank_fusion"):
        ScoreRatioFireTest()(entries("1|2 1 2"), {"1|2": ("1", "2")})


@pytest.mark.parametrize("ratio", [0, -1, float("inf"), float("nan"), True])
def test_ratio_is_checked(ratio):
    with pytest.raises(ValueError, match="ratio="):
        ScoreRatioFireTest(ratio)


FUSED = reciprocal_rank_fusion([entries("7|8 12 7 3 8")])


def ids(halves, least, budget=3):
    test = DropSideFireTest(MarginFireTest(1), {"7|8": halves} if halves else {}, least)
    return select_chunks(FUSED, links_of(FUSED), budget=budget, fire_test=test)


@pytest.mark.parametrize(
    ("halves", "least", "expected"),
    [
        ((1.0, 0.0), 0.1, ["7", "12", "3"]),  # the right half adds nothing
        ((0.0, 1.0), 0.1, ["8", "12", "7"]),  # the left one; its chunk keeps its own place
        ((1.0, 0.1), 0.1, ["7", "8", "12"]),  # just enough
        ((0.0, 0.0), 0.1, ["7", "8", "12"]),  # nothing is known against either
        ((1.0, 0.0), 0.0, ["7", "8", "12"]),  # nothing is ever dropped
        (None, 1.0, ["7", "8", "12"]),  # nothing is known
    ],
)
def test_a_side_is_dropped_where_its_half_adds_nothing(halves, least, expected):
    assert ids(halves, least).chunk_ids == expected


def test_a_dropped_side_is_told_in_the_trace():
    selection = ids((1.0, 0.0), 0.1)
    (verdict,) = selection.trace.verdicts
    assert not verdict.fired
    assert verdict.blocked_by == ("8",)
    assert not selection.brought_by


@given(st.lists(ranked, min_size=1, max_size=4), st.data())
def test_dropping_sides_loses_and_repeats_no_chunk(lists, data):
    fused = reciprocal_rank_fusion(lists)
    links = links_of(fused)
    number = st.floats(0, 5)
    names = st.sampled_from([*links, "none"])
    halves = data.draw(st.dictionaries(names, st.tuples(number, number)))
    firing = DropSideFireTest(AnchoredFireTest(), halves, 0.5)(fused, links)
    assert len(firing.order) == len(set(firing.order))
    assert {e for e in fused if e.kind == "chunk"} <= set(firing.order)
    assert {v.seam_id for v in firing.verdicts if v.fired} == {
        e.id for e in firing.order if e.kind == "seam"
    }


@pytest.mark.parametrize("least", [-0.1, 1.1, float("nan"), True])
def test_least_is_checked(least):
    with pytest.raises(ValueError, match="least="):
        DropSideFireTest(MarginFireTest(), {}, least)


def test_both_are_fire_tests_with_settings():
    for test in (ScoreRatioFireTest(1.5), DropSideFireTest(MarginFireTest(2), {}, 0.2)):
        assert isinstance(test, FireTest)
    assert ScoreRatioFireTest(1.5).to_dict() == {"name": "score ratio", "ratio": 1.5}
    assert DropSideFireTest(MarginFireTest(2), {}, 0.2).to_dict() == {
        "name": "drop side",
        "least": 0.2,
        "of": {"name": "margin", "margin": 2},
    }
