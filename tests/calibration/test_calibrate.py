"""Calibrating as the paper describes (3.2), on a corpus in which the split facts are known."""

from __future__ import annotations

import asyncio
import json
import math
import random

import pytest

from seams_core import (
    AnchoredFireTest,
    Calibration,
    DropSideFireTest,
    MarginFireTest,
    ScoreRatioFireTest,
    SeamsError,
    acalibrate_margin,
    calibrate_margin,
)
from seams_core.calibration.sampling import draw, fingerprint
from seams_core.sentences import as_edges
from tests.calibration.corpus import ask, chunks, index, index_of, retrieval
from tests.stores import MemoryStore

TESTS = [MarginFireTest(), AnchoredFireTest(), ScoreRatioFireTest()]


def calibrated(**settings) -> Calibration:
    of = settings.pop("of", None) or index()
    settings = {"write": ask, "samples": 40, "date": "2026-01-01", **settings}
    return calibrate_margin(of, settings.pop("retrieval", None) or retrieval(of), **settings)


def samples_of(seed: int, size: int):
    of = index()
    return draw(of.seam_store, as_edges(None), size=size, seed=seed, language="english")


@pytest.mark.slow
@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.to_dict()["name"])
def test_at_most_one_in_ten_unsplit_facts_fires_and_fresh_questions_agree(test) -> None:
    """The promise, and what the report expects, on facts that it was not made from."""
    made = calibrated(fire_test=test, samples=150)
    known = {s.text for s in samples_of(0, 150).unsplit + samples_of(0, 150).split}
    fresh = samples_of(1, 200)
    fired = {}
    for name in ("unsplit", "split"):
        facts = [sample for sample in getattr(fresh, name) if sample.text not in known]
        count = 0
        for sample in facts:
            found = retrieval(index()).run(ask(sample.text), budget=5, fire_test=made.fire_test)
            count += any(
                v.fired for v in found.selection.trace.verdicts if v.seam_id == sample.seam_id
            )
        assert len(facts) > 60
        fired[name] = count / len(facts), 2.5 / math.sqrt(len(facts))  # of both samples
    assert fired["unsplit"][0] <= 0.1 + 0.3 * fired["unsplit"][1]
    assert fired["split"][0] == pytest.approx(made.fires_split, abs=fired["split"][1] * 0.7)
    assert made.fires_split > 2 * made.fires_unsplit
    assert made.intervals["unsplit"][0] <= made.fires_unsplit <= made.intervals["unsplit"][1]


def test_what_it_gives_back() -> None:
    made = calibrated(fire_test=MarginFireTest(), in_use=MarginFireTest(0))
    assert len(made.unsplit) == len(made.split) == 40
    assert made.margin == made.threshold + 1
    assert made.fire_test == MarginFireTest(made.margin)
    assert made.fires_unsplit <= 0.1
    assert made.working_range[0] == made.threshold
    assert 0.5 < made.separation < 1
    assert made.crossed > 0.9
    assert (made.writer, made.approximate, made.joined) == ("ask", False, 0)
    assert made.before["test"] == {"name": "margin", "margin": 0}
    assert made.before["unsplit"] >= made.fires_unsplit
    assert made.made_on["seams"] == index().status().seams
    assert made.made_on["chunks"] == index().status().chunks
    assert (made.made_on["depth"], made.made_on["fusion"]) == (150, "convex")
    assert made.made_on["lists"] == [
        "dense chunk",
        "dense seam",
        "keyword chunk",
        "keyword seam",
    ]
    for told in ("Verdict: ", "Unsplit texts whose seam fires: ", "In use before"):
        assert told in str(made)


def test_the_verdict_is_inside_where_the_two_part() -> None:
    made = calibrated(fire_test=AnchoredFireTest(), samples=80)
    assert (made.verdict, made.reasons) == ("inside the setting", ())


def test_the_same_seed_gives_the_same_and_another_does_not() -> None:
    assert calibrated() == calibrated()
    assert calibrated().unsplit != calibrated(seed=1).unsplit


def test_the_order_of_the_store_changes_nothing() -> None:
    rows = list(index().seam_store.rows.items())
    shuffled = MemoryStore("seams")
    random.Random(3).shuffle(rows)
    shuffled.rows = dict(rows)
    edges = as_edges(None)
    settings = {"size": 20, "seed": 0, "language": "english"}
    one, other = (draw(s, edges, **settings) for s in (index().seam_store, shuffled))
    assert (one.unsplit, one.split, one.fingerprint) == (
        other.unsplit,
        other.split,
        other.fingerprint,
    )
    assert fingerprint(shuffled) == one.fingerprint


