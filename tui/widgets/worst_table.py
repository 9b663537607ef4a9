"""The elements of an output with the largest errors, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .grid_table import GridTable
from .table_layout import Column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...services.comparison.compare import Comparison, Number
    from .table_layout import Cell

__all__ = ["WorstTable"]

NO_ROW = np.empty(0, np.intp)


class WorstRows:
    """The worst elements of one comparison as rows."""

    def __init__(self, found: Comparison | None) -> None:
        self.worst = found.worst if found is not None else ()
        unit = found.error_name if found is not None else "error"
        self.columns: Sequence[Column] = (
            Column("place", "#", "right", max_width=4),
            Column("index", "index", max_width=32),
            Column("actual", "actual", "right", max_width=26),
            Column("expected", "expected", "right", max_width=26),
            Column("absolute", "absolute", "right", max_width=12),
            Column("relative", "relative", "right", max_width=12),
            *(() if unit in ("absolute error", "relative error") else (Column("error", unit, "right", max_width=24),)),
            Column("end", "", max_width=1),
        )

    def cell(self, row: int, column: int) -> Cell:
        each = self.worst[row]
        match self.columns[column].key:
            case "place":
                return str(row + 1), "table--muted"
            case "index":
                return str(list(each.index)), "table--title"
            case "actual":
                return _number(each.actual), ""
            case "expected":
                return _number(each.expected), ""
            case "absolute":
                return _error(each.absolute)
            case "relative":
                return _error(each.relative)
            case "error":
                return _error(each.error)
        return "", ""


class WorstTable(GridTable):
    """Largest errors first."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, table="worst")
        self._found: Comparison | None = None
        self._rows = WorstRows(None)

    def show_worst(self, found: Comparison | None, why: str = "") -> None:
        """
        Args:
            found: None: nothing was compared.
            why: why there are no rows, one line.
        """
        if found is not self._found or found is None:
            self._found, self._rows = found, WorstRows(found)
            order = np.arange(len(self._rows.worst), dtype=np.intp)
            self.show(self._rows, order if len(order) else NO_ROW, cursor=0 if len(order) else None, empty=why)

    @property
    def index(self) -> tuple[int, ...] | None:
        """The element under the cursor."""
        row = self.cursor
        return self._rows.worst[row].index if row is not None and row < len(self._rows.worst) else None


def _number(value: Number) -> str:
    return str(value) if isinstance(value, bool | int) else f"{value:.9g}"


def _error(value: float) -> Cell:
    return ("mismatch", "table--missing") if value == float("inf") else (f"{value:.4g}", "")
