"""Self time against a brute-force oracle: instant by instant, the event that began last."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.profiles import self_time
from xpudbg.services.profiles.self_time import self_times

SPANS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 15)), max_size=25)


def in_order(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """By beginning, of equal ones the longest first."""
    return sorted(spans, key=lambda span: (span[0], -span[1]))


def oracle(spans: list[tuple[int, int]]) -> list[int]:
    own = [0] * len(spans)
    for instant in range(60):
        there = [at for at, (start, lasted) in enumerate(spans) if start <= instant < start + lasted]
        if there:
            own[max(there)] += 1
    return own


def times(spans: list[tuple[int, int]]) -> list[float]:
    start = np.array([start for start, _ in spans], np.float64)
    lasted = np.array([lasted for _, lasted in spans], np.float64)
    found: list[float] = self_times(start, start + lasted).tolist()
    return found


@given(SPANS)
def test_each_instant_belongs_to_what_began_last(spans: list[tuple[int, int]]) -> None:
    ordered = in_order(spans)
    assert times(ordered) == oracle(ordered)


@given(SPANS)
def test_events_that_are_open_across_slices_count_the_same(spans: list[tuple[int, int]]) -> None:
    ordered = in_order(spans)
    whole, self_time.SLICE = self_time.SLICE, 2
    try:
        assert times(ordered) == oracle(ordered)
    finally:
        self_time.SLICE = whole


@pytest.mark.parametrize(
    ("spans", "wanted"),
    [
        ([], []),
        ([(0, 10)], [10]),
        ([(0, 10), (2, 3), (6, 2)], [5, 3, 2]),
        ([(0, 10), (2, 6), (3, 2)], [4, 4, 2]),
        ([(0, 10), (5, 10)], [5, 10]),
        ([(0, 10), (10, 5)], [10, 5]),
        ([(0, 4), (0, 4)], [0, 4]),
        ([(3, 0)], [0]),
    ],
    ids=["none", "one", "children", "grandchild", "overlap", "one after another", "the same twice", "no time"],
)
def test_self_time_of_known_threads(spans: list[tuple[int, int]], wanted: list[float]) -> None:
    assert times(spans) == wanted
