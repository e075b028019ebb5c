"""Every promise, number and link of the README is checked; its code blocks run in tests/docs."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
RESULTS = ROOT / "cookbook" / "results" / "main-static.json"
DEFAULT = "Seams, anchored seam=0.45, stronger=0.3, weaker=0.25"
MARGIN = "Seams, margin margin={}"
SHOWN = {
    "plain hybrid": "plain hybrid",
    "overlap of 15.0%": "overlap of 15 %",
    "windows 256/128, chunks not searched": "windows 256/128, over seven times the vectors",
    "both neighbours of each hit": "both neighbours of each hit",
    MARGIN.format(0): "the paper's margin test, m = 0",
    MARGIN.format(3): "the paper's margin test, m = 3",
    DEFAULT: "**Seams, `AnchoredFireTest()` (default)**",
    "Seams, anchored seam=0.4, stronger=0.5, weaker=0.1": "`AnchoredFireTest(0.4, 0.5, 0.1)`",
}
SETS = {"peps": "design documents", "faqs": "natural questions", "chroma": "short facts (control)"}


def recorded() -> dict:
    """For each set its methods, from the recorded results."""
    results = json.loads(RESULTS.read_text(encoding="utf-8"))["results"]
    return {name: results[name]["methods"] for name in SETS}


def quality_table() -> str:
    """The README's table, from the recorded results."""
    sets = recorded()
    columns = [(name, budget) for name in SETS for budget in ("5", "10", "20")]
    header = " | ".join(f"{SETS[name]} @{budget}" for name, budget in columns)
    lines = [f"| method | {header} |", "| --- |" + " ---: |" * len(columns)]
    for method, label in SHOWN.items():
        full = [sets[n][method]["budgets"][b]["all"]["full"] for n, b in columns]
        lines.append(f"| {label} | " + " | ".join(f"{value:.3f}" for value in full) + " |")
    return "\n".join(lines)


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
    for name, methods in recorded().items():
        for budget in ("5", "10", "20"):
            full = {m: cells["budgets"][budget]["all"]["full"] for m, cells in methods.items()}
            assert full[DEFAULT] >= full["plain hybrid"] - 0.01
            if name != "chroma":
                assert full[MARGIN.format(3)] < full["plain hybrid"]
                assert full[DEFAULT] > full["both neighbours of each hit"] - 0.002


def test_files_it_links_to_are_there() -> None:
    for link in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / link).exists(), link


def test_it_stays_readable() -> None:
    assert len(README.splitlines()) < 220
