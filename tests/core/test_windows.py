"""R3: a seam over every cut, its window and its guarantee."""

from __future__ import annotations

import uuid
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seams_core import Chunk, build_seams, split_text
from seams_core.errors import ChunkOrderError
from seams_core.tokens import as_measure

pytestmark = pytest.mark.filterwarnings("ignore:half_width=")

PROSE = (
    "The service must keep taking orders during an outage. It accepts briefly stale reads. "
    "Billing records, e.g. invoices of Dr. Smith, are never read stale.\n\n"
    "- the first point\n- the second point\n\n"
) * 120


def chunk(start: int, text: str, document: str = "d") -> Chunk:
    return Chunk(f"{document}:{start}", document, text, start, start + len(text))


def letters(text: str) -> int:
    return len(text)


def test_one_seam_per_cut_linked_to_both_neighbours() -> None:
    chunks = split_text(PROSE, document_id="d", chunk_size=256)
    seams = list(build_seams(chunks))
    assert [(s.left_chunk_id, s.right_chunk_id) for s in seams] == [
        (left.id, right.id) for left, right in zip(chunks, chunks[1:], strict=False)
    ]
    for seam, left in zip(seams, chunks, strict=False):
        assert seam.cut == left.end
        assert seam.text == PROSE[seam.start : seam.end]
        assert uuid.UUID(seam.id).version == 5


@pytest.mark.parametrize("snap", ["outward", "inward", "none"])
def test_a_window_never_reaches_past_its_own_chunks(snap) -> None:
    chunks = split_text(PROSE, document_id="d", chunk_size=40)
    for seam, left, right in zip(
        build_seams(chunks, half_width=150, snap=snap), chunks, chunks[1:], strict=False
    ):
        assert left.start <= seam.start < seam.cut < seam.end <= right.end


def test_outward_keeps_k_tokens_a_side_and_grows_by_at_most_k() -> None:
    measure, k = as_measure(), 60
    chunks = split_text(PROSE, document_id="d", chunk_size=512)
    for seam in list(build_seams(chunks, half_width=k))[:-1]:
        for side in (PROSE[seam.start : seam.cut], PROSE[seam.cut : seam.end]):
            assert k <= measure.count(side) <= 2 * k + 1


def test_outward_ends_at_sentence_edges() -> None:
    chunks = split_text(PROSE, document_id="d", chunk_size=512)
    for seam in build_seams(chunks, half_width=60):
        assert PROSE[: seam.start].rstrip(" \n").endswith((".", "point"))
        assert not PROSE[: seam.start].rstrip().endswith(("e.g.", "Dr."))
        assert seam.text.rstrip().endswith((".", "point"))


def test_inward_shortens_to_sentence_edges() -> None:
    measure, k = as_measure(), 60
    chunks = split_text(PROSE, document_id="d", chunk_size=512)
    for seam in build_seams(chunks, half_width=k, snap="inward"):
        assert measure.count(PROSE[seam.start : seam.cut]) <= k
        assert measure.count(PROSE[seam.cut : seam.end]) <= k
        assert PROSE[: seam.start].rstrip(" \n").endswith((".", "point"))


def test_none_cuts_at_the_token() -> None:
    measure, k = as_measure(), 60
    chunks = split_text(PROSE, document_id="d", chunk_size=512)
    *seams, last = build_seams(chunks, half_width=k, snap="none")
    assert last.end == chunks[-1].end  # the last chunk is shorter than k
    for seam in seams:
        assert measure.count(PROSE[seam.start : seam.cut]) == k
        assert measure.count(PROSE[seam.cut : seam.end]) == k


def test_a_text_without_sentence_ends_does_not_swallow_the_chunk() -> None:
    text, measure = "word " * 4000, as_measure()
    for seam in build_seams(split_text(text, document_id="d"), half_width=150):
        assert measure.count(text[seam.start : seam.cut]) <= 151
        assert measure.count(text[seam.cut : seam.end]) <= 151


SENTENCES = st.lists(
    st.sampled_from(
        [
            "One two. ",
            "Three, four, five? ",
            "六七。",
            "\n\n",
            "\n- item ",
            "e.g. eight ",
            "👍🏽 ",
            "z",
        ]
    ),
    min_size=1,
    max_size=60,
).map("".join)


@given(text=st.one_of(st.text(min_size=1, max_size=200), SENTENCES), data=st.data())
@settings(max_examples=250, deadline=None)
def test_r3_split_evidence_of_up_to_k_tokens_lies_inside_the_window(text: str, data) -> None:
    """The guarantee of 3.4, with a character as the token so that it is exact."""
    k = data.draw(st.integers(1, 30), label="k")
    size = data.draw(st.integers(1, 60), label="chunk_size")
    chunks = split_text(text, document_id="d", chunk_size=size, tokenizer=letters)
    seams = list(build_seams(chunks, half_width=k, tokenizer=letters))
    if not seams:
        return
    number = data.draw(st.integers(0, len(seams) - 1), label="cut")
    seam, left, right = seams[number], chunks[number], chunks[number + 1]
    start = data.draw(st.integers(max(left.start, seam.cut - k), seam.cut - 1), label="start")
    end = data.draw(st.integers(seam.cut + 1, right.end), label="end")
    if end - start <= k:
        assert seam.start <= start
        assert end <= seam.end


