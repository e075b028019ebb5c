"""A run is reproducible, goes on where it stopped, and its table can be worked out from scratch."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from seams_core import (
    AnchoredFireTest,
    Entry,
    KeywordIndex,
    MarginFireTest,
    build_seams,
    reciprocal_rank_fusion,
    select_chunks,
    split_text,
)
from seams_core.evaluation import Plain, Seams, run_methods, summarise
from seams_core.evaluation import runner as runner_module
from seams_core.evaluation.__main__ import main
from seams_core.evaluation.summary import fewer_misses, firings, paired
from tests.evaluation.corpus import QUESTIONS, SIZE, TEXTS, bench, embed

METHODS = [Plain(), Seams(MarginFireTest(0)), Seams(AnchoredFireTest())]


def test_two_runs_give_the_same_numbers(tmp_path):
    first = run_methods(bench(tmp_path / "a"), METHODS, budgets=(1, 2), token_budgets=(8,))
    again = run_methods(bench(tmp_path / "b"), METHODS, budgets=(1, 2), token_budgets=(8,))
    assert first == again
    assert summarise(first, baseline="plain hybrid") == summarise(again, baseline="plain hybrid")


@pytest.mark.parametrize("test", [MarginFireTest(0), AnchoredFireTest()])
def test_a_cell_of_the_table_from_scratch(tmp_path, test):
    """Recall and full coverage at a budget of 2, with nothing of the evaluation package."""
    chunks, seams = {}, {}
    for id, text in TEXTS.items():
        made = split_text(text, document_id=id, chunk_size=SIZE)
        names = {c.id: f"{id}:{c.start}" for c in made}
        chunks.update((names[c.id], c) for c in made)
        for seam in build_seams(made):
            link = (names[seam.left_chunk_id], names[seam.right_chunk_id])
            seams[f"{id}:{seam.cut}"] = (seam, link)

    def unit(vectors):
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    held = {"chunk": {i: c.text for i, c in chunks.items()}}
    held["seam"] = {i: s.text for i, (s, _) in seams.items()}
    recalls = []
    for question in QUESTIONS:
        query = unit(embed([question.text]).astype(np.float32))[0]
        lists = []
        for kind, texts in held.items():
            names = list(texts)
            cosines = unit(embed(list(texts.values())).astype(np.float32)) @ query
            lists.append([Entry(kind, names[n]) for n in np.argsort(-cosines, kind="stable")])
            order = {name: f"{n:03}" for n, name in enumerate(names)}
            index = KeywordIndex.build((order[name], text) for name, text in texts.items())
            back = {number: name for name, number in order.items()}
            hits = index.search(question.text, 10)
            lists.append([Entry(kind, back[number]) for number, _ in hits])
        links = {id: link for id, (_, link) in seams.items()}
        chosen = select_chunks(
            reciprocal_rank_fusion(lists), links, budget=2, fire_test=test
        ).chunk_ids
        # Words are tokens: one is found where a chosen chunk holds its last letter.
        found = total = 0
        for span in question.evidence:
            text, at = TEXTS[span.document_id], span.start
            for word in text[span.start : span.end].split(" "):
                last = at + len(word) - 1
                at += len(word) + 1
                total += 1
                found += any(
                    chunks[id].document_id == span.document_id
                    and chunks[id].start <= last < chunks[id].end
                    for id in chosen
                )
        recalls.append(found / total)
    run = run_methods(bench(tmp_path), [Seams(test)], budgets=(2,))
    columns = run.methods[0].columns["2"]
    assert columns["recall"] == recalls
    assert columns["full"] == [float(recall == 1) for recall in recalls]


def test_a_stopped_run_goes_on(tmp_path, monkeypatch):
    whole = run_methods(bench(tmp_path / "v"), METHODS, budgets=(1, 2))
    real, calls = runner_module._run, []

    def stops(bench, method, *rest):
        calls.append(method.name)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(bench, method, *rest)

    monkeypatch.setattr(runner_module, "_run", stops)
    with pytest.raises(KeyboardInterrupt):
        run_methods(bench(tmp_path / "v"), METHODS, budgets=(1, 2), state=tmp_path / "s")
    calls.clear()
    resumed = run_methods(bench(tmp_path / "v"), METHODS, budgets=(1, 2), state=tmp_path / "s")
    assert calls == [METHODS[2].name]
    assert resumed == whole
    assert not list((tmp_path / "s").glob("*.part"))


def test_stored_results_are_not_taken_for_others(tmp_path):
    state = tmp_path / "s"
    run_methods(bench(tmp_path), METHODS[:1], budgets=(1,), state=state)
    run_methods(bench(tmp_path), METHODS[:1], budgets=(2,), state=state)
    run_methods(bench(tmp_path, shift=1), METHODS[:1], budgets=(1,), state=state)
    run_methods(bench(tmp_path), [Seams(MarginFireTest(1))], budgets=(1,), state=state)
    run_methods(bench(tmp_path), [Seams(MarginFireTest(2))], budgets=(1,), state=state)
    assert len(list(state.glob("*.json"))) == 5


def test_a_token_budget_is_the_most_chunks_that_fit(tmp_path):
    held = bench(tmp_path)
    run = run_methods(held, [Plain()], budgets=(1,), token_budgets=(4, 7, 8, 100))
    columns = run.methods[0].columns
    for limit in (4, 7, 8, 100):
        for place, tokens in enumerate(columns[f"{limit} tokens"]["tokens"]):
            assert tokens <= limit
            taken = [u.span for u in Plain().answer(held, place, 100).chunks]
            sizes = [held.ruler.count(span) for span in taken]
            fitting = [n for n in range(len(sizes) + 1) if sum(sizes[:n]) <= limit]
            assert tokens == sum(sizes[: fitting[-1]])


def test_wrong_settings(tmp_path):
    with pytest.raises(ValueError, match="more than once"):
        run_methods(bench(tmp_path), [Plain(), Plain()])
    with pytest.raises(ValueError, match="budget 0"):
        run_methods(bench(tmp_path), [Plain()], budgets=(0,))


def test_firings_false_and_wasted_by_hand(tmp_path):
    # A test that always fires: its pairs' cuts and chunks are known for each question.
    run = run_methods(bench(tmp_path), [Plain(), Seams(AnchoredFireTest(5, 5, 5))], budgets=(2,))
    columns = run.methods[1].columns["2"]
    # With two slots one pair gets in. "bend": the pair of rivers 1|2 is cut inside its evidence.
    assert columns["fired"][0] == 1
    assert (columns["false"][0], columns["wasted"][0]) == (0, 0)
    # "sleep": evidence lies in the third chunk alone, so its pair is false and half wasted.
    assert (columns["fired"][1], columns["false"][1], columns["wasted"][1]) == (1, 1, 1)
    assert firings({"fired": [1, 1], "false": [0, 1], "wasted": [0, 1]}) == {
        "fired": 2,
        "false": 0.5,
        "wasted_side": 0.5,
    }
    assert firings({"fired": [0], "false": [0], "wasted": [0]})["false"] is None


def test_fewer_misses_by_hand(tmp_path):
    run = run_methods(bench(tmp_path), [Plain(), Seams(AnchoredFireTest(5, 5, 5))], budgets=(2,))
    base, ours = run.methods
    split = [place for place, is_split in enumerate(run.split) if is_split]
    missed = [sum(1 - m.columns["2"]["full"][p] for p in split) for m in (base, ours)]
    expected = 1 - missed[1] / missed[0] if missed[0] else None
    assert fewer_misses(ours, base, run, "2") == expected


def test_paired_differences():
    same = paired([1, 0, 1], [1, 0, 1])
    assert same == {"difference": 0, "low": 0, "high": 0, "p": 1}
    # Four differences of +1: of 2^4 signs only all plus and all minus reach |mean| = 1.
    assert paired([1] * 4, [0] * 4)["p"] == pytest.approx(2 / 16, abs=1e-5)
    rng = np.random.default_rng(1)
    ours, theirs = rng.random(300) < 0.7, rng.random(300) < 0.5
    found = paired(ours, theirs)
    difference = ours.astype(float) - theirs
    assert found["difference"] == pytest.approx(difference.mean(), abs=1e-4)
    error = difference.std(ddof=1) / math.sqrt(300)
    assert found["low"] == pytest.approx(difference.mean() - 1.96 * error, abs=0.02)
    assert found["high"] == pytest.approx(difference.mean() + 1.96 * error, abs=0.02)
    assert found["p"] < 0.01
    assert paired(ours, theirs) == found


def test_the_command_line_writes_tables_plots_and_numbers(tmp_path, capsys):
    import gzip

    folder = tmp_path / "data" / "mine"
    folder.mkdir(parents=True)
    lines = [json.dumps({"document_id": id, "text": text}) for id, text in TEXTS.items()]
    (folder / "corpus.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    asked = [
        {
            "question_id": q.id,
            "question": q.text,
            "evidence": [
                {"doc_id": s.document_id, "start": s.start, "end": s.end} for s in q.evidence
            ],
        }
        for q in QUESTIONS
    ]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, asked)))
    arguments = [str(tmp_path / "data"), "--sets", "mine", "--out", str(tmp_path / "out")]
    arguments += ["--cache", str(tmp_path / "cache"), "--experiments", "main"]
    arguments += ["--model", "tests.evaluation.test_runner:hashed", "--skip", "windows*"]
    assert main(arguments) == 0
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["coverage-mine-hashed.png", "main-hashed.json", "main-hashed.md"]
    text = (tmp_path / "out" / "main-hashed.md").read_text()
    assert "plain hybrid" in text
    assert "python -m seams_core.evaluation" in text
    assert "windows 256" not in text
    before = (tmp_path / "out" / "main-hashed.json").read_text()
    assert main(arguments) == 0
    assert (tmp_path / "out" / "main-hashed.json").read_text() == before
    assert main([*arguments[:2], "absent", *arguments[3:]]) == 2
    assert "absent" in capsys.readouterr().err


def hashed():
    """What ``--model`` names."""
    return embed
