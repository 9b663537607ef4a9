"""The calls of a lane that a cursor can be on, and which of several is the one to stop at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .timeline_window import Window

__all__ = ["Reach"]


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """Calls that the cursor can be on, one row each: those that a rank made, then those that it has not come to."""

    call: NDArray[np.int64]
    x: NDArray[np.float64]
    """Place on the axis; NaN = not on it."""
    urgent: NDArray[np.bool_]
    """Open, or not come to."""
    late: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.call)

    @classmethod
    def none(cls) -> Reach:
        nothing = np.empty(0, dtype=np.bool_)
        return cls(np.empty(0, dtype=np.int64), np.empty(0), nothing, nothing)

    def with_missing(self, places: NDArray[np.int64], first_call: int) -> Reach:
        return Reach(
            np.append(self.call, first_call + places),
            np.append(self.x, places),
            np.append(self.urgent, np.ones(len(places), dtype=np.bool_)),
            np.append(self.late, np.zeros(len(places), dtype=np.bool_)),
        )

    def columns(self, window: Window) -> NDArray[np.float64]:
        return np.floor((self.x - window.start) / window.per_cell)

    def nearest(self, x: float | None) -> NDArray[np.intp]:
        """Rows nearest to a place on the axis; all where there is none."""
        away = np.abs(self.x - x) if x is not None else self.x
        return np.arange(len(self)) if x is None or np.isnan(away).all() else np.flatnonzero(away == np.nanmin(away))

    def best(self, rows: NDArray[np.intp], *, newest: bool) -> int:
        """Of some rows the call that is open or missing, the first such one; else the late one; else one of them."""
        if self.urgent[rows].any():
            return int(self.call[rows[self.urgent[rows]][0]])
        if len(rows) < len(self) and self.late[rows].any():
            rows = rows[self.late[rows]]
        return int(self.call[rows[-1 if newest else 0]])
