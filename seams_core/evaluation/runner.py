"""Every method over every question, stored method by method so that a stopped run goes on."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from seams_core.evaluation.bench import Bench
from seams_core.evaluation.collection import Collection, Unit
from seams_core.evaluation.comparators.base import Answer, Method
from seams_core.evaluation.data import Span
from seams_core.evaluation.metrics import gains, precision_omega, span_scores

_FORMAT = 3  # of the stored results; a change here makes them anew
Columns = dict[str, list[float]]


@dataclass(frozen=True)
class MethodRun:
    """One method over one set.

    :param name: What the tables call it.
    :param vectors: Vectors stored.
    :param columns: For each budget, by its name, a column per measure with a value per question.
    :param omega: Precision Ω of each question.
    """

    name: str
    vectors: int
    columns: dict[str, Columns]
    omega: list[float]


@dataclass(frozen=True)
class SetRun:
    """All methods over one set.

    :param set_name: The set.
    :param split: For each question whether a cut falls inside its evidence.
    :param lengths: For each question the tokens of its evidence.
    :param methods: In the order they were given.
    """

    set_name: str
    split: list[bool]
    lengths: list[int]
    methods: list[MethodRun]

    def method(self, name: str) -> MethodRun:
        """The run of that name."""
        return next(run for run in self.methods if run.name == name)


def run_methods(
    bench: Bench,
    methods: Sequence[Method],
    *,
    budgets: Sequence[int] = (5, 10, 20),
    token_budgets: Sequence[int] = (),
    state: Path | None = None,
) -> SetRun:
    """Answer every question by every method.

    :param bench: The set, cut and indexed.
    :param methods: Their names must differ.
    :param budgets: In chunks.
    :param token_budgets: In tokens: the most chunks whose tokens fit.
    :param state: Folder in which each method's results are kept; asked again they are read.
    :raises ValueError: If two methods share a name, or a budget is below 1.
    """
    names = [method.name for method in methods]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"methods has {sorted(twice)} more than once: give each its own name")
    for budget in (*budgets, *token_budgets):
        if budget < 1:
            raise ValueError(f"budget {budget!r} is not allowed: give a whole number of at least 1")
    runs = []
    for method in methods:
        path = (
            None if state is None else state / f"{_key(bench, method, budgets, token_budgets)}.json"
        )
        if path is not None and path.is_file():
            runs.append(MethodRun(**json.loads(path.read_text(encoding="utf-8"))))
            continue
        run = _run(bench, method, budgets, token_budgets)
        if path is not None:
            _write(path, run)
        runs.append(run)
    lengths = [bench.ruler.total(question.evidence) for question in bench.data.questions]
    return SetRun(bench.data.name, bench.split, lengths, runs)


def _run(
    bench: Bench, method: Method, budgets: Sequence[int], token_budgets: Sequence[int]
) -> MethodRun:
    from tqdm import tqdm

    names = [str(budget) for budget in budgets] + [f"{budget} tokens" for budget in token_budgets]
    columns: dict[str, Columns] = {name: {} for name in names}
    ranked: dict[str, list[list[str]]] = {name: [] for name in names}
    questions = tqdm(
        range(len(bench.data.questions)),
        desc=f"{bench.data.name}: {method.name}",
        unit="question",
        disable=not sys.stderr.isatty(),
    )
    for question in questions:
        answers = [method.answer(bench, question, budget) for budget in budgets]
        answers += [_within(bench, method, question, budget) for budget in token_budgets]
        for name, answer in zip(names, answers, strict=True):
            for measure, value in _measures(bench, question, answer).items():
                columns[name].setdefault(measure, []).append(value)
            ranked[name].append([unit.id for unit in answer.chunks])
    returned = _by_document(method.returned(bench))
    truth, omega = [], []
    for asked in bench.data.questions:
        units = [u for id in {s.document_id for s in asked.evidence} for u in returned[id]]
        spans = [unit.span for unit in units]
        held = gains(asked.evidence, spans, bench.ruler)
        truth.append({u.id: gain for u, gain in zip(units, held, strict=True) if gain})
        omega.append(precision_omega(asked.evidence, spans, bench.ruler))
    for name in names:
        columns[name]["ndcg"] = ndcg(truth, ranked[name])
    vectors = sum(len(held.units) for held in method.collections(bench))
    return MethodRun(method.name, vectors, columns, omega)


def _within(bench: Bench, method: Method, question: int, tokens: int) -> Answer:
    """The answer with the most chunks whose tokens fit."""
    budget = max(1, tokens // bench.settings.chunk_size)
    answer = method.answer(bench, question, budget)
    if bench.ruler.total(unit.span for unit in answer.chunks) > tokens:
        # Tokens of pieces may differ by a few from those of the whole text they lie in.
        return method.answer(bench, question, max(1, budget - 1))
    while True:
        more = method.answer(bench, question, budget + 1)
        spans = [unit.span for unit in more.chunks]
        if len(spans) <= len(answer.chunks) or bench.ruler.total(spans) > tokens:
            return answer
        answer, budget = more, budget + 1


def _measures(bench: Bench, question: int, answer: Answer) -> dict[str, float]:
    evidence = bench.data.questions[question].evidence
    scores = span_scores(evidence, [unit.span for unit in answer.chunks], bench.ruler)
    false = wasted = 0
    for left, right in answer.pairs:
        cut = left.span.end
        crossed = any(
            span.document_id == left.span.document_id and span.start < cut < span.end
            for span in evidence
        )
        false += not crossed
        wasted += any(not _holds(unit.span, evidence) for unit in (left, right))
    pairs = {"fired": len(answer.pairs), "false": false, "wasted": wasted}
    return {**asdict(scores), **{key: float(value) for key, value in pairs.items()}}


def _holds(chunk: Span, evidence: Sequence[Span]) -> bool:
    return any(
        span.document_id == chunk.document_id and span.start < chunk.end and chunk.start < span.end
        for span in evidence
    )


def _by_document(collection: Collection) -> dict[str, list[Unit]]:
    grouped: dict[str, list[Unit]] = {}
    for unit in collection.units:
        grouped.setdefault(unit.span.document_id, []).append(unit)
    return grouped


def ndcg(truth: Sequence[dict[str, int]], ranked: Sequence[Sequence[str]]) -> list[float]:
    """nDCG of each question over all it was handed, by ``ir-measures``.

    :param truth: For each question the evidence tokens of each chunk that holds some.
    :param ranked: For each question the chunks handed on, best first.
    """
    import ir_measures
    from ir_measures import Qrel, ScoredDoc, nDCG

    qrels = [Qrel(str(n), id, gain) for n, held in enumerate(truth) for id, gain in held.items()]
    run = [
        ScoredDoc(str(n), id, float(-place))
        for n, ids in enumerate(ranked)
        for place, id in enumerate(ids)
    ]
    depth = max((len(ids) for ids in ranked), default=1) or 1
    values = [0.0] * len(truth)
    for metric in ir_measures.iter_calc([nDCG @ depth], qrels, run):
        values[int(metric.query_id)] = float(metric.value)
    return values


def _key(bench: Bench, method: Method, budgets: Sequence[int], token_budgets: Sequence[int]) -> str:
    parts = {
        "format": _FORMAT,
        "set": bench.data.digest,
        "model": bench.embedder.name,
        "bench": {**asdict(bench.settings), "shift": bench.shift},
        "method": method.settings(),
        "name": method.name,
        "budgets": [list(budgets), list(token_budgets)],
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:24]


def _write(path: Path, run: MethodRun) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(f".{os.getpid()}.part")
    temporary.write_text(json.dumps(asdict(run)), encoding="utf-8")
    os.replace(temporary, path)


def by_kind(run: SetRun) -> Iterator[tuple[str, list[int]]]:
    """Places of all questions, of those with split evidence, and of those with whole evidence."""
    yield "all", list(range(len(run.split)))
    yield "split", [place for place, split in enumerate(run.split) if split]
    yield "whole", [place for place, split in enumerate(run.split) if not split]
