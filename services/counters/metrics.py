"""What can be read off wait counters: the four numbers, their mean, and how they change from look to look."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from .decode import ABSENT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .table import CounterTable

__all__ = ["Metric", "Unit", "measured", "restarted_between"]


class Unit(Enum):
    """What a metric counts."""

    COUNT = "count"
    MICROSECONDS = "µs"
    SHARE = "seconds a second"
    RATE = "a second"


class Metric(Enum):
    """One number of each cell: a word for people and its unit."""

    ACTIVE = ("waiting now", Unit.COUNT)
    TOTAL = ("waited in all", Unit.MICROSECONDS)
    CALLS = ("waits", Unit.COUNT)
    LONGEST = ("longest wait", Unit.MICROSECONDS)
    MEAN = ("mean wait", Unit.MICROSECONDS)
    WAITED = ("waited a second", Unit.SHARE)
    CALL_RATE = ("waits a second", Unit.RATE)

    @property
    def label(self) -> str:
        return self.value[0]

    @property
    def unit(self) -> Unit:
        return self.value[1]

    @property
    def of_two_looks(self) -> bool:
        """Whether it compares a look with the one before."""
        return self in (Metric.WAITED, Metric.CALL_RATE)


_FIELD = {Metric.ACTIVE: 0, Metric.TOTAL: 1, Metric.CALLS: 2, Metric.LONGEST: 3}
_CUMULATIVE = (1, 2, 3)
"""Fields that never fall as long as the process lives."""


def measured(
    metric: Metric, now: CounterTable, before: CounterTable | None, restarted: NDArray[np.bool_] | None = None
) -> NDArray[np.int64] | NDArray[np.float64]:
    """A metric for each rank and counter, shape (ranks, counters).

    Whole numbers (`ABSENT` where not known) for the four numbers that ranks send; floats (NaN where not known) for the
    others. A mean is microseconds; waits since the look before are seconds waited, or waits begun or ended, per second.

    Args:
        before: the look to compare with, None when there is none: such metrics are not known then.
        restarted: rows whose counters began anew since `before`.
    """
    if metric in _FIELD:
        sent: NDArray[np.int64] = now.values[_FIELD[metric]]
        return sent
    total, calls = now.values[1], now.values[2]
    if metric is Metric.MEAN:
        made = np.full(total.shape, np.nan)
        np.divide(total, calls, out=made, where=(total != ABSENT) & (calls > 0))
        return made
    if before is None:
        return np.full(total.shape, np.nan)
    field = 1 if metric is Metric.WAITED else 2
    earlier = now.seen_from(before)[field]
    current = now.values[field]
    known = (earlier != ABSENT) & (current != ABSENT)
    # Both are counts of 64 bits, so that their difference is exact; only then it becomes a float.
    change = np.where(known, current - np.where(known, earlier, 0), 0)
    seconds = _seconds(now, before)[:, np.newaxis]
    known &= (seconds > 0) & (change >= 0)
    if restarted is not None:
        known &= ~restarted[:, np.newaxis]
    made = np.full(change.shape, np.nan)
    np.divide(change, seconds, out=made, where=known)
    return made / 1e6 if metric is Metric.WAITED else made


def restarted_between(now: CounterTable, before: CounterTable | None) -> NDArray[np.bool_]:
    """Rows in which a number has fallen that can only grow: the process is another one, or its counters began anew."""
    if before is None:
        return np.zeros(len(now.ranks), np.bool_)
    earlier = now.seen_from(before)
    fell = np.zeros(now.active.shape, np.bool_)
    for field in _CUMULATIVE:
        here, there = now.values[field], earlier[field]
        fell |= (here != ABSENT) & (here < there)
    rows: NDArray[np.bool_] = np.any(fell, axis=1)
    return rows


def _seconds(now: CounterTable, before: CounterTable) -> NDArray[np.float64]:
    """Seconds between the answers of each rank, 0 where it gave none before."""
    _, rows_here, rows_there = np.intersect1d(now.ranks, before.ranks, return_indices=True)
    made = np.zeros(len(now.ranks))
    made[rows_here] = (now.at[rows_here] - before.at[rows_there]) / 1e9
    return made
