"""Where things stand in the matrix of wait counters, and how a cell is written. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...services.counters.metrics import Metric
from ..counters.words import VALUE, short
from .column_places import ColumnPlaces
from .text import cell_len, fit, plain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ...services.counters.sheet import CounterSheet

__all__ = ["GAP", "LEGEND", "CounterLayout", "cell_text"]

GAP = 1
"""Blank terminal cells between columns."""
TITLE = 20
"""Terminal cells of the longest title."""
SIGNS = 3
"""Terminal cells behind a value: a blank, whether the rank waits now, whether it is an outlier."""
ACTIVE, HIGH, LOW = ">", "!", "v"
LEGEND = ((ACTIVE, "waits now"), (HIGH, "far above the others"), (LOW, "far below"))


class CounterLayout(ColumnPlaces):
    """Widths for one `CounterSheet` and the columns of it that are shown. Before them stand mark, rank and role."""

    def __init__(self, sheet: CounterSheet, columns: NDArray[np.intp]) -> None:
        self.titles = [plain(sheet.title(int(column)), TITLE * 4) for column in columns]
        value = 3 if sheet.metric is Metric.ACTIVE else VALUE
        self.widths = [max(min(cell_len(title) + 1, TITLE), value + SIGNS) for title in self.titles]
        self.rank_width = max(len(str(int(sheet.ranks[-1]))) if len(sheet.ranks) else 1, 4)
        super().__init__(self.widths, gap=GAP, left=2 + self.rank_width + 3)


def cell_text(sheet: CounterSheet, row: int, column: int, width: int) -> tuple[str, str]:
    """A cell in the width of its column, and the component class that it is painted with."""
    value = sheet.value(row, column)
    active = bool(sheet.active[row, column])
    if value is None:
        return f"{'?':>{width - SIGNS}} {ACTIVE if active else ' '} " if active else " " * width, "counters--faint"
    said = "." if value == 0 else short(value, sheet.metric.unit)
    z = float(sheet.spread.z[row, column]) if sheet.spread.outlying[row, column] else 0.0
    sign = HIGH if z > 0 else LOW if z < 0 else " "
    text = f"{fit(said, width - SIGNS, 'right')} {ACTIVE if active else ' '}{sign}"
    if active:
        return text, "counters--active"
    return text, "counters--outlier" if z else "counters--faint" if value == 0 else "counters--value"
