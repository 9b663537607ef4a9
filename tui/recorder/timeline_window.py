"""The part of an axis that is on the screen: where it begins and what a cell stands for. Zoom, pan, fit."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

__all__ = ["Window"]

WIDEST_CALL = 4
"""Most cells that one call takes on the axis of calls."""
FINEST_NS = 1_000.0
ZOOM = 2.0


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of an axis from `low` to `high` in `columns` cells. Immutable: each change makes another one."""

    low: float
    high: float
    columns: int
    by_call: bool
    """The axis counts calls: a cell is a whole number of calls, or a call a whole number of cells."""
    start: float = 0.0
    per_cell: float = 1.0
    fitted: bool = True
    """Everything is shown, as long as nobody zooms or pans."""

    @classmethod
    def whole(cls, low: float, high: float, columns: int, *, by_call: bool) -> Window:
        """All of the axis."""
        return cls(low, max(high, low), max(columns, 1), by_call).fit()

    def fit(self) -> Window:
        return replace(self, start=self.low, per_cell=self._widest(), fitted=True)

    def resized(self, columns: int) -> Window:
        """The same stretch in another number of cells; all of it when all was shown."""
        changed = replace(self, columns=max(columns, 1))
        return changed.fit() if self.fitted else changed._within(changed.start)

    def zoomed(self, steps: int, about: float) -> Window:
        """Closer by `steps` (farther when negative); `about` stays at its place on the screen."""
        per_cell = self.per_cell
        for _ in range(abs(steps)):
            per_cell = self._stepped(per_cell, inward=steps > 0)
        if per_cell >= self._widest():
            return self.fit()
        share = (about - self.start) / self.per_cell if self.sees(about) else self.columns / 2
        anchor = about if self.sees(about) else self.start + self.per_cell * self.columns / 2
        return replace(self, per_cell=per_cell, fitted=False)._within(anchor - share * per_cell)

    def panned(self, cells: int) -> Window:
        if self.per_cell >= self._widest():
            return self
        return replace(self, fitted=False)._within(self.start + cells * self.per_cell)

    def showing(self, x: float) -> Window:
        """Moved so far that `x` is on the screen, some cells from the edge."""
        if self.sees(x):
            return self
        margin = min(self.columns // 8, 8) * self.per_cell
        if x < self.start:
            return replace(self, fitted=False)._within(x - margin)
        start = x + margin + self.per_cell - self.per_cell * self.columns
        return replace(self, fitted=False)._within(math.ceil(start) if self.by_call else start)

    def placed(self, x: float, column: int) -> Window:
        """Moved so that `x` is in a column, as far as the axis goes."""
        return replace(self, fitted=False)._within(x - column * self.per_cell)

    def sees(self, x: float) -> bool:
        return self.start <= x < self.start + self.per_cell * self.columns

    def column(self, x: float) -> int:
        """The cell in which `x` lies; outside of 0 to `columns` - 1 when it is not on the screen."""
        return math.floor((x - self.start) / self.per_cell)

    @property
    def cells_per_call(self) -> int:
        """On the axis of calls: cells that a call takes, 1 too where a cell is several calls."""
        return max(round(1 / self.per_cell), 1)

    def _widest(self) -> float:
        span = self.high - self.low
        if not self.by_call:
            return max(span / self.columns, FINEST_NS)
        if span <= self.columns:
            return 1 / min(max(int(self.columns // max(span, 1)), 1), WIDEST_CALL)
        return float(math.ceil(span / self.columns))

    def _stepped(self, per_cell: float, *, inward: bool) -> float:
        if not self.by_call:
            return max(per_cell / ZOOM, FINEST_NS) if inward else per_cell * ZOOM
        if inward:
            return float(max(int(per_cell // 2), 1)) if per_cell > 1 else max(per_cell / 2, 1 / WIDEST_CALL)
        return per_cell * 2 if per_cell >= 1 else 1 / max(round(1 / per_cell) // 2, 1)

    def _within(self, start: float) -> Window:
        latest = self.high - self.per_cell * self.columns
        if self.by_call:
            start, latest = math.floor(start), min(math.ceil(latest), self.high - 1)
        return replace(self, start=float(max(min(start, latest), self.low)))