@given(text=st.one_of(st.text(min_size=1, max_size=300), SENTENCES), data=st.data())
@settings(max_examples=300, deadline=None)
def test_r3_holds_with_tiktoken_counting_the_evidence_alone(text: str, data) -> None:
    measure = as_measure()
    k = data.draw(st.integers(1, 20), label="k")
    size = data.draw(st.integers(4, 60), label="chunk_size")
    chunks = split_text(text, document_id="d", chunk_size=size)
    for seam, left, right in zip(
        build_seams(chunks, half_width=k), chunks, chunks[1:], strict=False
    ):
        # The widest spans that the window does not hold must have more than k tokens.
        if seam.start > left.start:
            assert measure.count(text[seam.start - 1 : seam.cut]) >= k
        if seam.end < right.end:
            assert measure.count(text[seam.cut : seam.end + 1]) >= k


def test_overlapping_chunks_put_no_text_twice_into_a_window() -> None:
    text = "abcdefghijklmnopqrstuvwxyz"
    chunks = [chunk(0, text[:12]), chunk(8, text[8:20]), chunk(16, text[16:])]
    windows = [s.text for s in build_seams(chunks, half_width=6, snap="none", tokenizer=letters)]
    assert windows == ["ghijklmnopqr", "opqrstuvwxyz"]


def test_stripped_white_space_between_chunks_is_put_back() -> None:
    chunks = [chunk(0, "one."), chunk(5, "Two."), chunk(11, "Three.")]
    windows = [s.text for s in build_seams(chunks, half_width=9, snap="none", tokenizer=letters)]
    assert windows == ["one. Two.", "Two.\n\nThree."]


def test_a_chunk_inside_its_neighbour_has_no_seam() -> None:
    assert not list(build_seams([chunk(0, "abcdef"), chunk(2, "cd")], half_width=3))


def test_never_a_seam_across_documents() -> None:
    chunks = [chunk(0, "one"), chunk(3, "two"), chunk(0, "three", "e"), chunk(5, "four", "e")]
    pairs = [(s.left_chunk_id, s.right_chunk_id) for s in build_seams(chunks)]
    assert pairs == [("d:0", "d:3"), ("e:0", "e:5")]


def test_an_unrelated_document_changes_no_link() -> None:
    mine = split_text(PROSE, document_id="mine", chunk_size=512)
    other = split_text(PROSE[::-1], document_id="other", chunk_size=512)
    alone = list(build_seams(mine))
    assert [s for s in build_seams(other + mine) if s.document_id == "mine"] == alone
    assert [s for s in build_seams(mine + other) if s.document_id == "mine"] == alone


def test_r2_seam_ids_depend_on_window_chunks_settings_and_collection() -> None:
    chunks = split_text(PROSE, document_id="d", chunk_size=512)

    def ids(**settings) -> set[str]:
        return {seam.id for seam in build_seams(chunks, **settings)}

    base = ids()
    assert base == ids()
    for other in (
        ids(half_width=200),
        ids(snap="none"),
        ids(namespace="other"),
        ids(tokenizer="o200k_base"),
        ids(sentences="german"),
    ):
        assert base.isdisjoint(other)
    changed = [*chunks[:-1], Chunk(chunks[-1].id, "d", "Changed.", chunks[-1].start, 10**6)]
    assert len(base - {seam.id for seam in build_seams(changed)}) == 1


def test_streams_with_two_chunks_in_hand() -> None:
    taken = []

    def source():
        for number in range(100):
            taken.append(number)
            yield chunk(number * 3, "abc")

    seams = build_seams(source(), half_width=1)
    next(seams)
    assert len(taken) == 2
    assert len(list(seams)) == 98


def test_under_150_tokens_it_warns_with_the_papers_reason() -> None:
    with pytest.warns(UserWarning, match=r"half_width=149 .*wide enough .*evidence"):
        build_seams([], half_width=149)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        build_seams([], half_width=150)


@pytest.mark.parametrize("k", [0, -3, 2.5])
def test_a_half_width_below_one_is_refused_at_once(k) -> None:
    with pytest.raises(ValueError, match=r"half_width=.*at least 1"):
        build_seams([], half_width=k)


def test_an_unknown_snap_mode_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match=r"snap='inwards'.*'outward', 'inward', 'none'"):
        build_seams([], snap="inwards")


@pytest.mark.parametrize(
    ("chunks", "message"),
    [
        ([chunk(0, "a"), chunk(5, "b"), chunk(3, "c")], r"'d:3' starts .*reading order"),
        ([chunk(0, "a"), Chunk("twin", "d", "b", 0, 1)], r"'d:0' and 'twin' both start"),
        ([chunk(0, "a"), chunk(0, "b", "e"), chunk(1, "c")], r"'d:1' belongs to document 'd'"),
    ],
    ids=["out of order", "one position twice", "mixed documents"],
)
def test_chunks_in_the_wrong_order_are_named(chunks, message) -> None:
    with pytest.raises(ChunkOrderError, match=message):
        list(build_seams(chunks))
