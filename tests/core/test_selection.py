"""R10: the budget. R11: the reranker. And those of the ten promises that are settled here."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seams_core import MarginFireTest, SelectionPlan, reciprocal_rank_fusion, select_chunks
from seams_core.errors import RerankError

from .rankings import budgets, chunk, entries, fire_tests, fused_rankings, links_of, many_ranked


def chosen(text: str, budget: int, rerank=None, margin: float = 0, top_n: int = 150) -> str:
    ranking = entries(text)
    selection = select_chunks(
        ranking,
        links_of(ranking),
        budget=budget,
        fire_test=MarginFireTest(margin),
        rerank=rerank,
        rerank_top_n=top_n,
    )
    return " ".join(selection.chunk_ids)


@pytest.mark.parametrize(
    ("ranking", "budget", "wanted"),
    [
        ("1|2 2|3 9 8", 4, "1 2 3 9"),  # adjacent firings that share a chunk take three slots
        ("2|3 1|2 9 8", 4, "2 3 1 9"),
        ("9 1|2 8 7", 2, "9 8"),  # needs two slots with one left: skipped, the slot goes on
        ("9 1|2 9|10 8", 2, "9 8"),  # 9|10 does not fire: it ranks behind chunk 9
        ("1|2 3|4 2|3 9", 5, "1 2 3 4 9"),  # a pair that is in already needs no slot
        ("1|2 2|3 5", 3, "1 2 3"),  # a pair that needs one slot gets in with one left
        ("1|2 1 2 9", 3, "1 2 9"),  # one chunk reached both ways counts once
        ("1|2 9 8", 1, "9"),  # budget 1
        ("1|2", 1, ""),
        ("1|2 9", 50, "1 2 9"),  # budget larger than the list
        ("9 8 7", 2, "9 8"),  # no seams
        ("1|2", 5, "1 2"),  # no chunks
        ("", 5, ""),
    ],
)
def test_r10_the_list_is_read_in_order(ranking, budget, wanted) -> None:
    assert chosen(ranking, budget) == wanted


def test_r10_a_skipped_pair_is_said_in_the_trace() -> None:
    ranking = entries("9 1|2 8")
    trace = select_chunks(ranking, links_of(ranking), budget=2, fire_test=MarginFireTest(0)).trace
    assert trace.verdict("1|2") == "skipped"
    assert "Needs two slots, for chunks 1 and 2, and one remains: skipped" in str(trace)


def test_r10_a_fired_pair_that_is_in_already_is_said_in_the_trace() -> None:
    ranking = entries("1|2 3|4 2|3")
    trace = select_chunks(ranking, links_of(ranking), budget=5, fire_test=MarginFireTest(0)).trace
    assert trace.counts["fired"] == 3
    assert "Fired; both chunks already included" in str(trace)
    assert "Needs one slot" in str(
        select_chunks(
            entries("1|2 2|3"), links_of(entries("1|2 2|3")), budget=4, fire_test=MarginFireTest(0)
        ).trace
    )


@given(rankings=many_ranked, test=fire_tests, budget=budgets, data=st.data())
def test_r10_never_twice_never_too_many_and_a_pair_is_whole(rankings, test, budget, data) -> None:
    fused = reciprocal_rank_fusion(rankings)
    links = links_of(fused)
    dead = data.draw(st.sets(st.sampled_from(sorted(links)))) if links else set()
    links = {seam: link for seam, link in links.items() if seam not in dead}
    selection = select_chunks(fused, links, budget=budget, fire_test=test)
    ids, trace = selection.chunk_ids, selection.trace
    assert len(ids) == len(set(ids)) <= budget
    in_list = {e.id for e in fused if e.kind == "chunk"}
    reachable = in_list | {c for link in links.values() for c in link}
    assert set(ids) <= reachable
    assert len(ids) >= min(budget, len(in_list))
    for id, seam in selection.brought_by.items():
        assert trace.verdict(seam) == "fired"
        assert id in ids
    for seam, link in links.items():
        if trace.verdict(seam) == "fired":
            assert set(link) <= set(ids)
        if trace.verdict(seam) == "skipped":
            assert not set(link) <= set(ids) or any(c in ids and c in in_list for c in link)
    for seam in dead & {e.id for e in fused}:
        assert trace.verdict(seam) == "stale"
    assert sum(trace.counts.values()) == sum(e.kind == "seam" for e in fused)


@given(rankings=many_ranked, test=fire_tests, budget=budgets, data=st.data())
def test_the_order_of_the_lists_changes_nothing(rankings, test, budget, data) -> None:
    shuffled = data.draw(st.permutations(rankings))
    one, other = (reciprocal_rank_fusion(lists) for lists in (rankings, shuffled))
    assert (
        select_chunks(one, links_of(one), budget=budget, fire_test=test).chunk_ids
        == select_chunks(other, links_of(other), budget=budget, fire_test=test).chunk_ids
    )


def test_r11_pairs_stay_pinned_while_ordinary_chunks_are_reordered() -> None:
    assert chosen("9 1|2 8 7 6", 5, lambda ids: ids[::-1]) == "6 1 2 7 8"


def test_r11_a_pair_stays_although_the_reranker_would_have_dropped_it() -> None:
    seen: list[str] = []

    def rerank(ids: list[str]) -> list[str]:
        seen.extend(ids)
        return []

    assert chosen("1|2 1 9 2 8", 4, rerank) == "1 2 9 8"
    assert seen == ["9", "8"]


def test_r11_the_reranker_sees_the_first_n_ordinary_chunks_and_the_rest_follow() -> None:
    seen: list[str] = []

    def rerank(ids: list[str]) -> list[str]:
        seen.extend(ids)
        return ids[::-1]

    assert chosen("9 8 7 6 5", 5, rerank, top_n=3) == "7 8 9 6 5"
    assert seen == ["9", "8", "7"]


def test_r11_it_may_bring_up_a_chunk_from_beyond_the_budget() -> None:
    assert chosen("9 8 7 6", 2, lambda ids: ["6", "9"]) == "6 9"


def test_r11_what_it_drops_keeps_its_order_behind_and_repeats_count_once() -> None:
    assert chosen("9 8 7 6", 4, lambda ids: ["7", "7", "6", "7"]) == "7 6 9 8"


def test_r11_what_it_invents_is_an_error() -> None:
    with pytest.raises(RerankError, match=r"returned '1', which it was not given"):
        chosen("1|2 9 8", 3, lambda ids: ["9", "1"])


@given(fused=fused_rankings(), test=fire_tests, budget=budgets, data=st.data())
def test_r11_which_pairs_get_in_and_where_does_not_depend_on_the_reranker(
    fused, test, budget, data
) -> None:
    links = links_of(fused)
    top_n = data.draw(st.integers(1, 20))
    plan = SelectionPlan(fused, links, budget=budget, fire_test=test, rerank_top_n=top_n)
    plain = plan.finish()
    reply = data.draw(st.lists(st.sampled_from(plan.candidates))) if plan.candidates else []
    order = data.draw(st.permutations(plan.candidates))
    for answer in (reply, order):
        selection = plan.finish(answer)
        assert selection.brought_by == plain.brought_by
        assert selection.trace.reranked
        pinned = plain.brought_by
        assert [i if i in pinned else None for i in selection.chunk_ids] == [
            i if i in pinned else None for i in plain.chunk_ids
        ]
        ordinary = [i for i in selection.chunk_ids if i not in pinned]
        named = list(dict.fromkeys(answer))
        assert ordinary[: len(named)] == named[: len(ordinary)]
        assert len(set(selection.chunk_ids)) == len(selection.chunk_ids) == len(plain.chunk_ids)
    assert not set(plan.candidates) & set(plain.brought_by)


def test_a_seam_whose_chunks_are_not_shown_to_pass_the_filter_does_not_fire() -> None:
    ranking = entries("1|2 9")
    selection = select_chunks(ranking, links_of(ranking), budget=3, excluded={"1|2"})
    assert selection.chunk_ids == ["9"]
    assert selection.trace.verdict("1|2") == "filtered"
    assert selection.trace.counts["filtered"] == 1
    assert selection.trace.verdict("5|6") == "absent"


@pytest.mark.parametrize("name", ["budget", "rerank_top_n"])
@pytest.mark.parametrize("value", [0, -1, 2.5, True, None])
def test_numbers_below_one_are_refused(name, value) -> None:
    settings = {"budget": 3, name: value}
    with pytest.raises(ValueError, match=rf"{name}=.*at least 1"):
        select_chunks([chunk("1")], {}, **settings)


def test_what_is_no_entry_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\('window', '1'\) is no entry"):
        select_chunks([("window", "1")], {}, budget=1)


def test_a_plain_sequence_of_pairs_will_do_and_repeats_count_once() -> None:
    ranking = [("chunk", "1"), ("chunk", "1"), ("seam", "s"), ("chunk", "2")]
    assert select_chunks(ranking, {"s": ("2", "3")}, budget=9).chunk_ids == ["1", "2"]


def test_the_trace_stops_where_the_budget_is_full_and_counts_the_late() -> None:
    ranking = entries("9 8 1|2 2|3 7")
    trace = select_chunks(ranking, links_of(ranking), budget=2, fire_test=MarginFireTest(0)).trace
    assert "... and 2 more fired seams that found no slots" in str(trace)
    assert trace.counts["skipped"] == 2
    short = trace.render(names={"9": "nine"}, top=2)
    assert "... and 3 more" in short
    assert "Chunk nine" in short
    assert "Result: nine, 8" in short
