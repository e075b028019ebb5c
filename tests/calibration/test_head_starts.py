"""A test fires just those seams whose head start is above its number."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seams_core import (
    AnchoredFireTest,
    CalibratableFireTest,
    DropSideFireTest,
    FusedRanking,
    MarginFireTest,
    ScoreRatioFireTest,
)
from tests.core.rankings import chunk, entries, fused_rankings, links_of, seam

tests = st.sampled_from(
    [
        MarginFireTest(),
        AnchoredFireTest(),
        AnchoredFireTest(0.1, 0.4, 0.1),
        AnchoredFireTest(0.5, 0.5, 0.0),
        ScoreRatioFireTest(),
    ]
)


def fired(test, fused, links) -> set[str]:
    return {verdict.seam_id for verdict in test(fused, links).verdicts if verdict.fired}


@given(tests, fused_rankings(), st.data())
def test_it_fires_for_head_starts_above_the_threshold(test, fused, data) -> None:
    links = links_of(fused)
    starts = test.head_starts(fused, links)
    assert set(starts) == set(links)
    finite = [start for start in starts.values() if math.isfinite(start)]
    threshold = data.draw(st.sampled_from(sorted({0.0, 0.5, 2.0, *finite})))
    threshold = max(threshold, test.lowest)
    above = {id for id, start in starts.items() if start > threshold}
    assert fired(test.above(threshold), fused, links) == above


@given(tests, fused_rankings())
def test_below_its_lowest_number_nothing_more_fires(test, fused) -> None:
    links = links_of(fused)
    lowest = fired(test.above(test.lowest), fused, links)
    assert fired(test.above(-math.inf), fused, links) == lowest
    assert lowest == {id for id, s in test.head_starts(fused, links).items() if s > test.lowest}


@given(st.sampled_from([MarginFireTest(), AnchoredFireTest()]), fused_rankings())
def test_above_an_infinite_threshold_nothing_fires(test, fused) -> None:
    assert fired(test.above(math.inf), fused, links_of(fused)) == set()


def test_no_ratio_keeps_a_seam_without_chunks_from_firing() -> None:
    with pytest.raises(ValueError, match="calibrate MarginFireTest or AnchoredFireTest"):
        ScoreRatioFireTest().above(math.inf)


def test_head_starts_by_hand() -> None:
    fused = entries("7|8 12 7 3|4 3 8 5|6")
    links = links_of(fused)
    assert MarginFireTest().head_starts(fused, links) == {"7|8": 2, "3|4": 1, "5|6": math.inf}
    scores = {seam("7|8"): 0.8, chunk("7"): 0.4, chunk("8"): 0.2, seam("5|6"): 0.1}
    ranking = FusedRanking.from_scores(scores)
    links = links_of(ranking)
    assert ScoreRatioFireTest().head_starts(ranking, links) == {"7|8": 2.0, "5|6": math.inf}
    starts = AnchoredFireTest(0.5, 0.5, 0.0).head_starts(ranking, links)
    assert starts == {"7|8": pytest.approx(0.6 / 0.4), "5|6": math.inf}


def test_which_tests_can_be_calibrated() -> None:
    for test in (MarginFireTest(), AnchoredFireTest(), ScoreRatioFireTest()):
        assert isinstance(test, CalibratableFireTest)
    assert not isinstance(DropSideFireTest(AnchoredFireTest(), {}), CalibratableFireTest)


def test_the_least_share_of_the_anchor_is_checked_and_told() -> None:
    with pytest.raises(ValueError, match="least=-1"):
        AnchoredFireTest(least=-1)
    assert "least" not in AnchoredFireTest().to_dict()
    assert AnchoredFireTest(least=0.9).to_dict()["least"] == 0.9
