"""R8 and R9: which seams fire."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seams_core import (
    AnchoredFireTest,
    FireTest,
    MarginFireTest,
    reciprocal_rank_fusion,
    select_chunks,
)

from .rankings import chunk, entries, fire_tests, fused_rankings, links_of


def fired(text: str, margin: float) -> list[str]:
    ranking = entries(text)
    firing = MarginFireTest(margin)(ranking, links_of(ranking))
    assert [v.seam_id for v in firing.verdicts if v.fired] == [
        e.id for e in firing.order if e.kind == "seam"
    ]
    return [e.id for e in firing.order if e.kind == "seam"]


@pytest.mark.parametrize(
    ("ranking", "margin", "wanted"),
    [
        ("1|2 1 2", 0, ["1|2"]),
        ("1|2 1 2", 1, ["1|2"]),
        ("1|2 1 2", 2, []),
        ("1|2 9 1 2", 2, ["1|2"]),
        ("1 1|2 2", 0, []),
        ("1 2 1|2", 0, []),
        ("2 1|2", 0, []),
        ("1|2 2", 1, ["1|2"]),
        ("1|2 2", 2, []),
        ("1|2", 3, ["1|2"]),
        ("8 9 1|2", 10**9, ["1|2"]),
        ("1|2", math.inf, []),
        ("1|2 2|3 1 2 3", 1, ["1|2", "2|3"]),
    ],
)
def test_r9_a_seam_fires_if_it_outranks_both_chunks_by_the_margin(ranking, margin, wanted) -> None:
    assert fired(ranking, margin) == wanted


def test_r9_an_absent_chunk_counts_as_last_and_never_blocks() -> None:
    (verdict,) = MarginFireTest(3)(entries("1|2 9"), {"1|2": ("1", "2")}).verdicts
    assert verdict.fired
    assert verdict.left_position is verdict.right_position is None


def test_r9_a_seam_without_a_link_is_stale_and_never_fires() -> None:
    selection = select_chunks(entries("1|2 5 6"), {}, budget=3)
    assert selection.chunk_ids == ["5", "6"]
    assert selection.trace.verdict("1|2") == "stale"
    assert "Seam 1|2" in str(selection.trace)


@given(fused=fused_rankings(), margin=st.integers(0, 6))
def test_r9_as_written(fused, margin) -> None:
    links, places = links_of(fused), {e: p for p, e in enumerate(fused, 1)}
    firing = MarginFireTest(margin)(fused, links)
    for verdict in firing.verdicts:
        left, right = (places.get(chunk(id), math.inf) for id in links[verdict.seam_id])
        holds = verdict.position + margin <= left and verdict.position + margin <= right
        assert verdict.fired == holds
        assert bool(verdict.blocked_by) == (not holds)
    kept = {v.seam_id for v in firing.verdicts if v.fired}
    assert firing.order == [e for e in fused if e.kind == "chunk" or e.id in kept]


@given(fused=fused_rankings(), test=fire_tests, budget=st.integers(1, 20))
def test_r8_with_no_firing_the_result_is_the_plain_ranking_of_the_chunks(
    fused, test, budget
) -> None:
    plain = [entry.id for entry in fused if entry.kind == "chunk"]
    assert select_chunks(fused, {}, budget=budget, fire_test=test).chunk_ids == plain[:budget]
    links = links_of(fused)
    endless = MarginFireTest(math.inf)
    assert select_chunks(fused, links, budget=budget, fire_test=endless).chunk_ids == plain[:budget]
    nothing = AnchoredFireTest(0, 0, 0)
    assert select_chunks(fused, links, budget=budget, fire_test=nothing).chunk_ids == plain[:budget]
    if not any(v.fired for v in test(fused, links).verdicts):
        assert (
            select_chunks(fused, links, budget=budget, fire_test=test).chunk_ids == (plain[:budget])
        )


@given(fused=fused_rankings(), weights=st.tuples(*[st.floats(0, 1)] * 3))
def test_anchored_gives_a_chunk_the_better_of_its_own_and_its_pairs_scores(fused, weights) -> None:
    """The formula in one line, against the order in which single chunks come up."""
    a, b, c = weights
    links = links_of(fused)
    own = {e.id: fused.score(e) for e in fused if e.kind == "chunk"}
    best = dict(own)
    for seam in (e for e in fused if e.kind == "seam"):
        high, low = sorted((own.get(i, 0.0) for i in links[seam.id]), reverse=True)
        pair = math.fsum([a * fused.score(seam), b * high, c * low])
        if pair > low:
            for id in links[seam.id]:
                best[id] = max(best.get(id, 0.0), pair)
    order = select_chunks(fused, links, budget=99, fire_test=AnchoredFireTest(a, b, c)).chunk_ids
    assert sorted(order) == sorted(best)
    scores = [best[id] for id in order]
    assert scores == sorted(scores, reverse=True)


def test_anchored_needs_fused_scores() -> None:
    with pytest.raises(ValueError, match="reads fused scores"):
        AnchoredFireTest()(entries("1|2 1"), {})
    fused = reciprocal_rank_fusion([entries("1|2 1"), entries("1 9")])
    selection = select_chunks(fused, links_of(fused), budget=3, fire_test=AnchoredFireTest())
    assert selection.chunk_ids == ["1", "2", "9"]


def test_fire_tests_are_fire_tests_and_say_their_settings() -> None:
    assert isinstance(MarginFireTest(), FireTest)
    assert isinstance(AnchoredFireTest(), FireTest)
    assert MarginFireTest().to_dict() == {"name": "margin", "margin": 3}
    assert MarginFireTest(math.inf).to_dict() == {"name": "margin", "margin": "inf"}
    assert AnchoredFireTest(0.5, 0.5, 0).to_dict()["stronger"] == 0.5


@pytest.mark.parametrize("margin", [-1, -0.5, float("nan"), True])
def test_a_negative_margin_is_refused(margin) -> None:
    with pytest.raises(ValueError, match=r"margin=.* is not allowed"):
        MarginFireTest(margin)


@pytest.mark.parametrize("weight", [-0.1, float("inf"), float("nan"), False])
@pytest.mark.parametrize("name", ["seam", "stronger", "weaker"])
def test_a_wrong_weight_is_refused(name, weight) -> None:
    with pytest.raises(ValueError, match=f"{name}=.* is not allowed"):
        AnchoredFireTest(**{name: weight})
