"""Reading a set from its folder, in both spellings, and saying what is wrong with it."""

from __future__ import annotations

import gzip
import json

import pytest

from seams_core.evaluation import EvaluationDataError, EvaluationSet, Question, Span, load_set


def write(folder, documents, questions, *, packed=True):
    folder.mkdir(exist_ok=True)
    text = "".join(json.dumps(line) + "\n" for line in documents)
    if packed:
        (folder / "corpus.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    else:
        (folder / "corpus.jsonl").write_text(text)
    lines = "".join(json.dumps(line) + "\n" for line in questions)
    (folder / "questions.jsonl").write_text(lines + "\n")
    return folder


def asked(key="document_id", **changes):
    evidence = {key: "d", "start": 2, "end": 5} | changes
    return {"question_id": "q", "question": "why?", "evidence": [evidence]}


@pytest.mark.parametrize("key", ["document_id", "doc_id"])
@pytest.mark.parametrize("packed", [True, False])
def test_both_spellings_packed_and_plain(tmp_path, key, packed):
    folder = write(tmp_path / "mine", [{key: "d", "text": "a text"}], [asked(key)], packed=packed)
    data = load_set(folder)
    assert data.name == "mine"
    assert data.texts == {"d": "a text"}
    assert data.questions == [Question("q", "why?", (Span("d", 2, 5),))]


@pytest.mark.parametrize(
    ("documents", "questions", "says"),
    [
        ([{"text": "t"}], [], "document_id"),
        ([{"document_id": "d"}], [], "'text'"),
        ([{"document_id": "d", "text": "t"}] * 2, [], "twice"),
        ([{"document_id": "d", "text": "a text"}], [{"question": "q"}], "'evidence'"),
        ([{"document_id": "d", "text": "a text"}], [asked(end=7)], "2:7"),
        ([{"document_id": "d", "text": "a text"}], [asked(start=5)], "5:5"),
        ([{"document_id": "e", "text": "a text"}], [asked()], "'d'"),
        ([{"document_id": "d", "text": "a"}], [{"question": "q", "evidence": []}], "no evidence"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, documents, questions, says):
    with pytest.raises(EvaluationDataError, match=says):
        load_set(write(tmp_path / "mine", documents, questions))


def test_missing_files_name_what_is_there(tmp_path):
    with pytest.raises(EvaluationDataError, match=r"corpus\.jsonl\.gz"):
        load_set(tmp_path / "nowhere")
    folder = write(tmp_path / "mine", [{"document_id": "d", "text": "t"}], [])
    (folder / "questions.jsonl").rename(folder / "asked.jsonl")
    with pytest.raises(EvaluationDataError, match=r"asked\.jsonl"):
        load_set(folder)


def test_a_broken_line_is_named(tmp_path):
    folder = write(tmp_path / "mine", [{"document_id": "d", "text": "t"}], [])
    (folder / "questions.jsonl").write_text("\n{broken\n")
    with pytest.raises(EvaluationDataError, match="line 2"):
        load_set(folder)


def test_halves_are_every_second_question_from_place_0():
    questions = [Question(str(n), "?", (Span("d", 0, 1),)) for n in range(5)]
    data = EvaluationSet("mine", {"d": "t"}, questions)
    assert [q.id for q in data.half("even").questions] == ["0", "2", "4"]
    assert [q.id for q in data.half("odd").questions] == ["1", "3"]
    assert data.half("all") is data
    with pytest.raises(ValueError, match="'both'"):
        data.half("both")


def test_the_digest_changes_with_any_part():
    def made(text="a text", question="why?", end=2):
        return EvaluationSet("n", {"d": text}, [Question("q", question, (Span("d", 0, end),))])

    assert made().digest == made().digest
    assert (
        len(
            {
                made().digest,
                made("another").digest,
                made(question="how?").digest,
                made(end=3).digest,
            }
        )
        == 4
    )
