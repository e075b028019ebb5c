"""Short names and hypothesis strategies for rankings."""

from __future__ import annotations

from hypothesis import strategies as st

from seams_core import (
    AnchoredFireTest,
    DropSideFireTest,
    Entry,
    MarginFireTest,
    ScoreRatioFireTest,
    reciprocal_rank_fusion,
)


def chunk(id: str) -> Entry:
    return Entry("chunk", id)


def seam(id: str) -> Entry:
    return Entry("seam", id)


def entries(text: str) -> list[Entry]:
    """``"7|8 12 3"`` as a ranking: what has a bar is a seam."""
    return [seam(word) if "|" in word else chunk(word) for word in text.split()]


def links_of(ranking) -> dict[str, tuple[str, str]]:
    return {e.id: tuple(e.id.split("|")) for e in ranking if e.kind == "seam"}


chunk_ids = st.integers(0, 12).map(str)
seam_ids = st.integers(0, 11).map(lambda n: f"{n}|{n + 1}")
any_entry = st.one_of(chunk_ids.map(chunk), seam_ids.map(seam))
ranked = st.lists(any_entry, unique=True, max_size=25)
many_ranked = st.lists(ranked, max_size=5)
budgets = st.integers(1, 15)
fire_tests = st.one_of(
    st.integers(0, 8).map(MarginFireTest),
    st.just(MarginFireTest(float("inf"))),
    st.tuples(*[st.sampled_from([0.0, 0.1, 0.4, 0.5, 1.0])] * 3).map(
        lambda weights: AnchoredFireTest(*weights)
    ),
    st.sampled_from([0.5, 1.0, 1.5]).map(ScoreRatioFireTest),
    st.sampled_from([0.0, 0.5]).map(
        lambda least: DropSideFireTest(AnchoredFireTest(), {"2|3": (1.0, 0.2)}, least)
    ),
)


@st.composite
def fused_rankings(draw):
    return reciprocal_rank_fusion(draw(many_ranked))
