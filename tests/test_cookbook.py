"""Each page of the cookbook runs by itself, offline, and prints what it says it does."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import jupytext
import pytest

from cookbook.execute import pages, settings

PAGES = {page.name[:2]: page for page in pages()}
#: For each page patterns that its output holds.
PRINTED = {
    "01": [
        r"\d+ chunks, \d+ seams, 0 of them stale",
        r"brought by a seam",
        r"Filling the budget of 5",
    ],
    "02": [
        r"\d+ nodes embedded",
        r"brought by a seam",
        r"5 nodes were its context",
        r"'fired': [1-9]",
    ],
    "03": [r"\d+ parents", r"brought by a seam", r"^unchanged$"],
    "04": [
        r"chunks untouched; collections: \['handbook', 'handbook-seams'\]",
        r"(?s)(texts embedded.*){3}",
    ],
    "06": [r"\d+\+", r"pinned: brought by a seam", r"ordered by the reranker"],
    "07": [
        r"^0 seams added, \d+ kept, 0 deleted",
        r"[1-9]\d* of them stale",
        r"^\{'second.txt'\}$",
    ],
    "08": [r"\| plain hybrid \| 1.00×", r"\| Seams, anchored .*\| 1\.99×", r"'low'"],
    "09": [r"15 tokens +6%", r"cuts fall between paragraphs", r"of the text embedded again"],
}


def test_every_page_is_run() -> None:
    assert set(PRINTED) == set(PAGES)


@pytest.fixture(scope="module")
def environment():
    with settings() as environment:
        yield environment


@pytest.mark.slow
@pytest.mark.parametrize("number", sorted(PRINTED))
def test_it_runs_and_prints(number, environment, tmp_path) -> None:
    # A proxy that nobody answers at: what would load something fails.
    closed = {"HTTP_PROXY": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9"}
    done = subprocess.run(
        [sys.executable, str(PAGES[number])],
        cwd=tmp_path,
        env={**environment, **closed, "NO_PROXY": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    for pattern in PRINTED[number]:
        assert re.search(pattern, done.stdout, re.MULTILINE), (pattern, done.stdout)


@pytest.mark.parametrize("number", sorted(PRINTED))
def test_its_notebook_is_the_same_page_with_output(number) -> None:
    script = jupytext.read(PAGES[number])
    notebook = jupytext.read(PAGES[number].with_suffix(".ipynb"))
    kinds = [(cell.cell_type, cell.source) for cell in script.cells]
    assert [(cell.cell_type, cell.source) for cell in notebook.cells] == kinds
    outputs = [o for cell in notebook.cells if cell.cell_type == "code" for o in cell.outputs]
    assert outputs
    assert all(o.output_type == "stream" and o.name == "stdout" for o in outputs)
    printed = "".join(output.text for output in outputs)
    for pattern in PRINTED[number]:
        assert re.search(pattern, printed, re.MULTILINE), pattern


@pytest.mark.parametrize("number", sorted(PRINTED))
def test_it_begins_with_what_the_reader_will_have(number) -> None:
    text = PAGES[number].read_text(encoding="utf-8")
    assert re.search(r"^# # \d\. ", text, re.MULTILINE)
    assert "# **What you will have:**" in text
    assert 40 <= len(text.splitlines()) <= 130


@pytest.mark.slow
def test_a_broken_page_fails(environment, tmp_path) -> None:
    broken = PAGES["09"].read_text().replace("build_seams(", "build_seems(")
    page = tmp_path / "09_when_not.py"
    page.write_text(broken)
    folder = str(Path(PAGES["09"]).parent)
    done = subprocess.run(
        [sys.executable, str(page)],
        env={**environment, "PYTHONPATH": f"{environment['PYTHONPATH']}:{folder}"},
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    assert "NameError" in done.stderr
