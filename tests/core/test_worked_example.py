"""The worked example of section 3.2, entry by entry."""

from __future__ import annotations

import json

import pytest

from seams_core import Chunk, MarginFireTest, build_seams, select_chunks
from seams_core.windows import DEFAULT_HALF_WIDTH

from .rankings import entries, links_of

# Positions 8 to 10 are not named in the paper; any chunks will do.
FUSED = entries("7|8 12 12|13 7 3 20 15 31 32 33 8")
LINKS = links_of(FUSED)


@pytest.fixture(scope="module")
def selection():
    return select_chunks(FUSED, LINKS, budget=5, fire_test=MarginFireTest(3))


def test_the_document_has_a_seam_of_150_tokens_a_side_over_the_cut_between_7_and_8() -> None:
    assert DEFAULT_HALF_WIDTH == 150
    text = "word " * 8192
    chunks = [
        Chunk(str(n), "design", text[5120 * (n - 1) : 5120 * n], 5120 * (n - 1), 5120 * n)
        for n in range(1, 9)
    ]
    seams = {(s.left_chunk_id, s.right_chunk_id): s for s in build_seams(chunks)}
    seam = seams["7", "8"]
    assert seam.cut == chunks[6].end
    assert seam.cut - seam.start == pytest.approx(150 * 5, abs=5)
    assert seam.end - seam.cut == pytest.approx(150 * 5, abs=5)


def test_without_seams_the_exception_for_billing_is_missing() -> None:
    plain = [entry for entry in FUSED if entry.kind == "chunk"]
    assert select_chunks(plain, {}, budget=5).chunk_ids == ["12", "7", "3", "20", "15"]


def test_with_seams_chunks_7_8_12_3_and_20_come_back(selection) -> None:
    assert selection.chunk_ids == ["7", "8", "12", "3", "20"]
    assert selection.brought_by == {"7": "7|8", "8": "7|8"}


def test_seam_7_8_fires_and_12_13_is_blocked_by_chunk_12(selection) -> None:
    first, second = selection.trace.verdicts
    assert first == ("7|8", 1, 4, 11, True, ())
    assert second == ("12|13", 3, 2, None, False, ("12",))
    assert selection.trace.counts == {
        "fired": 1,
        "skipped": 0,
        "blocked": 1,
        "filtered": 0,
        "stale": 0,
    }


def test_the_trace_prints_the_papers_two_tables(selection) -> None:
    assert str(selection.trace) == (
        """\
The fused ranking

Position  Entry       Verdict
--------  ----------  ----------------------------------------------------
1         Seam 7|8    fired (chunk 7 at 4, chunk 8 at 11)
2         Chunk 12
3         Seam 12|13  blocked by chunk 12 (chunk 12 at 2, chunk 13 absent)
4         Chunk 7
5         Chunk 3
6         Chunk 20
7         Chunk 15
8         Chunk 31
9         Chunk 32
10        Chunk 33
11        Chunk 8

Filling the budget of 5

Position  Entry       Action                                                                   \
Slots used
--------  ----------  -----------------------------------------------------------------------  \
----------
1         Seam 7|8    Needs two slots, for chunks 7 and 8, and five remain, so both are added  \
2 of 5
2         Chunk 12    Added                                                                    \
3 of 5
3         Seam 12|13  Did not fire; already dropped                                            \
3 of 5
4         Chunk 7     Already included; skipped                                                \
3 of 5
5         Chunk 3     Added                                                                    \
4 of 5
6         Chunk 20    Added; the budget is full                                                \
5 of 5

Result: 7, 8, 12, 3, 20"""
    )


def test_the_trace_is_json(selection) -> None:
    trace = json.loads(json.dumps(selection.trace.to_dict()))
    assert trace["chunk_ids"] == ["7", "8", "12", "3", "20"]
    assert trace["fire_test"] == {"name": "margin", "margin": 3}
    assert [step["slots_used"] for step in trace["fill"]] == [2, 3, 3, 4, 5]
    assert trace["seams"][1] == {
        "seam_id": "12|13",
        "position": 3,
        "left_chunk_id": "12",
        "right_chunk_id": "13",
        "left_position": 2,
        "right_position": None,
        "verdict": "blocked",
        "blocked_by": ["12"],
    }
