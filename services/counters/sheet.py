"""One metric of the wait counters over all ranks, ready to be shown: values, outliers, what goes first. Pure.

Rows are all ranks that are known, those without counters too; columns are the counters.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from .decode import ABSENT
from .metrics import Metric, measured
from .outliers import spread_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..ranksets import RankSet
    from .look import CounterLook
    from .outliers import Spread

__all__ = ["ACTIVITY", "RANK", "CounterSheet"]

ACTIVITY = -1
"""Order of the rows: ranks that wait now first, then those that are outliers."""
RANK = -2
"""Order of the rows: by rank."""


class CounterSheet:
    """The matrix ranks x counters of one metric at one look."""

    def __init__(self, look: CounterLook, metric: Metric, ranks: RankSet) -> None:
        """
        Args:
            ranks: all ranks that are known; those of the look that are not among them are left out.
        """
        self.look = look
        self.metric = metric
        table = look.table
        self.names = table.names
        known = [rank for rank in table.ranks.tolist() if rank in ranks]
        others = ranks - look.ranks
        self.ranks: NDArray[np.int64] = np.array(sorted([*known, *others]), np.int64)
        """Rank of each row, ascending."""
        place = {rank: row for row, rank in enumerate(table.ranks.tolist())}
        source = np.array([place.get(rank, -1) for rank in self.ranks.tolist()], np.intp)
        self.there: NDArray[np.bool_] = source >= 0
        """Rows of ranks that gave counters."""
        size = (len(self.ranks), len(self.names))
        found = measured(metric, table, look.before, look.restarted_rows)
        self.values: NDArray[np.int64] | NDArray[np.float64] = (
            np.full(size, ABSENT, np.int64) if found.dtype.kind == "i" else np.full(size, np.nan)
        )
        """Shape (rows, counters); `ABSENT` or NaN where not known."""
        self.values[self.there] = found[source[self.there]]
        self.active: NDArray[np.bool_] = np.zeros(size, np.bool_)
        """Where a rank waits now."""
        self.active[self.there] = table.active[source[self.there]] > 0
        self._total: NDArray[np.float64] = np.sum(
            np.maximum(table.values[1].astype(np.float64), 0.0), axis=0, initial=0.0
        )

    @cached_property
    def spread(self) -> Spread:
        """Median and outliers of each counter."""
        return spread_of(self.metric, self.values)

    @property
    def known(self) -> NDArray[np.bool_]:
        """Where there is a value."""
        made: NDArray[np.bool_] = self.values != ABSENT if self.values.dtype.kind == "i" else ~np.isnan(self.values)
        return made

    def row_of(self, rank: int | None) -> int | None:
        """The row of a rank, None when it is not known."""
        if rank is None:
            return None
        row = int(np.searchsorted(self.ranks, rank))
        return row if row < len(self.ranks) and self.ranks[row] == rank else None

    def title(self, column: int) -> str:
        """What to call a counter; not made plain."""
        return self.look.table.title(column)

    def value(self, row: int, column: int) -> int | float | None:
        """A cell, exact where it is a whole number; None where it is not known."""
        value = self.values[row, column]
        if self.values.dtype.kind == "i":
            return None if value == ABSENT else int(value)
        return None if np.isnan(value) else float(value)

    def columns(self, chosen: NDArray[np.bool_]) -> NDArray[np.intp]:
        """The counters chosen: those in which most ranks wait now, then those with most outliers, then the costliest.

        Args:
            chosen: a truth value for each counter.
        """
        active = np.count_nonzero(self.active, axis=0)
        outlying = np.count_nonzero(self.spread.outlying, axis=0)
        order = np.lexsort((np.arange(len(self.names)), -self._total, -outlying, -active))
        return order[chosen[order]].astype(np.intp)

    def rows(
        self, chosen: NDArray[np.bool_], columns: NDArray[np.intp], by: int, *, descending: bool = False
    ) -> NDArray[np.intp]:
        """The rows chosen, in order; ranks without counters last.

        Args:
            chosen: a truth value for each row.
            columns: the counters that are shown: these tell who is active and an outlier.
            by: `ACTIVITY`, `RANK` or a column; the greatest value first, ranks ascending.
            descending: the other way round.
        """
        there = self.there
        if by == RANK:
            order = np.lexsort((self.ranks, ~there))
        elif by == ACTIVITY:
            active = np.count_nonzero(self.active[:, columns], axis=1)
            outlying = np.count_nonzero(self.spread.outlying[:, columns], axis=1)
            farthest = np.max(np.abs(self.spread.z[:, columns]), axis=1, initial=0.0)
            order = np.lexsort((self.ranks, -farthest * (outlying > 0), -outlying, -active, ~there))
        else:
            # Ranks of whole numbers, not the numbers: those beyond 2**53 stay apart, and none overflows when turned.
            found, place = np.unique(self.values[:, by], return_inverse=True)
            unknown = ~self.known[:, by]
            order = np.lexsort((self.ranks, len(found) - place, unknown, ~there))
        if descending:
            count = int(np.count_nonzero(there))
            order = np.concatenate([order[:count][::-1], order[count:]])
        return order[chosen[order]].astype(np.intp)
