"""Outliers by the modified z-score."""

from __future__ import annotations

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.counters.decode import ABSENT
from xpudbg.services.counters.metrics import Metric
from xpudbg.services.counters.outliers import FLOORS, LEAST_RANKS, SHARE_FLOOR, THRESHOLD, spread_of


def outlying(metric: Metric, values: list[int]) -> list[int]:
    spread = spread_of(metric, np.array(values, np.int64).reshape(-1, 1))
    return np.flatnonzero(spread.outlying[:, 0]).tolist()


@pytest.mark.parametrize(
    ("metric", "values", "expected"),
    [
        (Metric.ACTIVE, [0, 0, 0, 1], [3]),
        (Metric.ACTIVE, [1, 1, 1, 0], [3]),
        (Metric.ACTIVE, [0, 0, 1, 1], []),
        (Metric.ACTIVE, [0, 0, 1], []),
        (Metric.ACTIVE, [0, ABSENT, 0, 0, 0, 2], [5]),
        (Metric.CALLS, [100, 101, 99, 104, 100], []),
        (Metric.CALLS, [100, 100, 100, 100, 200], [4]),
        (Metric.TOTAL, [10, 900, 40, 4_000, 60], []),
        (Metric.TOTAL, [10, 900, 40, 40_000, 60], [3]),
        (Metric.TOTAL, [10_000_000, 10_100_000, 9_900_000, 90_000_000, 1_000], [3, 4]),
    ],
    ids=["one waits", "one does not", "half", "too few", "absent", "near", "twice", "small", "long", "both ends"],
)
def test_who_is_unlike_the_others(metric: Metric, values: list[int], expected: list[int]) -> None:
    assert outlying(metric, values) == expected


def test_half_of_the_ranks_can_not_hide_one() -> None:
    """A mean and a standard deviation are drawn along by the very outliers they should show."""
    values = [100, 101, 99, 100, 102, 98, 100, 5_000_000, 5_000_000, 5_000_000]
    assert outlying(Metric.CALLS, values) == [7, 8, 9]


@given(st.lists(st.integers(-(2**62), 2**62), min_size=LEAST_RANKS, max_size=12))
def test_it_is_what_the_formula_says(values: list[int]) -> None:
    spread = spread_of(Metric.CALLS, np.array(values, np.int64).reshape(-1, 1))
    floats = [float(value) for value in values]
    median = statistics.median(floats)
    mad = statistics.median(abs(value - median) for value in floats)
    scale = max(mad, FLOORS[Metric.CALLS.unit], SHARE_FLOOR * abs(median))
    expected = [0.6745 * (value - median) / scale for value in floats]
    assert spread.median[0] == pytest.approx(median)
    assert spread.mad[0] == pytest.approx(mad)
    assert spread.z[:, 0] == pytest.approx(expected)
    assert spread.outlying[:, 0].tolist() == [abs(float(z)) >= THRESHOLD for z in spread.z[:, 0]]


def test_a_counter_that_nobody_has_is_no_fault() -> None:
    spread = spread_of(Metric.MEAN, np.full((5, 1), np.nan))
    assert np.isnan(spread.median[0])
    assert not np.any(spread.outlying)
