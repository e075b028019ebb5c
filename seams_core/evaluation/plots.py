"""Plots of the results, without a screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from seams_core.evaluation.metrics import boundary_risk

_SIZES = (256, 512, 1024)


def _axes(columns: int) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.2 * columns, 4.2), layout="constrained")
    return figure, figure.subplots(1, columns, squeeze=False)[0]


def plot_coverage(
    summary: Mapping[str, Any], names: Sequence[str], budgets: Sequence[str], path: Path
) -> None:
    """Full coverage by budget, for all questions and for split evidence."""
    figure, axes = _axes(2)
    for axis, kind in zip(axes, ("all", "split"), strict=True):
        for name in names:
            cells = summary["methods"][name]["budgets"]
            if kind in cells[budgets[0]]:
                values = [cells[budget][kind]["full"] for budget in budgets]
                axis.plot([int(b) for b in budgets], values, marker="o", label=name)
        axis.set_xlabel("budget (chunks)")
        axis.set_ylabel("share of questions with whole evidence")
        axis.set_title("all questions" if kind == "all" else "evidence that a cut divides")
        axis.grid(alpha=0.3)
    axes[0].legend(fontsize=7)
    figure.savefig(path, dpi=110, metadata={"Software": None})


def plot_shift(
    result: Mapping[str, Any],
    risk: Sequence[tuple[float, float, float, int]],
    chunk_size: int,
    path: Path,
) -> None:
    """The harm of a split by length, beside Figure 1 with the shares that are really there."""
    figure, axes = _axes(2)
    lengths = range(0, 401, 10)
    for size in sorted({*_SIZES, chunk_size}):
        axes[0].plot(lengths, [boundary_risk(n, size) for n in lengths], label=f"model, C = {size}")
    axes[0].plot(
        [row[0] for row in risk if row[0] <= 400],
        [row[1] for row in risk if row[0] <= 400],
        "ko",
        label=f"measured, C = {chunk_size}",
    )
    axes[0].set_xlabel("evidence length L (tokens)")
    axes[0].set_ylabel("chance a cut splits the evidence")
    axes[0].set_title("How often: the paper's Figure 1")
    groups = [group for group, cells in result["by_length"].items() if _asked(cells)]
    for name in result["methods"]:
        cells = [result["by_length"][group][name] for group in groups]
        (line,) = axes[1].plot(
            groups, [c["whole"] for c in cells], marker="o", label=f"{name}, whole"
        )
        axes[1].plot(
            groups,
            [c["split"] for c in cells],
            marker="o",
            linestyle="--",
            color=line.get_color(),
            label=f"{name}, split",
        )
    axes[1].set_xlabel("evidence length (tokens)")
    axes[1].set_ylabel("share of questions with whole evidence")
    axes[1].set_title("How harmful: the same questions, the cut moved")
    axes[1].tick_params(axis="x", labelrotation=20)
    for axis in axes:
        axis.grid(alpha=0.3)
        axis.legend(fontsize=7)
    figure.savefig(path, dpi=110, metadata={"Software": None})


def _asked(cells: Mapping[str, Any]) -> bool:
    return all(cell["questions"] for cell in cells.values())
