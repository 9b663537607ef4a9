"""In which order the ranks came to each call, and which rank the others wait for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LEAST_S", "Arrivals", "LaneStatistics", "arrivals", "lane_statistics"]

LEAST_S = 0.001
"""The last to come stands out when it is at least so far behind the one before it, and further than the others are
apart."""


@dataclass(frozen=True, slots=True, eq=False)
class Arrivals:
    """One row for each call. Instants are ns on the common clock, 0 where no rank has a time."""

    came: NDArray[np.int64]
    """Ranks that made the call."""
    timed: NDArray[np.int64]
    """Ranks of which it is known when."""
    first: NDArray[np.int64]
    median: NDArray[np.int64]
    """The middle arrival; of an even number the earlier one."""
    before_last: NDArray[np.int64]
    """The last arrival but one; that of the only rank where there is one."""
    last: NDArray[np.int64]
    first_lane: NDArray[np.int64]
    """-1 where fewer than two ranks have a time."""
    last_lane: NDArray[np.int64]
    """-1 where fewer than two ranks have a time, or two of them came last at the same instant."""

    @property
    def stands_out(self) -> NDArray[np.bool_]:
        """The last one came clearly later than all the others."""
        margin = self.last - self.before_last
        return (self.last_lane >= 0) & (margin >= LEAST_S * 1e9) & (margin >= self.before_last - self.first)


def arrivals(time: NDArray[np.int64], lane: NDArray[np.int64], starts: NDArray[np.int64]) -> Arrivals:
    """Arrivals of calls whose parts stand together.

    Calls with the same number of known times are looked at as one matrix, so that there is no loop over calls.

    Args:
        time: when each part was made, ns on the common clock, 0 = not known.
        lane: lane of each part.
        starts: where each call begins among the parts; one more at the end.
    """
    calls = len(starts) - 1
    came = np.diff(starts)
    known = time > 0
    if not known.all():
        before = np.append(0, np.cumsum(known))
        starts, time, lane = before[starts], time[known], lane[known]
    timed = np.diff(starts)
    first, median, before_last, last = (np.zeros(calls, dtype=np.int64) for _ in range(4))
    first_lane, last_lane = (np.full(calls, -1, dtype=np.int64) for _ in range(2))
    for count in np.unique(timed):
        if not count:
            continue
        here = np.flatnonzero(timed == count)
        parts = starts[here][:, None] + np.arange(count)
        times = time[parts]
        middle = (int(count) - 1) // 2
        ordered = np.partition(times, sorted({0, middle, max(int(count) - 2, 0), int(count) - 1}), axis=1)
        first[here], median[here] = ordered[:, 0], ordered[:, middle]
        before_last[here], last[here] = ordered[:, max(int(count) - 2, 0)], ordered[:, -1]
        if count > 1:
            rows = np.arange(len(here))
            first_lane[here] = lane[parts[rows, times.argmin(axis=1)]]
            alone = last[here] > before_last[here]
            last_lane[here] = np.where(alone, lane[parts[rows, times.argmax(axis=1)]], -1)
    return Arrivals(came, timed, first, median, before_last, last, first_lane, last_lane)


@dataclass(frozen=True, slots=True, eq=False)
class LaneStatistics:
    """How each lane fares in the calls to which every lane came, all times known."""

    calls: int
    """Calls that were compared."""
    last: NDArray[np.int64]
    """How often each lane came last."""
    late_ns: NDArray[np.float64]
    """How far each lane is behind the median of the call, mean over the calls; NaN for lanes that made none."""
    clearly: NDArray[np.int64]
    """How often each lane came last and stood out."""
    margin_ns: float = 0.0
    """How far the lane that is most often last is behind the one before it, median over the calls where it is last."""
    apart_ns: float = 0.0
    """How far apart the others are in those calls, median."""

    @property
    def latest(self) -> int | None:
        """The lane that is most often last."""
        return int(self.last.argmax()) if len(self.last) and self.last.any() else None


def lane_statistics(
    time: NDArray[np.int64],
    lane: NDArray[np.int64],
    starts: NDArray[np.int64],
    found: Arrivals,
    collective: NDArray[np.bool_],
    lanes: int,
) -> LaneStatistics:
    """
    Args:
        time, lane, starts: as for `arrivals`.
        found: the arrivals of these calls.
        collective: calls that all members make under one sequence number; others are left out.
        lanes: number of lanes.
    """
    late = np.full(lanes, np.nan)
    made = np.zeros(lanes, dtype=np.bool_)
    made[lane[np.repeat(collective, np.diff(starts))]] = True
    members = int(made.sum())
    whole = np.flatnonzero(collective & (found.timed == members))
    if members < 2 or not len(whole):
        nothing = np.zeros(lanes, dtype=np.int64)
        return LaneStatistics(0, nothing, late, nothing)
    parts = starts[:-1][whole][:, None] + np.arange(members)
    behind = time[parts] - found.median[whole][:, None]
    places = lane[parts[0]]  # parts of a call stand by rank, so that every row has the same lanes
    late[places] = behind.mean(axis=0)
    winners = found.last_lane[whole]
    last = np.bincount(winners[winners >= 0], minlength=lanes)
    clearly = np.bincount(winners[found.stands_out[whole]], minlength=lanes)
    mine = whole[winners == last.argmax()] if last.any() else whole[:0]
    if not len(mine):
        return LaneStatistics(len(whole), last, late, clearly)
    margin = float(np.median(found.last[mine] - found.before_last[mine]))
    apart = float(np.median(found.before_last[mine] - found.first[mine]))
    return LaneStatistics(len(whole), last, late, clearly, margin, apart)
