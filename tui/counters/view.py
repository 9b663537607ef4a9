"""How the wait counters are shown: the metric, filter and order, and the counter of the cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...services.counters.metrics import Metric
from ...services.counters.sheet import ACTIVITY, RANK, CounterSheet
from ...services.filters.terms import as_far_as_good
from ..tables.matrix_sort import MatrixSort
from .filter import CounterFilter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ...services.session import Session

__all__ = ["CountersView", "SortKey"]

SortKey = int | str
"""`ACTIVITY`, `RANK` or the name of a counter."""
_METRICS = tuple(Metric)


class CountersView:
    """The choice over the wait counters of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.metric = Metric.ACTIVE
        self.text = ""
        """The filter as typed."""
        self.filter = CounterFilter("", ())
        self.error = ""
        """What is wrong with the text typed last; the rest of it holds."""
        self._sort = MatrixSort("counters", {ACTIVITY: "activity", RANK: "rank"})
        self.column_name: str | None = None
        """The counter a person has gone to."""
        self._sheet: CounterSheet | None = None
        self._sheet_for: tuple[object, ...] = ()
        self._columns: NDArray[np.intp] = np.empty(0, np.intp)
        self._rows: NDArray[np.intp] = np.empty(0, np.intp)
        self._shown_for: object = None

    # what is shown --------------------------------------------------------------------------------------------

    @property
    def sheet(self) -> CounterSheet:
        """The matrix of the metric. The same object as long as nothing changed."""
        session = self._session
        made_for = (session.counters, self.metric, session.ranks)
        if self._sheet is None or not _same(made_for, self._sheet_for):
            self._sheet = CounterSheet(session.counters, self.metric, session.all_ranks)
            self._sheet_for = made_for
        return self._sheet

    @property
    def columns(self) -> NDArray[np.intp]:
        """The counters shown, in order. The same array as long as nothing changed."""
        self._arrange()
        return self._columns

    @property
    def rows(self) -> NDArray[np.intp]:
        """The rows of the sheet shown, in order. The same array as long as nothing changed."""
        self._arrange()
        return self._rows

    def _arrange(self) -> None:
        sheet = self.sheet
        session = self._session
        asked = (session.marked if self.filter else None, session.revision if self.filter.asks_ranks else None)
        made_for = (sheet, self.filter, asked, self.sorted_by, self.descending)
        if made_for == self._shown_for:
            return
        rows, columns = self.filter.chosen(sheet, session.marked, session.ranks)
        self._columns = sheet.columns(columns)
        self._rows = sheet.rows(rows, self._columns, self.sorted_by, descending=self.descending)
        self._shown_for = made_for

    @property
    def sorted_by(self) -> int:
        """What the sheet is to sort by; activity where there is no such counter as the one sorted by."""
        key = self._sort.key
        if isinstance(key, int):
            return key
        column = self.sheet.look.table.column_of(key)
        return ACTIVITY if column is None else column

    @property
    def descending(self) -> bool:
        """Whether it is the other way round; the order that stands in for another is not."""
        return self._sort.descending and self.sort_key == self._sort.key

    @property
    def sort_key(self) -> SortKey:
        """The same as `sorted_by`, a counter by its name."""
        by = self.sorted_by
        return by if by < 0 else self.sheet.names[by]

    @property
    def place(self) -> int:
        """Where the cursor's counter stands among the columns shown; the first when it is not shown."""
        column = self.sheet.look.table.column_of(self.column_name) if self.column_name is not None else None
        found = np.flatnonzero(self.columns == (-1 if column is None else column))
        return int(found[0]) if len(found) else 0

    @property
    def column(self) -> int | None:
        """The counter of the cursor, None when none is shown."""
        columns = self.columns
        return int(columns[self.place]) if len(columns) else None

    # what a person changes ------------------------------------------------------------------------------------

    def go_to(self, place: int) -> None:
        """The cursor goes to one of the columns shown."""
        if 0 <= place < len(self.columns):
            self.column_name = self.sheet.names[int(self.columns[place])]

    def next_metric(self, step: int) -> None:
        """The next metric, or the one before; the cursor stays on its counter."""
        self.go_to(self.place)
        self.metric = _METRICS[(_METRICS.index(self.metric) + step) % len(_METRICS)]

    def set_filter(self, text: str) -> None:
        """Take what was typed. A term that is wrong is told and left out."""
        self.text = text.strip()
        self.filter, self.error = as_far_as_good(text, CounterFilter.parse)

    def sort_by(self, key: SortKey) -> None:
        """Sort by activity, rank or a counter; the same again turns the order round."""
        self._sort.take(key, descending=not self.descending if key == self.sort_key else False)

    def sort_next(self) -> None:
        """From activity to rank, to the counter of the cursor, to activity."""
        column = self.column
        at_cursor: SortKey = ACTIVITY if column is None else self.sheet.names[column]
        after: dict[SortKey, SortKey] = {ACTIVITY: RANK, RANK: at_cursor}
        self._sort.take(after.get(self.sort_key, ACTIVITY))

    def next_cell(self, step: int) -> tuple[int, int] | None:
        """The next cell, row by row and going round, in which a rank waits now or is an outlier: rank and place of its
        column. None when there is none."""
        sheet, rows, columns = self.sheet, self.rows, self.columns
        if not len(rows) or not len(columns):
            return None
        grid = np.ix_(rows, columns)
        wanted = np.flatnonzero(sheet.active[grid] | sheet.spread.outlying[grid])
        if not len(wanted):
            return None
        here = np.flatnonzero(sheet.ranks[rows] == (-1 if self._session.selected is None else self._session.selected))
        at = int(here[0]) * len(columns) + self.place if len(here) else -1 if step > 0 else 0
        after = wanted[wanted > at] if step > 0 else wanted[wanted < at]
        found = int((after[0] if step > 0 else after[-1]) if len(after) else wanted[0 if step > 0 else -1])
        return int(sheet.ranks[rows[found // len(columns)]]), found % len(columns)


def _same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    """Whether the very same objects are meant: the rank table gets another one when other ranks are known."""
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))