def test_samples_are_what_they_say() -> None:
    texts = {chunk.id: " ".join(chunk.text.split()) for chunk in chunks()}
    drawn = samples_of(0, 100)
    for sample in drawn.unsplit:
        assert (sample.text in texts[sample.left_chunk_id]) != (
            sample.text in texts[sample.right_chunk_id]
        )
    for sample in drawn.split:
        assert sample.side == "split"
        assert sample.text not in texts[sample.left_chunk_id]
        assert sample.text not in texts[sample.right_chunk_id]
        both = texts[sample.left_chunk_id] + " " + texts[sample.right_chunk_id]
        assert sample.text in both
    for sample in drawn.unsplit + drawn.split:
        window = index().seam_store.rows[sample.seam_id][0].text
        assert sample.text in " ".join(window.split())


def test_where_no_cut_crosses_a_sentence_the_two_beside_it_stand_in() -> None:
    made = chunks(2, 40)
    ends = as_edges(None)
    cut = []
    for chunk in made:  # cut again, at sentence edges
        edge = ends.last(chunk.text, 1, len(chunk.text) - 1)
        assert edge is not None
        cut += [(chunk.document_id, chunk.start + edge)]
    texts = {id: "".join(c.text for c in made if c.document_id == id) for id in ("d0", "d1")}
    from seams_core import Chunk

    pieces = []
    for id, text in texts.items():
        places = [0, *(place for document, place in cut if document == id), len(text)]
        pieces += [
            Chunk(f"{id}-{a}", id, text[a:b], a, b, {})
            for a, b in zip(places, places[1:], strict=False)
        ]
    result = calibrated(of=index_of(tuple(pieces)), samples=15)
    assert result.crossed == 0
    assert result.joined == 15
    assert "beside a cut" in str(result)


def test_several_tests_and_the_one_that_fires_most_for_split_facts() -> None:
    made = calibrated(fire_test=TESTS)
    assert {o["test"]["name"] for o in made.others} | {made.test["name"]} == {
        "margin",
        "anchored",
        "score ratio",
    }
    assert all(made.fires_split >= other["split"] for other in made.others)


def test_without_a_writer_a_query_of_the_rarest_words_which_is_said() -> None:
    made = calibrated(write=None)
    assert made.approximate
    assert "approximation" in str(made)
    assert made.lost == {"failed": 0, "empty": 0}


def test_the_depth_is_the_deployments_own() -> None:
    shallow = calibrated(retrieval=retrieval(index(), depth=2), fire_test=MarginFireTest())
    assert shallow.made_on["depth"] == 2
    assert shallow.unsplit != calibrated(fire_test=MarginFireTest()).unsplit
    assert max(shallow.unsplit) in (1, math.inf, *range(9))


# What goes wrong


class Flaky:
    """Fails at every tenth call, and once gives nothing."""

    def __init__(self, empty: int = -1) -> None:
        self.calls, self.empty = 0, empty

    def __call__(self, text: str) -> str:
        self.calls += 1
        if self.calls % 10 == 0:
            raise ConnectionError("rate limit")
        return "  " if self.calls == self.empty else ask(text)


def test_failing_calls_are_retried_and_empty_answers_counted() -> None:
    made = calibrated(write=Flaky(empty=5))
    assert made.lost == {"failed": 0, "empty": 1}
    assert made.valid
    assert len(made.unsplit) + len(made.split) == 79
    assert "1 empty" in str(made)
    lost = calibrated(write=Flaky(), retries=0)
    assert lost.lost == {"failed": 8, "empty": 0}
    assert lost.valid


def test_too_few_questions_are_not_valid_and_it_says_how_many_there_must_be() -> None:
    made = calibrated(samples=8)
    assert (made.valid, made.verdict) == (False, "not valid")
    assert "at least 9 are needed" in made.reasons[0]
    assert made.fires_unsplit == 0  # nothing fires without evidence that it may
    silent = calibrated(write=lambda text: "")
    assert silent.lost["empty"] == 80
    assert not silent.valid


