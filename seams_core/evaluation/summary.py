"""Means, intervals and tests over the questions of a run (paper 3.5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from seams_core.evaluation.runner import Columns, MethodRun, SetRun, by_kind

_MEASURES = ("recall", "full", "precision", "iou", "ndcg", "tokens")
_RESAMPLES = 2000


def summarise(run: SetRun, *, baseline: str, resamples: int = _RESAMPLES) -> dict[str, Any]:
    """Everything a table needs, as JSON, for split and whole evidence apart.

    :param run: All methods over one set.
    :param baseline: The name of the method that the others are tested against.
    :param resamples: Of the bootstrap and of the permutation test.
    """
    base = run.method(baseline)
    kinds = {kind: places for kind, places in by_kind(run) if places}
    return {
        "questions": {kind: len(places) for kind, places in kinds.items()},
        "baseline": baseline,
        "methods": {
            method.name: {
                "vectors": method.vectors,
                "precision_omega": _mean(method.omega, kinds["all"]),
                "budgets": {
                    name: {
                        kind: _cell(
                            columns,
                            base.columns[name],
                            places,
                            0 if kind == "whole" else resamples,
                        )
                        for kind, places in kinds.items()
                    }
                    for name, columns in method.columns.items()
                },
                "firings": {name: firings(columns) for name, columns in method.columns.items()},
            }
            for method in run.methods
        },
    }


def _cell(columns: Columns, base: Columns, places: Sequence[int], resamples: int) -> dict[str, Any]:
    cell: dict[str, Any] = {name: _mean(columns[name], places) for name in _MEASURES}
    cell["failure_rate"] = round(1 - cell["recall"], 4)
    if resamples:
        ours = np.array(columns["full"])[list(places)]
        theirs = np.array(base["full"])[list(places)]
        cell["full_against_baseline"] = paired(ours, theirs, resamples)
    return cell


def firings(columns: Columns) -> dict[str, float | int | None]:
    """How many pairs got in, and which shares of them were false or half wasted.

    False: no evidence crosses the seam's cut. Wasted: one of the two chunks holds no evidence.
    """
    fired = int(sum(columns["fired"]))
    return {
        "fired": fired,
        "false": round(sum(columns["false"]) / fired, 4) if fired else None,
        "wasted_side": round(sum(columns["wasted"]) / fired, 4) if fired else None,
    }


def paired(ours: Any, theirs: Any, resamples: int = _RESAMPLES) -> dict[str, Any]:
    """The mean difference with a bootstrap interval (95 %) and a paired permutation test.

    Both by ``scipy``, seeded, so that two runs give the same numbers.
    """
    from scipy import stats

    difference = np.asarray(ours, dtype=float) - np.asarray(theirs, dtype=float)
    mean = round(float(difference.mean()), 4)
    if len(difference) < 2 or not difference.any():
        return {"difference": mean, "low": mean, "high": mean, "p": 1.0}
    if (difference == difference[0]).all():
        interval = (mean, mean)
    else:
        found = stats.bootstrap(
            (difference,),
            np.mean,
            n_resamples=resamples,
            method="percentile",
            batch=256,
            rng=np.random.default_rng(0),
        ).confidence_interval
        interval = (float(found.low), float(found.high))
    test = stats.permutation_test(
        (difference,),
        np.mean,
        permutation_type="samples",
        n_resamples=resamples,
        vectorized=True,
        batch=256,
        rng=np.random.default_rng(0),
    )
    return {
        "difference": mean,
        "low": round(interval[0], 4),
        "high": round(interval[1], 4),
        "p": round(float(test.pvalue), 5),
    }


def fewer_misses(method: MethodRun, base: MethodRun, run: SetRun, budget: str) -> float | None:
    """By which share the misses of split evidence are fewer than the baseline's."""
    places = [place for place, split in enumerate(run.split) if split]
    missed = sum(1 - base.columns[budget]["full"][place] for place in places)
    ours = sum(1 - method.columns[budget]["full"][place] for place in places)
    return 1 - ours / missed if missed else None


def _mean(values: Sequence[float], places: Sequence[int]) -> float:
    return round(float(np.mean([values[place] for place in places])), 4)
