"""Arrivals of calls against the same worked out call by call."""

from __future__ import annotations

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.recorder_timeline.arrivals import arrivals, lane_statistics

calls_made = st.lists(st.dictionaries(st.integers(0, 5), st.integers(0, 30), max_size=6), max_size=12)
"""For each call: when each rank came; 0 = not known. In steps of a millisecond, so that ties are common."""

MS = 1_000_000


def flat(calls: list[dict[int, int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    parts = [(time * MS, lane) for call in calls for lane, time in sorted(call.items())]
    time, lane = (np.array([part[place] for part in parts], dtype=np.int64) for place in (0, 1))
    return time, lane, np.cumsum([0, *map(len, calls)])


@given(calls_made)
def test_each_call_as_when_looked_at_alone(calls: list[dict[int, int]]) -> None:
    found = arrivals(*flat(calls))
    for row, call in enumerate(calls):
        known = {lane: time * MS for lane, time in call.items() if time}
        ordered = sorted(known.values())
        assert found.came[row] == len(call)
        assert found.timed[row] == len(known)
        assert found.first[row] == (ordered[0] if ordered else 0)
        assert found.last[row] == (ordered[-1] if ordered else 0)
        assert found.median[row] == (statistics.median_low(ordered) if ordered else 0)
        alone = len(ordered) > 1 and ordered.count(ordered[-1]) == 1
        assert found.last_lane[row] == (max(known, key=lambda lane: known[lane]) if alone else -1)
        if len(ordered) > 1:
            assert known[int(found.first_lane[row])] == ordered[0]
            margin, apart = ordered[-1] - ordered[-2], ordered[-2] - ordered[0]
            assert found.stands_out[row] == (alone and margin >= MS and margin >= apart)
        else:
            assert found.first_lane[row] == -1
            assert not found.stands_out[row]


@given(calls_made, st.lists(st.booleans(), min_size=12, max_size=12))
def test_who_is_last_counts_calls_to_which_all_came(calls: list[dict[int, int]], kinds: list[bool]) -> None:
    collective = np.array(kinds[: len(calls)], dtype=np.bool_)
    time, lane, starts = flat(calls)
    found = arrivals(time, lane, starts)
    counted = lane_statistics(time, lane, starts, found, collective, 6)
    members = {rank for call, fits in zip(calls, kinds, strict=False) if fits for rank in call}
    whole = [
        row
        for row, (call, fits) in enumerate(zip(calls, kinds, strict=False))
        if fits and len(members) > 1 and set(call) == members and all(call.values())
    ]
    assert counted.calls == len(whole)
    for rank in range(6):
        assert counted.last[rank] == sum(found.last_lane[row] == rank for row in whole)
        assert counted.clearly[rank] == sum(found.last_lane[row] == rank and found.stands_out[row] for row in whole)
        if whole and rank in members:
            late = statistics.mean(calls[row][rank] * MS - int(found.median[row]) for row in whole)
            assert counted.late_ns[rank] == pytest.approx(late)
        else:
            assert np.isnan(counted.late_ns[rank])


def test_nothing_at_all() -> None:
    found = arrivals(*flat([]))
    counted = lane_statistics(*flat([]), found, np.empty(0, dtype=np.bool_), 0)
    assert (counted.calls, counted.latest) == (0, None)
