"""R7: the lists meet only in reciprocal rank fusion."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seams_core import Entry, FusedRanking, convex_combination, reciprocal_rank_fusion
from seams_core.fusion import fuse

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


# The convex combination


def listed(*pairs: tuple[str, float]):
    return [(entries(name)[0], score) for name, score in pairs]


def test_each_list_is_stretched_from_one_to_nothing_and_the_mean_taken() -> None:
    fused = convex_combination(
        [listed(("1", 0.9), ("2", 0.8), ("3", 0.5)), listed(("2", 30.0), ("1|2", 10.0))],
        weights=[3, 1],
    )
    assert list(fused) == entries("2 1 3 1|2")
    assert fused.score(chunk("1")) == 0.75
    assert fused.score(chunk("2")) == pytest.approx(0.75 * 0.75 + 0.25)
    assert fused.score(chunk("3")) == 0
    assert convex_combination([]).scores == {}
    assert list(convex_combination([[], listed(("7", 1.0))])) == entries("7")


scored_lists = st.lists(
    st.lists(st.tuples(st.integers(0, 9), st.integers(-20, 20)), max_size=8), max_size=4
).map(
    lambda lists: [
        [(Entry("chunk", str(id)), float(s)) for id, s in sorted(found, key=lambda p: -p[1])]
        for found in lists
    ]
)


@given(scored_lists, st.sampled_from([1, 4, -1, -0.5]), st.integers(-3, 3))
def test_neither_unit_nor_direction_of_a_score_matters(lists, factor, shift) -> None:
    """Cosines, distances and BM25 alike: a list is best first, whatever it counts."""
    other = [[(entry, factor * score + shift) for entry, score in found] for found in lists]
    one, two = convex_combination(lists), convex_combination(other)
    assert one.scores == pytest.approx(two.scores)


@given(scored_lists, st.randoms())
def test_the_order_of_scored_lists_changes_nothing(lists, rng) -> None:
    mixed = list(lists)
    rng.shuffle(mixed)
    assert list(convex_combination(mixed)) == list(convex_combination(lists))


@pytest.mark.parametrize(
    "scores",
    [(0, 0, 0), (1, float("nan"), 0), (float("inf"), 1, 0), (3, 1, 2), (1, 3, 2)],
    ids=["all the same", "no number", "infinite", "out of order", "out of order upwards"],
)
def test_scores_that_tell_nothing_give_way_to_places(scores) -> None:
    fused = convex_combination([listed(*zip("123", scores, strict=True))])
    assert [fused.score(chunk(id)) for id in "123"] == pytest.approx([1, 2 / 3, 1 / 3])


def test_a_single_hit_is_the_best_and_the_better_place_counts() -> None:
    assert convex_combination([listed(("1", 0.0))]).score(chunk("1")) == 1
    twice = convex_combination([listed(("1", 3.0), ("2", 2.0), ("1", 1.0))])
    assert list(twice) == entries("1 2")
    assert twice.score(chunk("1")) == 1


def test_the_way_of_fusing_is_named() -> None:
    lists = [listed(("1", 0.9), ("2", 0.8)), listed(("2", 3.0), ("1", 2.9))]
    by_places = [[entry for entry, _ in found] for found in lists]
    assert fuse(lists).scores == convex_combination(lists).scores
    assert fuse(lists, fusion="rrf").scores == reciprocal_rank_fusion(by_places).scores
    for wrong in ({"fusion": "sum"}, {"rrf_k": -1}, {"weights": [1]}, {"weights": [1, -1]}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            fuse(lists, **wrong)
