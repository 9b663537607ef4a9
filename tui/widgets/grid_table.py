"""A table of any number of rows that formats only the rows on screen (Textual's line API).

A `TableSource` holds the cells, an array of row numbers says which rows are shown in which order; so sorting and
filtering never touch a cell.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from rich.segment import Segment
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from ..actions.registry import Scope, bindings
from ..moving.jump_labels import Spot
from ..ranks.classes import COMPONENTS
from ..tables.column_settings import tables
from .column_edges import ColumnEdges
from .table_layout import Cell, Line, Sorts, TableLayout, TableSource
from .text import plain, wrapped

if TYPE_CHECKING:
    from collections.abc import Container

    from numpy.typing import NDArray
    from textual import events

__all__ = ["GridTable"]

KEPT = 1_000
"""Rows whose cells are kept."""


class GridTable(ColumnEdges, can_focus=True):
    """The table widget. Its cursor is a row number of the source, so it stays on its row when the order changes."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "table--header",
        "table--sorted",
        "table--cursor",
        "table--mark",
        "table--muted",
        "table--empty",
        "table--warning",
        "table--match",
        "table--title",
        "table--missing",
        "table--mismatch",
        "table--open",
        "table--passed",
        *COMPONENTS,
    }
    BINDINGS = bindings(Scope.TABLE)

    class Selected(Message):
        """The cursor moved to another row."""

        def __init__(self, table: GridTable, row: int) -> None:
            super().__init__()
            self.table = table
            self.row = row

    class Activated(Message):
        """A row was double-clicked."""

        def __init__(self, table: GridTable, row: int) -> None:
            super().__init__()
            self.table = table
            self.row = row

    class HeaderClicked(Message):
        """The title of a column was clicked; with shift or ctrl, to sort by it as well."""

        def __init__(self, table: GridTable, key: str, *, also: bool = False) -> None:
            super().__init__()
            self.table = table
            self.key = key
            self.also = also

    class ColumnsAsked(Message):
        """A person wants to choose the columns."""

        def __init__(self, table: GridTable) -> None:
            super().__init__()
            self.table = table

    def __init__(self, *, id: str | None = None, table: str = "") -> None:
        """
        Args:
            table: its name, by which its columns are arranged; empty: they are as the source has them.
        """
        super().__init__(id=id)
        self.table_name = table
        self.layout_of_rows = TableLayout()
        self._arranged: tuple[str, int] = ("", -1)
        """Name of the table and state of the arrangements that the columns are laid out by."""
        self._source: TableSource | None = None
        self._order: NDArray[np.intp] = np.empty(0, np.intp)
        self._cursor = -1
        self._place = -1
        """Position of the cursor in the order shown, -1 when it is not shown."""
        self._marked: Container[int] = ()
        self._sorts: Sorts = ()
        self._empty = ""
        self._painted: dict[int, tuple[Line, Strip]] = {}
        """The line and strip last made for each line of the screen."""
        self._cells: dict[int, tuple[Cell, ...]] = {}
        """Cells that the source has said, by row."""

    # what it shows --------------------------------------------------------------------------------------------

    def show(
        self,
        source: TableSource,
        order: NDArray[np.intp],
        *,
        cursor: int | None,
        marked: Container[int] = (),
        sorts: Sorts = (),
        empty: str = "",
        table: str | None = None,
    ) -> None:
        """Show `order` (row numbers of `source`), repainting only lines that look different from before.

        A source and an order that are the very same objects as before are taken to say the same as before.

        Args:
            cursor: row to stand on; it keeps its line of the screen when the order changed around it.
            marked: rows with a mark.
            sorts: the columns sorted by.
            empty: what to say when there is no row.
            table: the name of what is shown, where a widget shows several tables in turn.
        """
        if table is not None:
            self.table_name = table
        line = self._place - self.scroll_offset.y
        moved = cursor is not None and cursor != self._cursor
        reordered = order is not self._order and not np.array_equal(order, self._order)
        everything = reordered or (sorts, empty) != (self._sorts, self._empty)
        resorted = [key for key, _ in sorts] != [key for key, _ in self._sorts]
        measured = source is self._source and not reordered
        arranged = (self.table_name, tables().revision)
        rearranged = arranged != self._arranged
        if source is not self._source or rearranged:
            self._cells.clear()
        self._arranged = arranged
        self._source, self._marked, self._sorts, self._empty = source, marked, sorts, empty
        if not measured or rearranged:
            everything |= self._measure(source, order)
        if reordered or moved:
            visible = self._place >= 0 and 0 <= line < self._page
            self._order = order
            self._stand_on(-1 if cursor is None else cursor)
            if reordered and not moved and visible and self._place >= 0:
                self._fit_virtual_size()
                self.scroll_to(y=max(self._place - line, 0), animate=False, force=True, immediate=True)
            elif moved:
                self._fit_virtual_size()
                self._keep_cursor_visible()
        self._fit_virtual_size()
        if resorted:
            self._show_sorted()
        self._refresh_changed(everything)

    def _measure(self, source: TableSource, order: NDArray[np.intp]) -> bool:
        name = self.table_name
        changed = self.layout_of_rows.measure(source, order, tables().placed(name, source.columns) if name else None)
        if changed:
            self._cells.clear()
        return changed

    def arrange_anew(self) -> None:
        """Show the columns as they are arranged now."""
        if self._source is not None:
            self._arranged = (self.table_name, tables().revision)
            self._measure(self._source, self._order)
            self._fit_virtual_size()
            self._refresh_changed(everything=True)

    def _show_sorted(self) -> None:
        """The column chosen last to sort by comes into view with its arrow."""
        view = (self.scrollable_content_region.width, self.scroll_offset.x)
        wanted = self.layout_of_rows.scroll_to_show(self._sorts[-1][0] if self._sorts else "", view)
        if wanted != view[1] and view[0]:
            self.scroll_to(x=wanted, animate=False, force=True, immediate=True)

    @property
    def cursor(self) -> int | None:
        """The row the cursor stands on, None when it is not among the rows shown."""
        return self._cursor if self._place >= 0 else None

    @property
    def source(self) -> TableSource | None:
        """Where the cells come from."""
        return self._source

    @property
    def _page(self) -> int:
        """Rows that fit under the header."""
        return max(self.size.height - 1, 1)

    def _stand_on(self, row: int) -> None:
        self._cursor = row
        found = np.flatnonzero(self._order == row)
        self._place = int(found[0]) if len(found) else -1

    def _fit_virtual_size(self) -> None:
        wanted = Size(self.layout_of_rows.total, len(self._order) + 1)
        if wanted != self.virtual_size:
            self.virtual_size = wanted

    # painting -------------------------------------------------------------------------------------------------

    def _refresh_changed(self, everything: bool) -> None:
        if everything:
            self._painted.clear()
            self.refresh()
            return
        for y in range(1, self.size.height):
            was = self._painted.get(y)
            if was is None or was[0] != self._line(y):  # what is not known is painted, never taken for current
                self.refresh(Region(0, y, self.size.width, 1))

    def _line(self, y: int) -> Line:
        place = self.scroll_offset.y + y - 1
        if self._source is None or place >= len(self._order):
            return Line()
        row = int(self._order[place])
        cells = self._cells.get(row)
        if cells is None:
            if len(self._cells) >= KEPT:
                self._cells.clear()
            cell = self._source.cell
            cells = self._cells[row] = tuple([cell(row, place) for place in self.layout_of_rows.places])
        return Line(cells, row == self._cursor, row in self._marked)

    def render_line(self, y: int) -> Strip:
        view = (self.scrollable_content_region.width, self.scroll_offset.x)
        if y == 0:
            header, is_sorted = (self.get_component_rich_style(f"table--{name}") for name in ("header", "sorted"))
            return self.layout_of_rows.header(view, self._sorts, header, is_sorted)
        line = self._line(y)
        was = self._painted.get(y)
        if was is not None and was[0] == line:
            return was[1]
        if not line.cells:
            said = wrapped("" if len(self._order) else plain(self._empty), y - 2, view[0])
            strip = Strip([Segment(said, self.get_component_rich_style("table--empty"))], view[0])
        else:
            base = self.get_component_rich_style("table--cursor") if line.cursor else self.rich_style
            mark = base if line.cursor else self.get_component_rich_style("table--mark")
            strip = self.layout_of_rows.row(line, view, base, mark, self.get_component_rich_style)
        self._painted[y] = (line, strip)
        return strip

    def watch_scroll_x(self, old_value: float, new_value: float) -> None:
        self._painted.clear()
        super().watch_scroll_x(old_value, new_value)

    def notify_style_update(self) -> None:
        self._painted.clear()
        super().notify_style_update()
        self.refresh()

    def on_resize(self) -> None:
        self._painted.clear()
        self.refresh()  # what is kept of the lines elsewhere would not be painted anew
        self._keep_cursor_visible()

    # moving ---------------------------------------------------------------------------------------------------

    def jump_spots(self) -> list[Spot]:
        """The rows that are seen."""
        top = self.scroll_offset.y
        rows = [int(row) for row in self._order[top : top + self._page]]
        return [Spot(0, line, partial(self._go_to_row, row)) for line, row in enumerate(rows, 1)]

    def _go_to_row(self, row: int) -> None:
        self._stand_on(row)
        if self._place >= 0:
            self._go(self._place)

    def do_columns(self) -> None:
        self.post_message(self.ColumnsAsked(self))

    def do_up(self) -> None:
        self._go(self._place - 1)

    def do_down(self) -> None:
        self._go(self._place + 1)

    def do_left(self) -> None:
        self.scroll_to(x=self.scroll_offset.x - 8, animate=False)

    def do_right(self) -> None:
        self.scroll_to(x=self.scroll_offset.x + 8, animate=False)

    def do_page_up(self) -> None:
        self._go(self._place - self._page)

    def do_page_down(self) -> None:
        self._go(self._place + self._page)

    def do_first(self) -> None:
        self._go(0)

    def do_last(self) -> None:
        self._go(len(self._order) - 1)

    def _go(self, place: int) -> None:
        if not len(self._order):
            return
        self._cursor = int(self._order[min(max(place, 0), len(self._order) - 1)])
        self._place = min(max(place, 0), len(self._order) - 1)
        self._keep_cursor_visible()
        self._refresh_changed(everything=False)
        self.post_message(self.Selected(self, self._cursor))

    def _keep_cursor_visible(self) -> None:
        if self._place < 0 or not self.size.height:  # not laid out yet: it is called again with its size
            return
        top = self.scroll_offset.y
        if self._place < top:
            top = self._place
        elif self._place >= top + self._page:
            top = self._place - self._page + 1
        if top != self.scroll_offset.y:
            self.scroll_to(y=top, animate=False, force=True, immediate=True)

    # the mouse ------------------------------------------------------------------------------------------------

    def fitting_width(self, key: str) -> int:
        if self._source is None:
            return self.layout_of_rows.width_of(key)
        top = self.scroll_offset.y
        seen = self._order[top : top + self._page].tolist()
        return self.layout_of_rows.fitting(self._source, self._order, key, seen)

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if self.edge_clicked(event) or offset is None:
            return
        if offset.y == 0:
            column = self.layout_of_rows.column_at(offset.x, self.scroll_offset.x)
            if column is not None:
                self.post_message(self.HeaderClicked(self, column.key, also=event.shift or event.ctrl))
            return
        place = self.scroll_offset.y + offset.y - 1
        if place < len(self._order):
            self._go(place)
            if event.chain == 2:
                self.post_message(self.Activated(self, self._cursor))
