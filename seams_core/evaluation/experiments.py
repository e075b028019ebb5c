"""The experiments of the paper's section 3.5, each from a set and a model to tables and JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from seams_core.evaluation import report, standard
from seams_core.evaluation.bench import Bench, Settings
from seams_core.evaluation.comparators.base import Fused
from seams_core.evaluation.comparators.plain import Plain
from seams_core.evaluation.data import EvaluationSet
from seams_core.evaluation.embedding import CachedEmbedder
from seams_core.evaluation.plots import plot_coverage, plot_shift
from seams_core.evaluation.runner import run_methods
from seams_core.evaluation.shifting import compare, risk_by_length, shift_grid
from seams_core.evaluation.summary import summarise

BUDGETS = (5, 10, 20)
TOKEN_BUDGETS = (10_000,)
SIZES = (256, 512, 1024, 2048)
#: How much recall on whole evidence may fall below plain retrieval, by set; else ``ALLOWED``.
ALLOWED_BY_SET = {"faqs": 0.015, "chroma": 0.01}
ALLOWED = 0.005


@dataclass(frozen=True)
class Place:
    """Where an experiment reads and writes.

    :param out: Tables, plots and JSON go here.
    :param state: Results by method are kept here, so that a stopped run goes on.
    :param model: Short name of the model, part of the file names.
    :param command: The command that made the results; written into them.
    :param skip: Patterns of names of methods that the main table leaves out.
    """

    out: Path
    state: Path
    model: str
    command: str
    skip: tuple[str, ...] = ()
    written: list[Path] = field(default_factory=list)

    def skips(self, name: str) -> bool:
        """Whether the main table leaves that method out."""
        return any(fnmatch(name, pattern) for pattern in self.skip)

    def write(self, name: str, title: str, body: str, data: Any) -> None:
        """Write ``name-model.md`` and ``.json``."""
        self.out.mkdir(parents=True, exist_ok=True)
        text = f"# {title}\n\n{body}\n\nMade by `{self.command}`.\n"
        markdown = self.out / f"{name}-{self.model}.md"
        markdown.write_text(text, encoding="utf-8")
        numbers = self.out / f"{name}-{self.model}.json"
        held = {"command": self.command, "model": self.model, "results": data}
        numbers.write_text(json.dumps(held, indent=1) + "\n", encoding="utf-8")
        self.written.extend([markdown, numbers])


def main_table(sets: Sequence[EvaluationSet], embedder: CachedEmbedder, place: Place) -> None:
    """Every comparator and every fire test at chunks of 1,024 tokens and k = 150."""
    summaries: dict[str, Any] = {}
    parts = []
    ours = standard.DEFAULT.name
    for data in sets:
        rivals = [m for m in standard.comparators() if not place.skips(m.name)]
        methods = [*rivals, *standard.fire_tests()]
        run = run_methods(
            Bench(data, embedder),
            methods,
            budgets=BUDGETS,
            token_budgets=TOKEN_BUDGETS,
            state=place.state,
        )
        summary = summarise(run, baseline=standard.BASELINE)
        summaries[data.name] = summary
        budgets = [str(budget) for budget in BUDGETS]
        tokens = [f"{budget} tokens" for budget in TOKEN_BUDGETS]
        names = [method.name for method in rivals]
        allowed = ALLOWED_BY_SET.get(data.name, ALLOWED)
        judged = []
        for name in (ours, standard.LONG_EVIDENCE.name):
            verdict, missed = report.targets_table(summary, name, names, budgets, allowed=allowed)
            missing = "\n".join(f"- not met {miss}" for miss in missed) or "- every target is met"
            judged.append(f"### {name} against its targets\n\n{verdict}\n\n{missing}")
        counts = summary["questions"]
        parts.append(
            f"## {data.name}\n\n{counts['all']} questions, {counts.get('split', 0)} of them with "
            f"evidence that a cut divides.\n\n{report.coverage_table(summary, budgets)}\n\n"
            + "\n\n".join(judged)
            + f"\n\n### At the same number of tokens\n\n{report.coverage_table(summary, tokens)}"
            + f"\n\n### Every measure at a budget of 10\n\n{report.detail_table(summary, '10')}"
        )
        place.out.mkdir(parents=True, exist_ok=True)
        wanted = [
            standard.BASELINE,
            "windows 256/128, chunks not searched",
            "both neighbours of each hit",
            "plain hybrid, convex",
            "Seams, margin margin=0",
            ours,
        ]
        shown = [name for name in wanted if name in summary["methods"]]
        plot_coverage(
            summary, shown, budgets, place.out / f"coverage-{data.name}-{place.model}.png"
        )
    place.write("main", f"Seams and its alternatives, {place.model}", "\n\n".join(parts), summaries)


def chunk_sizes(sets: Sequence[EvaluationSet], embedder: CachedEmbedder, place: Place) -> None:
    """Chunks of 256 to 2,048 tokens at one number of tokens."""
    results: dict[str, Any] = {}
    parts = []
    for data in sets:
        rows = []
        for size in SIZES:
            bench = Bench(data, embedder, Settings(chunk_size=size))
            run = run_methods(
                bench,
                standard.over_chunk_sizes(),
                budgets=(),
                token_budgets=(10_000,),
                state=place.state,
            )
            summary = summarise(run, baseline=standard.BASELINE)
            results.setdefault(data.name, {})[str(size)] = summary
            rows += _size_rows(summary, f"{size}", "10000 tokens")
        header = ["chunk size, method", "split", "full", "split: full", "whole: recall", "p"]
        parts.append(f"## {data.name}\n\n{report.table(header, rows)}")
    body = "At 10,000 tokens sent; `split` is the share of questions whose evidence a cut divides."
    place.write("chunk-sizes", "Chunk sizes", f"{body}\n\n" + "\n\n".join(parts), results)


def _size_rows(summary: Mapping[str, Any], group: str, budget: str) -> list[list[str]]:
    counts = summary["questions"]
    rows = []
    for name, method in summary["methods"].items():
        cells = method["budgets"][budget]
        rows.append(
            [
                f"{group}, {name}",
                f"{counts.get('split', 0) / counts['all']:.2f}",
                f"{cells['all']['full']:.3f}",
                f"{cells['split']['full']:.3f}" if "split" in cells else "",
                f"{cells['whole']['recall']:.3f}" if "whole" in cells else "",
                f"{cells['all']['full_against_baseline']['p']:.4f}",
            ]
        )
    return rows


def half_widths(sets: Sequence[EvaluationSet], embedder: CachedEmbedder, place: Place) -> None:
    """Seams of k = 100 to 300 at chunks of 1,024 tokens."""
    results: dict[str, Any] = {}
    parts = []
    for data in sets:
        run = run_methods(
            Bench(data, embedder), standard.widths(), budgets=BUDGETS, state=place.state
        )
        summary = summarise(run, baseline=standard.BASELINE)
        results[data.name] = summary
        budgets = [str(budget) for budget in BUDGETS]
        parts.append(f"## {data.name}\n\n{report.coverage_table(summary, budgets)}")
    place.write("half-widths", "Half-widths k", "\n\n".join(parts), results)


def shifted_grid(sets: Sequence[EvaluationSet], embedder: CachedEmbedder, place: Place) -> None:
    """The same questions with the cut moved through their evidence and away from it."""
    results: dict[str, Any] = {}
    parts = []
    for data in sets:
        sights = shift_grid(
            data, embedder, [Plain(), Fused(Plain()), standard.DEFAULT], state=place.state
        )
        result = compare(sights)
        risk = risk_by_length(sights, Settings().chunk_size)
        results[data.name] = {
            **result,
            "risk_by_length": [
                dict(zip(("length", "measured", "model", "sights"), row, strict=True))
                for row in risk
            ],
            "settings": asdict(Settings()),
        }
        name = f"shifted-grid-{data.name}-{place.model}.png"
        place.out.mkdir(parents=True, exist_ok=True)
        plot_shift(result, risk, Settings().chunk_size, place.out / name)
        rows = [[f"{r[0]:.0f}", f"{r[1]:.3f}", f"{r[2]:.3f}", str(r[3])] for r in risk]
        header = ["mean length (tokens)", "split, measured", "split, L / C", "sights"]
        parts.append(
            f"## {data.name}\n\n{report.shift_table(result)}\n\n"
            f"### How often a cut divides the evidence\n\n{report.table(header, rows)}\n\n"
            f"![The harm of a split beside Figure 1]({name})"
        )
    body = (
        "Budget 10; eight grids, an eighth of a chunk apart; questions with one span of evidence "
        "that were met both whole and split, each its own control."
    )
    place.write("shifted-grid", "What a split costs", f"{body}\n\n" + "\n\n".join(parts), results)


Experiment = Callable[[Sequence[EvaluationSet], CachedEmbedder, Place], None]
EXPERIMENTS: dict[str, Experiment] = {
    "main": main_table,
    "shifted-grid": shifted_grid,
    "half-widths": half_widths,
    "chunk-sizes": chunk_sizes,
}
