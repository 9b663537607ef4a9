"""What the report says of the wait counters: who waits in what, and the ranks that are unlike the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .metrics import Metric
from .sheet import CounterSheet

if TYPE_CHECKING:
    from .look import CounterLook

__all__ = ["ACTIVE_SHOWN", "OUTLIERS_SHOWN", "WAITS_SHOWN", "counters_in_report"]

ACTIVE_SHOWN = 1_000
"""Ranks that wait now in the JSON; the others are counted."""
WAITS_SHOWN = 32
"""Waits of one rank."""
OUTLIERS_SHOWN = 200
"""Outliers in the JSON, the furthest first; the others are counted."""


def counters_in_report(look: CounterLook) -> dict[str, Any]:
    """The wait counters of a look as plain values.

    Outliers are those of the share of time waited since the look before, where there is one, else of the time waited in
    all (`outliers.THRESHOLD`).
    """
    active = look.active_ranks
    waits = [{"rank": rank, "waits": dict(look.waiting_in(rank)[:WAITS_SHOWN])} for rank in list(active)[:ACTIVE_SHOWN]]
    metric = Metric.TOTAL if look.before is None else Metric.WAITED
    outliers, left_out = _outliers(look, metric)
    return {
        "look": look.look_id,
        "before": look.before_id or None,
        "ranks": list(look.ranks),
        "active": waits,
        "active_left_out": max(len(active) - ACTIVE_SHOWN, 0),
        "outliers_in": "time waited in all, s" if look.before is None else "seconds waited in a second",
        "outliers": outliers,
        "outliers_left_out": left_out,
        "missing": [{"rank": rank, "reason": reason} for rank, reason in sorted(look.missing.items())],
    }


def _outliers(look: CounterLook, metric: Metric) -> tuple[list[dict[str, Any]], int]:
    """The furthest outliers, and how many there are besides."""
    sheet = CounterSheet(look, metric, look.ranks)
    spread = sheet.spread
    rows, columns = np.nonzero(spread.outlying)
    order = np.argsort(-np.abs(spread.z[rows, columns]), kind="stable")[:OUTLIERS_SHOWN]
    per = 1e6 if metric is Metric.TOTAL else 1.0
    made = []
    for row, column in zip(rows[order].tolist(), columns[order].tolist(), strict=True):
        value = sheet.value(row, column)
        assert value is not None  # what is not known is no outlier
        made.append(
            {
                "rank": int(sheet.ranks[row]),
                "counter": sheet.title(column),
                "value": round(value / per, 6),
                "median": round(float(spread.median[column]) / per, 6),
                "z": round(float(spread.z[row, column]), 2),
            }
        )
    return made, max(len(rows) - OUTLIERS_SHOWN, 0)
