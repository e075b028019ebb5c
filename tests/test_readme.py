"""Every code block, promise and number of the README is run or checked."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
SHOWN = (
    "plain hybrid",
    "both neighbours of each hit",
    "paper's margin test, m = 0",
    "paper's margin test, m = 3",
    "anchored, 0.4, 0.45, 0.1",
)
SETS = {"peps": "design documents", "faqs": "natural questions", "chroma": "short facts (control)"}


def quality_table() -> str:
    """The README's table, from the recorded results."""
    recorded = ROOT / "benchmarks" / "results" / "quality.json"
    sets = json.loads(recorded.read_text(encoding="utf-8"))["sets"]
    columns = [(name, budget) for name in SETS for budget in ("5", "10", "20")]
    header = " | ".join(f"{SETS[name]} @{budget}" for name, budget in columns)
    lines = [f"| method | {header} |", "| --- |" + " ---: |" * len(columns)]
    for method in SHOWN:
        cells = " | ".join(f"{sets[n][method][b]['full']:.3f}" for n, b in columns)
        name = f"**Seams, {method} (default)**" if method.startswith("anchored") else method
        lines.append(f"| {name} | {cells} |")
    return "\n".join(lines)


def test_there_are_blocks_to_run() -> None:
    assert len(BLOCKS) == 2


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_a_code_block_runs(number, capsys) -> None:
    from langchain_core.documents import Document

    from tests.langchain.models import CountingEmbeddings

    text = "The order service accepts stale reads. Billing records are never read stale. " * 300
    names = {
        "embeddings": CountingEmbeddings(),
        "documents": [Document(page_content=text, metadata={"source": "design.md"})],
        "text": text,
    }
    exec(compile(BLOCKS[number], f"README block {number}", "exec"), names)
    assert "Filling the budget" in capsys.readouterr().out


def test_each_promise_has_its_test() -> None:
    promises = re.findall(r"^\| (.+?) \| `(tests/\S+)::(\w+)` \|$", README, re.MULTILINE)
    assert len(promises) == 10
    for promise, file, name in promises:
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        defined = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
        assert name in defined, promise


def test_the_quality_table_is_that_of_the_recorded_results() -> None:
    shown = re.search(r"<!-- quality.*?-->\n\n(.*?)\n\n<!-- /quality -->", README, re.DOTALL)
    assert shown is not None
    assert shown[1] == quality_table()


def test_what_is_claimed_of_the_default_is_in_the_results() -> None:
    """On no set does the default fall behind plain retrieval by more than a point at any budget."""
    recorded = ROOT / "benchmarks" / "results" / "quality.json"
    sets = json.loads(recorded.read_text(encoding="utf-8"))["sets"]
    for name in SETS:
        for budget in ("5", "10", "20"):
            plain = sets[name]["plain hybrid"][budget]["full"]
            assert sets[name][SHOWN[-1]][budget]["full"] >= plain - 0.01
            if name != "chroma":
                assert sets[name]["paper's margin test, m = 3"][budget]["full"] < plain


def test_files_it_links_to_are_there() -> None:
    for link in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / link).exists(), link
