"""Ranks that are unlike the others in a counter: the modified z-score over the ranks.

Of the values x of one counter over the ranks: z = 0.6745 * (x - median) / MAD, where MAD is the median of the distances
from the median and 0.6745 makes it comparable to a standard deviation (B. Iglewicz and D. Hoaglin, "How to Detect and
Handle Outliers", 1993). Both medians are blind to what up to half of the ranks do. A MAD below a floor is replaced by
the floor, since where most ranks are equal it is 0 and every difference would stand out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .decode import ABSENT
from .metrics import Unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .metrics import Metric

__all__ = ["LEAST_RANKS", "THRESHOLD", "Spread", "spread_of"]

THRESHOLD = 3.5
"""From this z on, either way, a rank is an outlier."""
LEAST_RANKS = 4
"""Ranks that must have a counter for any of them to be an outlier."""
SHARE_FLOOR = 0.05
"""Part of the median that counts as no difference."""
FLOORS = {Unit.COUNT: 0.15, Unit.MICROSECONDS: 1_000.0, Unit.SHARE: 0.01, Unit.RATE: 0.1}
"""What counts as no difference where the median is small: in the unit of the metric."""
SCALE = 0.6745


class Spread:
    """Median, MAD and z-scores of one metric. Arrays are over the counters, `z` is (ranks, counters)."""

    def __init__(self, median: NDArray[np.float64], mad: NDArray[np.float64], z: NDArray[np.float64]) -> None:
        """
        Args:
            median: over the ranks, NaN where no rank has the counter.
            mad: median of the distances from it, before the floor.
            z: modified z-scores, 0 where they are not known.
        """
        self.median = median
        self.mad = mad
        self.z = z
        self.outlying: NDArray[np.bool_] = np.abs(z) >= THRESHOLD
        """Shape (ranks, counters)."""


def spread_of(metric: Metric, values: NDArray[np.int64] | NDArray[np.float64]) -> Spread:
    """How the ranks differ in each counter.

    Args:
        values: of the metric, as `measured` gives them.
    """
    ranks, counters = values.shape
    median, mad = np.full(counters, np.nan), np.full(counters, np.nan)
    z = np.zeros((ranks, counters))
    whole = values.dtype.kind == "i"
    for number in range(counters):
        column = values[:, number]
        known = column != ABSENT if whole else ~np.isnan(column)
        there = column[known].astype(np.float64)
        if not len(there):
            continue
        middle = median[number] = np.median(there)
        away = there - middle
        mad[number] = np.median(np.abs(away))
        if len(there) < LEAST_RANKS:
            continue
        floor = max(FLOORS[metric.unit], SHARE_FLOOR * abs(middle))
        z[known, number] = SCALE * away / max(float(mad[number]), floor)
    return Spread(median, mad, z)