def test_a_writer_that_only_fails_ends_it() -> None:
    def away(text: str) -> str:
        raise ConnectionError("no model there")

    with pytest.raises(ConnectionError, match="no model there"):
        calibrated(write=away, retries=1)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"coverage": 1.0}, "coverage=1.0"),
        ({"coverage": 0}, "coverage=0"),
        ({"interval": -1}, "interval=-1"),
        ({"samples": 0}, "samples=0"),
        ({"retries": -1}, "retries=-1"),
        ({"fire_test": []}, "at least one"),
        ({"fire_test": DropSideFireTest(AnchoredFireTest(), {})}, "no number to calibrate"),
        ({"evidence_tokens": []}, "at least one"),
        ({"evidence_tokens": [0]}, "1 token or more"),
    ],
)
def test_wrong_settings_are_refused(settings, said) -> None:
    with pytest.raises(ValueError, match=said):
        calibrated(**settings)


def test_an_index_without_seams_is_refused() -> None:
    empty = index_of(())
    with pytest.raises(SeamsError, match="run sync first"):
        calibrated(of=empty)


def test_short_evidence_is_outside_the_setting() -> None:
    made = calibrated(fire_test=AnchoredFireTest(), samples=80, evidence_tokens=[2, 3, 4])
    assert made.verdict == "outside the setting"
    assert "evidence is short" in made.reasons[0]
    long = calibrated(fire_test=AnchoredFireTest(), samples=80, evidence_tokens=[20, 30])
    assert long.verdict == "inside the setting"
    assert long.divided == pytest.approx(25 / 90, abs=0.02)


# Interrupted and resumed


def test_a_stopped_run_goes_on_where_it_stopped(tmp_path) -> None:
    path, asked = tmp_path / "run.jsonl", []

    def stopping(text: str) -> str:
        asked.append(text)
        if len(asked) == 30:
            raise KeyboardInterrupt
        return ask(text)

    stopping.__name__ = "ask"
    with pytest.raises(KeyboardInterrupt):
        calibrated(write=stopping, resume=path)
    with path.open("a") as file:
        file.write('["unsplit|half a li')  # cut off while written
    rest: list[str] = []

    def going_on(text: str) -> str:
        rest.append(text)
        return ask(text)

    going_on.__name__ = "ask"
    made = calibrated(write=going_on, resume=path)
    assert len(rest) == 80 - 29
    assert not set(rest) & set(asked[:29])
    assert made == calibrated()
    assert calibrated(write=going_on, resume=path) == made
    assert len(rest) == 51  # nothing is asked again


def test_a_ledger_of_another_run_is_refused(tmp_path) -> None:
    path = tmp_path / "run.jsonl"
    calibrated(resume=path)
    with pytest.raises(SeamsError, match="begun with another index or other settings"):
        calibrated(resume=path, seed=1)


# Asynchronously


async def test_asynchronously_it_gives_the_same_with_several_under_way() -> None:
    under_way = most = 0

    async def aask(text: str) -> str:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.001)
        under_way -= 1
        return ask(text)

    aask.__name__ = "ask"
    made = await acalibrate_margin(
        index(), retrieval(index()), write=aask, samples=40, date="2026-01-01", concurrency=5
    )
    assert made == calibrated()
    assert 1 < most <= 5


async def test_asynchronously_a_writer_that_only_fails_ends_it() -> None:
    async def away(text: str) -> str:
        raise ConnectionError("no model there")

    with pytest.raises(ConnectionError):
        await acalibrate_margin(index(), retrieval(index()), write=away, samples=40)


# Saved


def test_saved_and_loaded_it_is_the_same(tmp_path) -> None:
    for test in TESTS:
        made = calibrated(fire_test=test, in_use=MarginFireTest(3))
        made.save(tmp_path / "calibration.json")
        again = Calibration.load(tmp_path / "calibration.json")
        assert again.to_dict() == made.to_dict()
        assert again.fire_test == made.fire_test
        assert (again.unsplit, again.split) == (made.unsplit, made.split)
    json.loads((tmp_path / "calibration.json").read_text(), parse_constant=pytest.fail)
    assert [path.name for path in tmp_path.iterdir()] == ["calibration.json"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "no JSON"),
        ("[]", "no calibration"),
        ("{}", "no calibration that this version knows"),
        ('{"format": 99}', "calibrate again"),
        ('{"format": 1, "test": {}}', "lacks coverage, made_on"),
    ],
)
def test_what_is_no_calibration_is_refused(tmp_path, text, said) -> None:
    (tmp_path / "it.json").write_text(text)
    with pytest.raises(SeamsError, match=said):
        Calibration.load(tmp_path / "it.json")


def test_what_does_not_fit_is_named() -> None:
    made = calibrated()
    assert made.mismatches(made.made_on) == []
    assert made.mismatches({"depth": 20, "unknown": 1}) == ["depth was 150 and is 20"]
