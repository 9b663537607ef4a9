"""A metric over all ranks: what goes first."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.fakes.counter_answers import PREFIX, answer, counter, looks
from xpudbg.services.counters.metrics import Metric
from xpudbg.services.counters.sheet import ACTIVITY, RANK, CounterSheet
from xpudbg.services.ranksets import RankSet

SAID = {
    0: answer(a=counter(0, 100_000), b=counter(0, 7_000_000), c=counter(0, 5)),
    1: answer(a=counter(0, 100_000), b=counter(0, 90_000_000), c=counter(0, 5)),
    2: answer(a=counter(2, 100_000), b=counter(0, 7_000_000), c=counter(0, 5)),
    3: answer(a=counter(0, 100_000), b=counter(0, 7_000_000)),
    5: answer(a=counter(0, 100_000), b=counter(0, 7_000_000), c=counter(0, 5)),
}


def sheet(metric: Metric = Metric.TOTAL, ranks: RankSet | None = None) -> CounterSheet:
    return CounterSheet(looks(SAID)[-1], metric, ranks or RankSet(range(7)))


def every(made: CounterSheet) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    return np.ones(len(made.ranks), np.bool_), np.ones(len(made.names), np.bool_)


def titles(made: CounterSheet) -> list[str]:
    return [made.title(int(column)) for column in made.columns(every(made)[1])]


def in_order(made: CounterSheet, by: int, *, descending: bool = False) -> list[int]:
    rows, columns = every(made)
    order = made.rows(rows, made.columns(columns), by, descending=descending)
    return [int(made.ranks[row]) for row in order]


def test_every_rank_that_is_known_has_a_row() -> None:
    made = sheet()
    assert made.ranks.tolist() == list(range(7))
    assert made.there.tolist() == [True, True, True, True, False, True, False]
    assert made.row_of(5) == 5
    assert made.row_of(9) is None
    assert sheet(ranks=RankSet([1, 9])).ranks.tolist() == [1, 9]


def test_a_cell_is_whole_or_not_known() -> None:
    made = sheet()
    assert made.value(1, 1) == 90_000_000
    assert made.value(3, 2) is None
    assert made.value(4, 0) is None
    assert sheet(Metric.MEAN).value(0, 0) is None


def test_counters_with_waits_go_first_then_those_with_outliers_then_the_costliest() -> None:
    assert titles(sheet()) == ["a", "b", "c"]
    assert titles(sheet(Metric.CALLS)) == ["a", "b", "c"]


def test_ranks_that_wait_go_first_then_outliers_and_those_without_counters_last() -> None:
    assert in_order(sheet(), ACTIVITY) == [2, 1, 0, 3, 5, 4, 6]


def test_turned_round_ranks_without_counters_stay_last() -> None:
    assert in_order(sheet(), ACTIVITY, descending=True) == [5, 3, 0, 1, 2, 4, 6]


def test_by_rank_and_by_a_counter() -> None:
    made = sheet()
    assert in_order(made, RANK) == [0, 1, 2, 3, 5, 4, 6]
    assert in_order(made, made.names.index(PREFIX + "b")) == [1, 0, 2, 3, 5, 4, 6]
    assert in_order(made, made.names.index(PREFIX + "c")) == [0, 1, 2, 5, 3, 4, 6]


@given(st.lists(st.integers(-(2**63) + 1, 2**63 - 1), min_size=1, max_size=8))
def test_numbers_that_no_float_tells_apart_are_in_order(values: list[int]) -> None:
    said = {rank: answer(a=counter(0, value)) for rank, value in enumerate(values)}
    made = CounterSheet(looks(said)[-1], Metric.TOTAL, RankSet.full(len(values)))
    assert in_order(made, 0) == sorted(range(len(values)), key=lambda rank: (-values[rank], rank))


@pytest.mark.parametrize("metric", list(Metric))
def test_no_metric_fails_where_nothing_is_known(metric: Metric) -> None:
    made = CounterSheet(looks({})[-1], metric, RankSet([3, 4]))
    assert in_order(made, ACTIVITY) == [3, 4]
    assert titles(made) == []
