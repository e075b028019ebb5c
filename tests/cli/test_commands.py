"""Every command on a Chroma folder and a Chroma server, and what goes wrong in each."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys

import pytest

from seams_core import SeamedIndex
from seams_core.cli.chroma import open_chroma
from tests.cli.conftest import DOCUMENTS, chunks
from tests.stores import HashEmbedding

pytestmark = pytest.mark.slow

CHUNKS = len(list(chunks()))
CUTS = CHUNKS - DOCUMENTS
QUESTION = "Which part is kept in store s5?"


@pytest.fixture(params=["folder", "server"])
def source(request) -> str:
    return str(request.getfixturevalue(request.param))


def test_status_attach_search_and_again(seams, source) -> None:
    before = seams("status", source, "docs", "--json")
    assert before.json == {"chunks": CHUNKS, "seams": 0, "stale": 0, "attached": False}
    assert before.code == 3

    said = seams("search", source, "docs", QUESTION, "-e", "mine:embed")
    assert (said.code, "seams attach" in said.err) == (1, True)

    attached = seams("attach", source, "docs", "-e", "mine:made")
    assert attached.code == 0
    assert f"{CUTS} seams added" in attached.out
    assert f"{CUTS}/{CUTS}" in attached.err  # the progress bar

    again = seams("attach", source, "docs", "--embedding", "mine:embed", "--json")
    assert (again.json["added"], again.json["kept"], again.code) == (0, CUTS, 0)

    after = seams("status", source, "docs")
    assert (after.code, after.out) == (0, f"{CHUNKS} chunks, {CUTS} seams, 0 of them stale\n")

    found = seams("search", source, "docs", QUESTION, "-e", "mine:embed", "-k", "3", "--json")
    assert found.code == 0
    ids = [chunk["id"] for chunk in found.json["chunks"]]
    assert len(ids) == 3
    assert set(ids) <= {chunk.id for chunk in chunks()}

    shown = seams("search", source, "docs", QUESTION, "-e", "mine:embed", "-k", "3")
    assert all(id in shown.out for id in ids)
    told = seams("search", source, "docs", QUESTION, "-e", "mine:embed", "-k", "3", "--explain")
    assert "Filling the budget of 3" in told.out
    assert f"Result: {', '.join(ids)}" in told.out
    told = seams("search", source, "docs", QUESTION, "-e", "mine:embed", "--explain", "--json")
    assert told.json["trace"]["budget"] == 5


def test_settings_reach_the_windows(seams, folder) -> None:
    assert seams("attach", str(folder), "docs", "-e", "mine:embed").code == 0
    options = ("--half-width", "160", "--snap", "none", "--batch-size", "7")
    other = seams("attach", str(folder), "docs", "-e", "mine:embed", "--json", *options)
    assert (other.json["added"], other.json["deleted"]) == (CUTS, CUTS)


def test_chunks_that_changed_are_seen_and_set_right(seams, server) -> None:
    assert seams("attach", server, "docs", "-e", "mine:embed").code == 0
    store, _ = open_chroma(server, "docs", make=False)
    gone = next(iter(store.pages(3)))[1].id
    store.drop([gone])
    stale = seams("status", server, "docs")
    assert (stale.code, "2 of them stale" in stale.out) == (3, True)
    mended = seams("attach", server, "docs", "-e", "mine:embed", "--json")
    assert mended.json["deleted"] == 2
    assert seams("status", server, "docs").code == 0


def test_the_answer_is_the_libraries(seams, folder) -> None:
    assert seams("attach", str(folder), "docs", "-e", "mine:embed").code == 0
    found = seams("search", str(folder), "docs", QUESTION, "-e", "mine:embed", "--json")
    embed = HashEmbedding()
    from seams_core import Retrieval

    index = SeamedIndex(*open_chroma(str(folder), "docs", make=False), embed)
    expected = Retrieval(index.chunk_store, index.sources(), embed.one).run(QUESTION, budget=5)
    assert [chunk["id"] for chunk in found.json["chunks"]] == expected.selection.chunk_ids


MISTAKES = [
    (("status", "nowhere", "docs"), 1, "is no folder"),
    (("status", ".", "docs"), 1, "holds no Chroma database"),
    (("status", "http://127.0.0.1:9", "docs"), 1, "no Chroma server answers"),
    (("status", "ftp://somewhere", "docs"), 1, "no store of that kind"),
    (("status", "db", "other"), 1, "there are: docs"),
    (("attach", "db", "other", "-e", "mine:embed"), 1, "there are: docs"),
    (("search", "db", "other", "x", "-e", "mine:embed"), 1, "there are: docs"),
    (("attach", "db", "docs", "-e", "mine"), 2, "give MODULE:NAME"),
    (("attach", "db", "docs", "-e", "absent:embed"), 2, "no module 'absent'"),
    (("attach", "db", "docs", "-e", "mine:absent"), 2, "has no 'absent'"),
    (("attach", "db", "docs", "-e", "mine:number"), 2, "is a int: give a function"),
    (("attach", "db", "docs", "-e", "mine:embed", "--tokenizer", "x"), 2, "no tiktoken encoding"),
    (("attach", "db", "docs", "-e", "mine:embed", "--half-width", "0"), 2, "half-width"),
    (("attach", "db", "docs", "-e", "mine:embed", "--snap", "sideways"), 2, "sideways"),
    (("attach", "db", "docs", "-e", "mine:embed", "--document-key", "no"), 1, "document_key='no'"),
    (("attach", "db", "docs", "-e", "mine:broken"), 1, "the model is away"),
    (("attach", "db", "docs"), 2, "embedding"),
    (("search", "db", "docs", "x", "-e", "mine:embed", "--margin", "-1"), 2, "margin=-1"),
    (("search", "db", "docs", "x", "-e", "mine:embed", "-k", "0"), 2, "-k"),
    (("nonsense",), 2, "nonsense"),
]


@pytest.mark.parametrize(
    ("words", "code", "said"), MISTAKES, ids=[" ".join(m[0]) for m in MISTAKES]
)
def test_a_mistake_is_a_message_and_a_code(seams, folder, words, code, said) -> None:
    done = seams(*words)
    assert (done.code, said in " ".join(done.err.split())) == (code, True), done.err
    assert done.out == ""
    with sqlite3.connect(folder / "chroma.sqlite3") as database:  # nothing half-written
        assert database.execute("SELECT count(*) FROM embeddings").fetchone() == (CHUNKS,)


def test_looking_makes_nothing(seams, folder) -> None:
    seams("status", "db", "docs")
    seams("search", "db", "docs", "x", "-e", "mine:embed")
    with sqlite3.connect(folder / "chroma.sqlite3") as database:
        assert database.execute("SELECT name FROM collections").fetchall() == [("docs",)]
    seams("status", "elsewhere", "docs")
    assert not (seams.folder / "elsewhere").exists()


def test_errors_are_json_where_json_is_asked_for(seams, folder) -> None:
    done = seams("status", "db", "other", "--json")
    told = json.loads(done.err)
    assert told["code"] == done.code == 1
    assert "there are: docs" in told["error"]


@pytest.mark.parametrize("words", [("status",), ("attach", "-e", "mine:embed")])
def test_a_locked_database_is_said(seams, folder, words) -> None:
    database = sqlite3.connect(folder / "chroma.sqlite3", isolation_level=None)
    database.execute("BEGIN EXCLUSIVE")
    try:
        done = seams(words[0], "db", "docs", *words[1:])
    finally:
        database.close()
    assert (done.code, "another process holds" in done.err) == (1, True)
    assert seams(words[0], "db", "docs", *words[1:]).code in (0, 3)


def test_ctrl_c_in_the_middle_of_attach_and_then_the_rest(seams, source) -> None:
    words = ("attach", source, "docs", "-e", "mine:slow", "--batch-size", "4")
    process = subprocess.Popen(
        seams.command(*words),
        cwd=seams.folder,
        env=seams.environment,
        stderr=subprocess.PIPE,
        text=True,
        # What runs the tests in the background may have left Ctrl-C ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stderr is not None
    batches = 0
    for line in process.stderr:
        batches += "embedding" in line
        if batches == 4:
            process.send_signal(signal.SIGINT)
            break
    said = process.stderr.read()
    assert process.wait(60) == 130
    assert "run the same command to go on" in said
    assert "Traceback" not in said
    rest = seams("attach", source, "docs", "-e", "mine:embed", "--json").json
    assert 0 < rest["kept"] < CUTS
    assert rest["kept"] + rest["added"] == CUTS
    assert seams("status", source, "docs").code == 0


def test_debug_shows_where(seams) -> None:
    done = subprocess.run(
        seams.command("status", "nowhere", "docs", "--debug"),
        cwd=seams.folder,
        env=seams.environment,
        capture_output=True,
        text=True,
    )
    assert "Traceback" in done.stderr


def test_version_and_help(seams) -> None:
    from seams_core import __version__

    assert seams("--version").out.strip() == __version__
    for words in ((), ("status",), ("attach",), ("search",)):
        assert "Usage" in seams(*words, "--help").out


def test_without_typer_it_says_which_extra(tmp_path) -> None:
    run = "import sys; sys.modules['typer'] = None; from seams_core.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", run], capture_output=True, text=True)
    assert done.returncode == 2
    assert 'pip install "chunk-seams[cli]"' in done.stderr
