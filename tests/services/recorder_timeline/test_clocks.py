"""When clocks are brought together, and when it is left alone."""

from __future__ import annotations

import numpy as np
import pytest

from xpudbg.services.recorder_timeline.clocks import FEWEST, Clocks, common_clock

MS = 1_000_000
APART = ("", "", "", "")


def calls(scatter_ms: float, *, gaps_ms: tuple[float, ...] = (100.0, 2.0), count: int = 100) -> np.ndarray:
    """When four ranks made each call, on one clock: shape `(calls, 4)`."""
    chance = np.random.default_rng(3)
    begins = np.cumsum(np.resize(gaps_ms, count))[:, None]
    return np.rint((1e9 + begins + chance.uniform(0, scatter_ms, (count, 4))) * MS).astype(np.int64)


def ahead(times: np.ndarray, rank: int, ms: float) -> np.ndarray:
    moved = times.copy()
    moved[:, rank] += int(ms * MS)
    return moved


def test_ranks_of_one_host_have_one_clock() -> None:
    assert common_clock(ahead(calls(0.1), 2, 900), ("a", "a", "a", "a")).kind is Clocks.ONE_HOST


@pytest.mark.parametrize("offset_ms", [0.0, 0.5, 900.0, -86_400_000.0])
def test_where_ranks_come_close_together_any_offset_is_found(offset_ms: float) -> None:
    made = common_clock(ahead(calls(0.1), 2, offset_ms), APART)
    assert made.kind is Clocks.ESTIMATED
    assert made.offsets / MS == pytest.approx([0, 0, offset_ms, 0], abs=0.1)
    assert made.apart_s == pytest.approx(abs(offset_ms) / 1e3, abs=2e-4)


def test_where_they_scatter_only_an_offset_that_is_plain() -> None:
    times = calls(45.0)
    assert common_clock(times, APART).kind is Clocks.RECORDED
    assert not common_clock(ahead(times, 2, 10), APART).offsets.any()
    plain = common_clock(ahead(times, 2, 900), APART)
    assert plain.kind is Clocks.ESTIMATED
    assert plain.offsets[2] / MS == pytest.approx(900, abs=30)


def test_where_no_call_follows_at_once_nothing_is_known() -> None:
    assert common_clock(ahead(calls(0.1, gaps_ms=(100.0,)), 2, 900), APART).kind is Clocks.RECORDED


def test_few_calls_or_ranks_tell_nothing() -> None:
    times = ahead(calls(0.1), 1, 900)
    assert common_clock(times[: FEWEST - 1], APART).kind is Clocks.RECORDED
    assert common_clock(times[:FEWEST], APART).kind is Clocks.ESTIMATED
    assert common_clock(times[:, :2], APART[:2]).kind is Clocks.RECORDED
    assert common_clock(times[:0, :0], ()).kind is Clocks.ONE_HOST


def test_hosts_share_an_estimate() -> None:
    times = ahead(ahead(calls(0.1), 2, 900), 3, 900)
    made = common_clock(times, ("a", "a", "b", "b"))
    assert made.offsets[2] == made.offsets[3]
    assert (made.offsets[2] - made.offsets[0]) / MS == pytest.approx(900, abs=0.1)
