"""Tables in Markdown from what :func:`seams_core.evaluation.summary.summarise` gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Summary = Mapping[str, Any]


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table whose first column is text and the others numbers."""
    lines = [_line(header), _line(["---"] + ["---:"] * (len(header) - 1))]
    return "\n".join(lines + [_line(row) for row in rows])


def coverage_table(summary: Summary, budgets: Sequence[str]) -> str:
    """Per method: vectors, full coverage, of split evidence, and recall on whole evidence."""
    header = ["method", "vectors"]
    for budget in budgets:
        header += [f"full @{budget}", f"split: full @{budget}", f"whole: recall @{budget}"]
    rows = []
    base = summary["methods"][summary["baseline"]]["vectors"]
    for name, method in summary["methods"].items():
        row = [name, f"{method['vectors'] / base:.2f}×"]
        for budget in budgets:
            cells = method["budgets"][budget]
            row += [
                _number(cells, "all", "full"),
                _number(cells, "split", "full"),
                _number(cells, "whole", "recall"),
            ]
        rows.append(row)
    return table(header, rows)


def detail_table(summary: Summary, budget: str) -> str:
    """Every measure at one budget, with the interval and the test against the baseline."""
    header = [
        "method",
        "recall",
        "failure rate",
        "precision",
        "precision Ω",
        "IoU",
        "nDCG",
        "tokens",
        "fired per question",
        "false",
        "wasted side",
        "full − plain (95 %)",
        "p",
    ]
    rows = []
    questions = summary["questions"]["all"]
    for name, method in summary["methods"].items():
        cell, fired = method["budgets"][budget]["all"], method["firings"][budget]
        test = cell["full_against_baseline"]
        rows.append(
            [
                name,
                f"{cell['recall']:.3f}",
                f"{cell['failure_rate']:.3f}",
                f"{cell['precision']:.4f}",
                f"{method['precision_omega']:.4f}",
                f"{cell['iou']:.4f}",
                f"{cell['ndcg']:.3f}",
                f"{cell['tokens']:.0f}",
                f"{fired['fired'] / questions:.2f}" if fired["fired"] else "",
                "" if fired["false"] is None else f"{fired['false']:.2f}",
                "" if fired["wasted_side"] is None else f"{fired['wasted_side']:.2f}",
                f"{test['difference']:+.3f} ({test['low']:+.3f} to {test['high']:+.3f})",
                f"{test['p']:.4f}",
            ]
        )
    return table(header, rows)


def targets_table(
    summary: Summary, ours: str, rivals: Sequence[str], budgets: Sequence[str], *, allowed: float
) -> tuple[str, list[str]]:
    """How one method stands against every rival, and what it fails.

    :param ours: The method that is judged.
    :param rivals: Methods whose full coverage it should reach.
    :param budgets: In chunks, by name.
    :param allowed: How much recall on whole evidence may fall below the baseline.
    :return: The table, and a sentence for each miss.
    """
    methods = summary["methods"]
    rows, missed = [], []
    for budget in budgets:
        mine, base = (
            methods[ours]["budgets"][budget],
            methods[summary["baseline"]]["budgets"][budget],
        )
        best = max(rivals, key=lambda name: methods[name]["budgets"][budget]["all"]["full"])
        best_full = methods[best]["budgets"][budget]["all"]["full"]
        full = mine["all"]["full"]
        fewer = None
        if "split" in mine and base["split"]["full"] < 1:
            fewer = 1 - (1 - mine["split"]["full"]) / (1 - base["split"]["full"])
        wanted = 0.25 if int(budget) <= 5 else 0.35
        whole = mine["whole"]["recall"] - base["whole"]["recall"]
        rows.append(
            [
                budget,
                f"{full:.3f}",
                f"{best_full:.3f} ({best})",
                "" if fewer is None else f"{fewer:.0%} ({wanted:.0%})",
                f"{whole:+.3f} ({-allowed:+.3f})",
            ]
        )
        if full < best_full:
            missed.append(f"@{budget}: full coverage {full:.3f} under {best_full:.3f} of {best}")
        if fewer is not None and fewer < wanted:
            missed.append(
                f"@{budget}: {fewer:.0%} fewer misses of split evidence, not {wanted:.0%}"
            )
        if whole < -allowed - 1e-9:
            missed.append(f"@{budget}: whole evidence {whole:+.3f}, below {-allowed:+.3f}")
    header = ["budget", "full", "best rival", "fewer split misses (wanted)", "whole (allowed)"]
    return table(header, rows), missed


def shift_table(result: Mapping[str, Any]) -> str:
    """The controlled experiment: full coverage with no cut in the evidence and with one."""
    rows = []
    for group, methods in [("all", result["methods"]), *result["by_length"].items()]:
        for name, cell in methods.items():
            if cell["questions"]:
                rows.append(
                    [
                        f"{name}, {group if group == 'all' else group + ' tokens'}",
                        str(cell["questions"]),
                        f"{cell['whole']:.3f}",
                        f"{cell['split']:.3f}",
                        f"{cell['split'] - cell['whole']:+.3f}",
                    ]
                )
    first = table(["method, length of evidence", "questions", "whole", "split", "harm"], rows)
    places = result["by_place_of_cut"]
    names = list(result["methods"])
    second = table(
        ["share of the evidence before the cut", *names],
        [
            [place, *("" if cells[n] is None else f"{cells[n]:.3f}" for n in names)]
            for place, cells in places.items()
        ],
    )
    return f"{first}\n\n{second}"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _number(cells: Mapping[str, Any], kind: str, measure: str) -> str:
    return f"{cells[kind][measure]:.3f}" if kind in cells else ""
