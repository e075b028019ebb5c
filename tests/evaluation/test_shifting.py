"""The controlled experiment on the hand-made corpus."""

from __future__ import annotations

import pytest

from seams_core.evaluation import CachedEmbedder, Plain, Settings, shift_grid
from seams_core.evaluation.shifting import Sight, compare, risk_by_length
from tests.evaluation.corpus import SIZE, dataset, embed


def test_each_question_is_met_whole_and_split(tmp_path):
    sights = shift_grid(
        dataset(),
        CachedEmbedder(embed, tmp_path, "hashed"),
        [Plain()],
        settings=Settings(chunk_size=SIZE, depth=10),
        budget=2,
        steps=4,
        state=tmp_path / "state",
    )
    # "bend" has words 3 to 6. Cuts fall behind words 4, 3, 2 and 1 (and every four words on).
    bend = [s for s in sights if s.question == 0]
    assert [s.before for s in bend] == [2 / 4, 1 / 4, None, 3 / 4]
    assert {s.length for s in bend} == {4}
    # "sleep" has words 10 and 11; the grids cut behind 8, 11, 10 and 9.
    assert [s.before for s in sights if s.question == 1] == [None, None, 1 / 2, None]
    # Questions with two spans are left out.
    assert {s.question for s in sights} == {0, 1}


def test_comparison_by_hand():
    def sight(question, length, before, full):
        return Sight(question, length, before, {"m": full})

    sights = [
        sight(0, 50, None, 1.0),
        sight(0, 50, None, 0.0),
        sight(0, 50, 0.5, 0.0),
        sight(1, 250, None, 1.0),
        sight(1, 250, 0.2, 1.0),
        sight(1, 250, 0.95, 0.0),
        sight(2, 50, None, 1.0),  # never split: no control
        sight(3, 50, 0.4, 0.0),  # never whole
    ]
    found = compare(sights)
    assert found["questions"] == 2
    assert found["methods"]["m"] == {"questions": 2, "whole": 0.75, "split": 0.25}
    assert found["by_length"]["0 to 100"]["m"] == {"questions": 1, "whole": 0.5, "split": 0.0}
    assert found["by_length"]["200 to 300"]["m"] == {"questions": 1, "whole": 1.0, "split": 0.5}
    assert found["by_place_of_cut"]["0.5 to 0.7"]["m"] == 0.0
    assert found["by_place_of_cut"]["0.1 to 0.3"]["m"] == 1.0
    assert found["by_place_of_cut"]["0.9 to 1"]["m"] == 0.0
    risk = risk_by_length(sights, 1000)
    assert risk[0] == (50, pytest.approx(2 / 5), 0.05, 5)
    assert compare([]) == {"questions": 0, "methods": {}}


def test_something_must_move(tmp_path):
    with pytest.raises(ValueError, match="steps=1"):
        shift_grid(dataset(), CachedEmbedder(embed, tmp_path, "h"), [Plain()], steps=1)
