"""Who began and ended to wait in which wait counter, and where most of the time between the looks was waited."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...counters.metrics import Metric, measured, restarted_between
from ...ranksets import RankSet
from .values import CounterChange, CounterDifference, CounterRate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ...counters.look import CounterLook
    from ...counters.table import CounterTable

__all__ = ["counter_changes"]

CHANGES_KEPT = 50
"""Counters in which somebody began or ended to wait; more are counted."""
RATES_KEPT = 10
LEAST_SHARE = 0.01
"""Seconds waited a second from which a counter is worth a line."""


def counter_changes(before: CounterLook, after: CounterLook, others: RankSet) -> CounterDifference | None:
    """What the wait counters say; None when not both looks have any.

    Args:
        others: ranks whose process is another one at the later look: their counters began anew.
    """
    was, now = before.table, after.table
    if not len(was.ranks) or not len(now.ranks):
        return None
    twice = before.ranks & after.ranks
    changes = _changes(was, now, twice)
    rows = restarted_between(now, was) | np.isin(now.ranks, list(others))
    return CounterDifference(
        changes=tuple(changes[:CHANGES_KEPT]),
        changes_left_out=max(len(changes) - CHANGES_KEPT, 0),
        rates=_rates(was, now, rows),
        restarted=RankSet(now.ranks[rows].tolist()) & twice,
        only_before=before.ranks - after.ranks,
        only_after=after.ranks - before.ranks,
    )


def _changes(was: CounterTable, now: CounterTable, twice: RankSet) -> list[CounterChange]:
    made = []
    for name in sorted({*was.names, *now.names}):
        earlier, later = _waiting(was, name) & twice, _waiting(now, name) & twice
        if earlier != later:
            table = now if now.column_of(name) is not None else was
            title = table.title(table.column_of(name) or 0)
            made.append(CounterChange(title, later - earlier, earlier - later, earlier & later))
    made.sort(key=lambda one: -len(one.came | one.gone))
    return made


def _waiting(table: CounterTable, name: str) -> RankSet:
    column = table.column_of(name)
    return RankSet() if column is None else RankSet(table.ranks[table.active[:, column] > 0].tolist())


def _rates(was: CounterTable, now: CounterTable, restarted: NDArray[np.bool_]) -> tuple[CounterRate, ...]:
    shares = measured(Metric.WAITED, now, was, restarted)
    made = []
    for column in range(len(now.names)):
        known = ~np.isnan(shares[:, column])
        there = shares[known, column]
        if not len(there) or there.max() < LEAST_SHARE:
            continue
        rank = int(now.ranks[known][int(np.argmax(there))])
        made.append(CounterRate(now.title(column), rank, float(there.max()), float(np.median(there))))
    made.sort(key=lambda one: (-one.share, one.name))
    return tuple(made[:RATES_KEPT])
