"""One cell of the wait counters: now, and over the looks that are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .decode import ABSENT, FIELDS
from .metrics import Metric, measured

if TYPE_CHECKING:
    from .look import CounterLook
    from .table import CounterTable

__all__ = ["cell_of", "over_looks"]

_FIELDS = {Metric.ACTIVE: "active_count", Metric.TOTAL: "total_time_us", Metric.CALLS: "total_calls"}
_FIELDS |= {Metric.LONGEST: "max_time_us"}


def cell_of(look: CounterLook, metric: Metric, rank: int, name: str) -> int | float | None:
    """A metric of one rank and counter at this look, exact where it is a whole number; None where it is not known."""
    one = look.table.only(rank, name)
    before = look.before.only(rank, name) if look.before is not None else None
    if not len(one.ranks) or not one.names:
        return None
    value = measured(metric, one, before, np.array([rank in look.restarted], np.bool_))[0, 0].item()
    return None if value == ABSENT or value != value else value  # NaN is unlike itself


def over_looks(look: CounterLook, metric: Metric, rank: int, name: str) -> list[float | None]:
    """A metric of one rank and counter at each look kept, oldest first; None where it is not known.

    What is measured between two looks is so between each look and the one before it.
    """
    if metric in _FIELDS:
        return [_cell(table, rank, name, _FIELDS[metric]) for table in look.past]
    totals = [_cell(table, rank, name, "total_time_us") for table in look.past]
    calls = [_cell(table, rank, name, "total_calls") for table in look.past]
    if metric is Metric.MEAN:
        return [total / n if total is not None and n else None for total, n in zip(totals, calls, strict=True)]
    sent = totals if metric is Metric.WAITED else calls
    made: list[float | None] = [None] if look.past else []
    for number in range(1, len(look.past)):
        before, now = sent[number - 1], sent[number]
        seconds = _seconds(look.past[number - 1], look.past[number], rank)
        known = before is not None and now is not None and now >= before and seconds > 0
        scale = 1e6 if metric is Metric.WAITED else 1.0
        made.append((now - before) / seconds / scale if known and now is not None and before is not None else None)
    return made


def _cell(table: CounterTable, rank: int, name: str, field: str) -> int | None:
    row, column = table.row_of(rank), table.column_of(name)
    if row is None or column is None:
        return None
    value = int(table.values[FIELDS.index(field), row, column])
    return None if value == ABSENT else value


def _seconds(before: CounterTable, now: CounterTable, rank: int) -> float:
    """Seconds between the two answers of a rank, 0 where one is not there."""
    here, there = now.row_of(rank), before.row_of(rank)
    return 0.0 if here is None or there is None else (int(now.at[here]) - int(before.at[there])) / 1e9
