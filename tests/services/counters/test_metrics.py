"""What is read off the counters."""

from __future__ import annotations

import numpy as np
import pytest

from xpudbg.services.counters.decode import ABSENT
from xpudbg.services.counters.metrics import Metric, measured, restarted_between
from xpudbg.services.counters.table import CounterTable, table_of

SECOND = 1_000_000_000
BIG = 2**53


def one(active: int = 0, total: int = 0, calls: int = 0, longest: int = 0, *, at: int = 0) -> CounterTable:
    return table_of({0: {"a": (active, total, calls, longest)}}, {0: at})


def cell(metric: Metric, now: CounterTable, before: CounterTable | None = None) -> object:
    return measured(metric, now, before, restarted_between(now, before))[0, 0].item()


@pytest.mark.parametrize(
    ("metric", "value"), [(Metric.ACTIVE, 1), (Metric.TOTAL, BIG + 1), (Metric.CALLS, 3), (Metric.LONGEST, 4)]
)
def test_the_numbers_of_a_rank_are_whole_and_exact(metric: Metric, value: int) -> None:
    found = cell(metric, one(1, BIG + 1, 3, 4))
    assert found == value
    assert isinstance(found, int)


def test_the_mean_is_of_all_waits() -> None:
    assert cell(Metric.MEAN, one(total=30, calls=4)) == 7.5


@pytest.mark.parametrize("calls", [0, -1, ABSENT])
def test_no_wait_has_no_mean(calls: int) -> None:
    assert np.isnan(cell(Metric.MEAN, one(total=30, calls=calls)))  # type: ignore[call-overload]


def test_changes_are_by_the_second_and_exact_where_the_numbers_are_beyond_a_float() -> None:
    before, now = one(total=BIG, calls=BIG, at=0), one(total=BIG + 1_000_001, calls=BIG + 3, at=2 * SECOND)
    assert cell(Metric.WAITED, now, before) == 1_000_001 / 2 / 1e6
    assert cell(Metric.CALL_RATE, now, before) == 1.5


@pytest.mark.parametrize("metric", [Metric.WAITED, Metric.CALL_RATE])
@pytest.mark.parametrize(
    "before",
    [None, one(total=1, calls=1, at=2 * SECOND), one(total=ABSENT, calls=ABSENT), one(total=9, calls=9)],
    ids=["no look", "same instant", "not known", "fell"],
)
def test_a_change_that_can_not_be_told_is_not_known(metric: Metric, before: CounterTable | None) -> None:
    assert np.isnan(cell(metric, one(total=2, calls=2, at=2 * SECOND), before))  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("before", "fell"),
    [
        (one(total=2), True),
        (one(calls=2), True),
        (one(longest=2), True),
        (one(active=2), False),
        (one(1, 1, 1, 1), False),
        (one(ABSENT, ABSENT, ABSENT, ABSENT), False),
        (None, False),
    ],
    ids=["total", "calls", "longest", "active", "equal", "not known", "no look"],
)
def test_counters_began_anew_when_a_number_fell_that_only_grows(before: CounterTable | None, fell: bool) -> None:
    assert restarted_between(one(1, 1, 1, 1), before).tolist() == [fell]


def test_of_a_rank_that_began_anew_no_counter_has_a_rate() -> None:
    before = table_of({0: {"a": (0, 9, 9, 9), "b": (0, 0, 0, 0)}}, {0: 0})
    now = table_of({0: {"a": (0, 1, 1, 1), "b": (0, 5, 5, 5)}}, {0: SECOND})
    assert np.all(np.isnan(measured(Metric.CALL_RATE, now, before, restarted_between(now, before))))
