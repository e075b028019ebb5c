"""The main job on real text, as `make demo` runs it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

DEMO = Path(__file__).resolve().parent.parent / "cookbook" / "demo.py"


def run(*arguments: object) -> subprocess.CompletedProcess:
    command = [sys.executable, str(DEMO), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def test_it_asks_three_questions_and_embeds_only_them_the_second_time(tmp_path) -> None:
    first = run("--store", tmp_path / "store")
    assert first.returncode == 0, first.stderr
    chunks, seams = map(
        int, re.search(r"\((\d+) chunks, (\d+) seams, 3 questions\)", first.stdout).groups()
    )
    assert f"Texts embedded in this run: {chunks + seams + 3} " in first.stdout
    assert chunks - 1 == seams > 90
    assert first.stdout.count("The fused ranking") == 3
    assert first.stdout.count("Filling the budget of 5") == 3
    second = run("--store", tmp_path / "store")
    assert "Texts embedded in this run: 3 (0 chunks, 0 seams, 3 questions)" in second.stdout
    answers = [text.split("The fused ranking", 1)[1] for text in (first.stdout, second.stdout)]
    assert answers[0].rsplit("\n", 2)[0] == answers[1].rsplit("\n", 2)[0]


def test_it_takes_files_and_folders_and_a_changed_file_keeps_its_other_chunks(tmp_path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    text = "The service accepts stale reads. Billing is strongly consistent. " * 400
    (folder / "design.md").write_text(text)
    (folder / "picture.png").write_bytes(b"\x89PNG")
    options = ("--store", tmp_path / "store", "--ask", "Which reads are stale?", "--budget", 3)
    first = run(folder, *options)
    assert first.returncode == 0, first.stderr
    assert "Result: " in first.stdout
    (folder / "design.md").write_text(text + "One more sentence.")
    second = run(folder, *options)
    assert "1 of them embedded now" in second.stdout
    assert "1 seams added" in second.stdout


def test_a_missing_path_is_said_in_one_line(tmp_path) -> None:
    result = run(tmp_path / "nowhere", "--store", tmp_path / "store")
    assert result.returncode == 2
    assert result.stderr.strip() == f"There is no file or folder {tmp_path / 'nowhere'}."
