"""The rows of one tab as they are to be shown, and the work that finds and orders them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ...services.recorder_tables.order import ordered
from .lookup import mask_of, row_of, spot_of, table_of
from .rows import RecorderRows
from .spots import Tab

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ...services.recorder_tables.browser import RecorderTables
    from ...services.recorder_tables.order import Sort
    from ...services.recorder_tables.row_filter import RowFilter
    from .spots import Spot

__all__ = ["LONG", "RowOrder", "Shown"]

LONG = 30_000
"""Entries of a job from which rows are found and ordered beside the screen."""


@dataclass(frozen=True, slots=True, eq=False)
class RowOrder:
    """Which rows are wanted, and in which order."""

    tables: RecorderTables = field(repr=False)
    tab: Tab
    filter: RowFilter
    sorts: tuple[Sort, ...]
    narrowed: Spot | None
    short: bool = False
    """Short titles."""

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, RowOrder)
            and other.tables is self.tables
            and (other.tab, other.filter, other.sorts, other.narrowed, other.short)
            == (self.tab, self.filter, self.sorts, self.narrowed, self.short)
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def is_long(self) -> bool:
        """Whether it may take longer than a screen may wait."""
        small = self.tab in (Tab.FINDINGS, Tab.GROUPS)
        return not small and len(self.tables.diagnosis.analysis.job.columns) >= LONG

    @property
    def is_history(self) -> bool:
        """Whether it is what one rank has called: as long as nobody sorts it, the newest call stands last."""
        return self.tab is Tab.CALLS and self.narrowed is not None and self.narrowed.seq is None

    def carry_out(self, before: Shown | None = None) -> Shown:
        """The rows. Slow on a big job.

        Args:
            before: what is shown now; of the same table, its cells are gone on with.
        """
        table = table_of(self.tables, self.tab)
        mask: NDArray[np.bool_] | None = mask_of(self.tables, self.tab, self.narrowed) if self.narrowed else None
        if self.filter:
            matching = table.mask(self.filter)
            mask = matching if mask is None else matching & mask
        same = before is not None and before.rows.table is table and before.rows.short == self.short
        rows = before.rows if before is not None and same else RecorderRows(table, short=self.short)
        known = {field.key for field in table.fields}
        order = ordered(table, [sort for sort in self.sorts if sort.field in known], mask)
        if self.is_history and not self.sorts:
            order = order[np.argsort(self.tables.lines.created[order], kind="stable")]
        return Shown(self, rows, order)


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """Rows in order."""

    made_by: RowOrder
    rows: RecorderRows
    order: NDArray[np.intp]

    @property
    def total(self) -> int:
        """Rows of the whole table."""
        return len(self.rows.table)

    def first_row(self) -> int:
        """Where the cursor begins: on the newest call of one rank, else on the first row. There is at least one."""
        if not self.made_by.is_history:
            return int(self.order[0])
        created = self.made_by.tables.lines.created[self.order]
        return int(self.order[len(created) - 1 - int(created[::-1].argmax())])

    def spot_of(self, row: int) -> Spot:
        return spot_of(self.made_by.tables, self.made_by.tab, row)

    def row_of(self, spot: Spot) -> int | None:
        """The row of a spot, None when it is not among those shown."""
        row = row_of(self.made_by.tables, self.made_by.tab, spot)
        return row if row is not None and bool(np.any(self.order == row)) else None
