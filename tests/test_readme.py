"""Every promise, number and link of the README is checked; its code blocks run in tests/docs."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
RESULTS = ROOT / "cookbook" / "results"
DEFAULT = "Seams, anchored seam=0.35, stronger=0.45, weaker=0.2, convex"
MARGIN = "Seams, margin margin={}"
WINDOWS = "windows 256/128, chunks not searched, convex"
SHOWN = {
    "plain hybrid": "plain hybrid, reciprocal rank fusion",
    "plain hybrid, convex": "plain hybrid, convex",
    "overlap of 15.0%, convex": "overlap of 15 %, convex",
    WINDOWS: "windows 256/128, over seven times the vectors, convex",
    "both neighbours of each hit, convex": "both neighbours of each hit, convex",
    MARGIN.format(0): "the paper's margin test and fusion, m = 0",
    MARGIN.format(3): "the paper's margin test and fusion, m = 3",
    DEFAULT: "**Seams, default** (anchored, convex)",
    DEFAULT.removesuffix(", convex"): "Seams, anchored, reciprocal rank fusion",
}
SETS = {"peps": "design documents", "faqs": "natural questions", "chroma": "short facts (control)"}
BUDGETS = ("5", "10", "20")


def recorded(model: str) -> dict:
    """For each set its methods, from the recorded results."""
    text = (RESULTS / f"main-{model}.json").read_text(encoding="utf-8")
    results = json.loads(text)["results"]
    return {name: results[name]["methods"] for name in SETS}


def full(methods: dict, method: str, budget: str, part: str = "all") -> float:
    return methods[method]["budgets"][budget][part]["full"]


def quality_table(model: str) -> str:
    """The README's table, from the recorded results; a row for each method that has one."""
    sets = recorded(model)
    columns = [(name, budget) for name in SETS for budget in BUDGETS]
    header = " | ".join(f"{SETS[name]} @{budget}" for name, budget in columns)
    lines = [f"| method | {header} |", "| --- |" + " ---: |" * len(columns)]
    for method, label in SHOWN.items():
        if method in sets["peps"]:
            values = [f"{full(sets[name], method, budget):.3f}" for name, budget in columns]
            lines.append(f"| {label} | " + " | ".join(values) + " |")
    return "\n".join(lines)


def test_each_promise_has_its_test() -> None:
    promises = re.findall(r"^\| (.+?) \| `(tests/\S+)::(\w+)` \|$", README, re.MULTILINE)
    assert len(promises) == 10
    for promise, file, name in promises:
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        defined = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
        assert name in defined, promise


@pytest.mark.parametrize("model", ["static", "minilm"])
def test_the_quality_tables_are_those_of_the_recorded_results(model: str) -> None:
    shown = re.search(rf"<!-- {model}.*?-->\n\n(.*?)\n\n<!-- /{model} -->", README, re.DOTALL)
    assert shown is not None
    assert shown[1] == quality_table(model)


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("model", ["static", "minilm"])
def test_what_is_claimed_is_in_the_results(model: str, budget: str) -> None:
    sets = recorded(model)
    for name, methods in sets.items():
        ours, plain = full(methods, DEFAULT, budget), full(methods, "plain hybrid, convex", budget)
        if name == "chroma":  # a tie: half a point either way, or better
            assert ours > plain - 0.005
            continue
        assert ours > plain + 0.03
        assert ours >= full(methods, "both neighbours of each hit, convex", budget)
        assert (
            full(methods, MARGIN.format(3), budget) < full(methods, "plain hybrid", budget) + 0.002
        )
        assert ours > full(methods, DEFAULT.removesuffix(", convex"), budget)
        # Of the split answers that plain retrieval misses, at least a quarter are found.
        missed = 1 - full(methods, "plain hybrid, convex", budget, "split")
        assert 1 - full(methods, DEFAULT, budget, "split") < 0.76 * missed


def test_what_is_said_against_it_is_in_the_results() -> None:
    static = recorded("static")
    assert full(static["faqs"], WINDOWS, "5") > full(static["faqs"], DEFAULT, "5")
    assert full(static["faqs"], WINDOWS, "10") > full(static["faqs"], DEFAULT, "10")
    assert full(static["faqs"], "overlap of 15.0%, convex", "5") > full(
        static["faqs"], DEFAULT, "5"
    )
    whole = [full(static["faqs"], m, "5", "whole") for m in ("plain hybrid, convex", DEFAULT)]
    said = re.search(r"falls from (\.\d+) to (\.\d+) at a budget of 5", README)
    assert said is not None
    assert list(said.groups()) == [f"{value:.3f}"[1:] for value in whole]


def test_what_a_cut_costs_is_in_the_results() -> None:
    text = (RESULTS / "shifted-grid-static.json").read_text(encoding="utf-8")
    results = json.loads(text)["results"]
    lost = [
        f"{cells['whole'] - cells['split']:.2f}".lstrip("0")
        for method in ("plain hybrid, convex", DEFAULT)
        for cells in (results[name]["methods"][method] for name in ("faqs", "peps"))
    ]
    said = re.search(
        r"finds (\.\d+) and (\.\d+) fewer.*?is (\.\d+) and (\.\d+)\.", README, re.DOTALL
    )
    assert said is not None
    assert list(said.groups()) == lost


def test_files_it_links_to_are_there() -> None:
    for link in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / link).exists(), link


def test_it_stays_readable() -> None:
    assert len(README.splitlines()) < 220
