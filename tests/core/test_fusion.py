"""R7: the lists meet only in reciprocal rank fusion."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seams_core import Entry, FusedRanking, reciprocal_rank_fusion

from .rankings import chunk, entries, many_ranked, seam


def test_r7_the_score_is_the_sum_of_weight_over_rrf_k_plus_rank() -> None:
    fused = reciprocal_rank_fusion(
        [entries("1 2"), entries("2 1|2"), entries("2")], weights=[1, 2, 0.5], rrf_k=10
    )
    assert fused.score(chunk("2")) == math.fsum([1 / 12, 2 / 11, 0.5 / 11])
    assert fused.score(chunk("1")) == 1 / 11
    assert fused.score(seam("1|2")) == 2 / 12
    assert list(fused) == entries("2 1|2 1")
    assert fused.position(chunk("1")) == 3
    assert fused.position(chunk("9")) is None
    assert fused.score(chunk("9")) == 0


def test_r7_rrf_k_is_60_and_weights_are_one() -> None:
    assert reciprocal_rank_fusion([entries("1")]).score(chunk("1")) == 1 / 61


def test_r7_ties_give_a_chunk_before_a_seam_then_the_lower_id() -> None:
    fused = reciprocal_rank_fusion([entries("1|2"), entries("7"), entries("0|1"), entries("3")])
    assert list(fused) == entries("3 7 0|1 1|2")


@given(rankings=many_ranked, data=st.data())
def test_r7_the_order_of_the_lists_changes_nothing(rankings, data) -> None:
    weights = data.draw(st.lists(st.floats(0, 3), min_size=len(rankings), max_size=len(rankings)))
    order = data.draw(st.permutations(range(len(rankings))))
    one = reciprocal_rank_fusion(rankings, weights=weights)
    other = reciprocal_rank_fusion(
        [rankings[i] for i in order], weights=[weights[i] for i in order]
    )
    assert list(one) == list(other)
    assert dict(one.scores) == dict(other.scores)


@given(rankings=many_ranked)
def test_r7_scores_are_exact_and_the_ranking_follows_them(rankings) -> None:
    fused = reciprocal_rank_fusion(rankings)
    assert set(fused) == {entry for ranking in rankings for entry in ranking}
    for entry in fused:
        exact = sum(
            Fraction(1 / (60 + ranking.index(entry) + 1))
            for ranking in rankings
            if entry in ranking
        )
        assert fused.score(entry) == float(exact)
    keys = [(-fused.score(e), e.kind, e.id) for e in fused]
    assert keys == sorted(keys)


def test_an_entry_named_twice_in_a_list_counts_once_at_its_better_rank() -> None:
    fused = reciprocal_rank_fusion([entries("1 1 2")])
    assert fused.score(chunk("1")) == 1 / 61
    assert fused.score(chunk("2")) == 1 / 62


def test_a_fused_ranking_is_a_sequence() -> None:
    fused = reciprocal_rank_fusion([entries("1 2 3")])
    assert fused[0] == Entry("chunk", "1")
    assert fused[1:] == entries("2 3")
    assert len(fused) == 3
    assert chunk("2") in fused
    assert chunk("4") not in fused
    assert "chunk" in repr(fused)
    assert list(FusedRanking.from_scores({chunk("a"): 1, chunk("b"): 2})) == entries("b a")


def test_no_lists_give_an_empty_ranking() -> None:
    assert list(reciprocal_rank_fusion([])) == []
    assert list(reciprocal_rank_fusion([[], []])) == []


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"weights": [1]}, "weights has 1 numbers for 2 rankings"),
        ({"weights": [1, -1]}, "weights has -1"),
        ({"weights": [1, float("nan")]}, "weights has nan"),
        ({"rrf_k": -1}, "rrf_k=-1"),
        ({"rrf_k": float("inf")}, "rrf_k=inf"),
    ],
)
def test_wrong_settings_are_refused(settings, message) -> None:
    with pytest.raises(ValueError, match=message):
        reciprocal_rank_fusion([entries("1"), entries("2")], **settings)
