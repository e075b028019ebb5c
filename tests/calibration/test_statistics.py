"""The statistics, against scipy and by hand."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, mannwhitneyu

from seams_core.calibration.statistics import (
    conformal_quantile,
    fewest,
    sample_size,
    separation,
    wilson,
)


def test_the_conformal_quantile_by_hand() -> None:
    nine = [9.0, 1, 8, 2, 7, 3, 6, 4, 5]
    assert conformal_quantile(nine, 0.9) == 9  # rank ceil(0.9 * 10)
    assert conformal_quantile(nine[:8], 0.9) == math.inf  # rank 9 of 8
    assert conformal_quantile([*range(19)], 0.9) == 17  # rank 18 of 19
    assert conformal_quantile([math.inf, 1, 2], 0.5) == 2
    assert conformal_quantile([], 0.9) == math.inf
    assert fewest(0.9) == 9
    assert fewest(0.95) == 19
    assert fewest(0.5) == 1


def test_it_keeps_its_promise_for_small_samples_where_the_plain_percentile_does_not() -> None:
    draw = random.Random(1)
    above = plain = 0
    trials, n = 20_000, 12
    for _ in range(trials):
        values = sorted(draw.random() for _ in range(n))
        further = draw.random()
        above += further > conformal_quantile(values, 0.9)
        plain += further > values[math.ceil(0.9 * n) - 1]
    error = 3 * math.sqrt(0.1 * 0.9 / trials)
    assert above / trials <= 0.1 + error
    assert plain / trials > 0.1 + error


def test_the_sample_size_is_that_of_the_interval() -> None:
    n = sample_size(0.9, 0.06)
    assert 1.96 * math.sqrt(0.9 * 0.1 / n) <= 0.06 < 1.96 * math.sqrt(0.9 * 0.1 / (n - 2))
    assert sample_size(0.99, 0.9) == fewest(0.99) == 99


@given(st.integers(1, 300), st.data())
def test_wilson_is_scipys(total, data) -> None:
    count = data.draw(st.integers(0, total))
    theirs = binomtest(count, total).proportion_ci(method="wilson")
    assert wilson(count, total) == pytest.approx((theirs.low, theirs.high), abs=1e-6)
    assert wilson(0, 0) == (0.0, 1.0)


values = st.lists(st.integers(-3, 6).map(float), min_size=1, max_size=30)


@given(values, values)
def test_separation_is_the_rank_statistic(lower, higher) -> None:
    theirs = mannwhitneyu(higher, lower).statistic / (len(lower) * len(higher))
    assert separation(lower, higher) == pytest.approx(theirs)


def test_separation_of_infinite_head_starts() -> None:
    assert separation([-math.inf, 0], [math.inf, 1]) == 1
    assert separation([math.inf], [math.inf]) == 0.5
    assert math.isnan(separation([], [1.0]))
