"""The wait counters of all ranks: a row a rank, a column a counter. One widget, painted line by line.

A cell is the value of the metric, a sign where the rank waits in the counter now, and one where it is an outlier.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ...services.counters.sheet import ACTIVITY, RANK
from ...services.ranksets import RankSet
from ..actions import Scope, bindings
from .counter_layout import GAP, CounterLayout, cell_text
from .text import fit, plain, wrapped

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray
    from textual import events

    from ...services.counters.sheet import CounterSheet

__all__ = ["CounterMatrix"]

NOTHING = np.empty(0, np.intp)


class CounterMatrix(ScrollView, can_focus=True):
    """The matrix widget. Its cursor is a rank and the place of a column among those shown."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *("counters--header", "counters--sorted", "counters--rank", "counters--culprit", "counters--mark"),
        *("counters--value", "counters--active", "counters--outlier", "counters--faint", "counters--missing"),
        *("counters--row", "counters--cursor"),
    }
    BINDINGS = bindings(Scope.GRID)

    class Moved(Message):
        """The cursor moved to another rank or column."""

        def __init__(self, rank: int, place: int) -> None:
            super().__init__()
            self.rank = rank
            self.place = place

    class Activated(Message):
        """A click on the cursor."""

    class HeaderClicked(Message):
        """The title of a column was clicked: `RANK` or the place of the column."""

        def __init__(self, key: int) -> None:
            super().__init__()
            self.key = key

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._sheet: CounterSheet | None = None
        self._layout: CounterLayout | None = None
        self._rows: NDArray[np.intp] = NOTHING
        self._columns: NDArray[np.intp] = NOTHING
        self._line = -1
        """Place of the cursor's rank in the order shown, -1 when it is not shown."""
        self._rank: int | None = None
        self._place = 0
        self._follows = False
        """Whether it scrolls to the cursor: at first a rank without counters, which stands at the end, would hide who
        waits now."""
        self._roles: tuple[RankSet, RankSet] = (RankSet(), RankSet())
        self._missing: Mapping[int, str] = {}
        self._sort = (ACTIVITY, False)
        self._empty = ""

    # what it shows --------------------------------------------------------------------------------------------

    def show(
        self,
        sheet: CounterSheet,
        rows: NDArray[np.intp],
        columns: NDArray[np.intp],
        cursor: tuple[int | None, int],
        *,
        marked: RankSet,
        culprits: RankSet,
        missing: Mapping[int, str],
        sort: tuple[int, bool] = (ACTIVITY, False),
        empty: str = "",
    ) -> None:
        """Show a sheet; nothing is painted when nothing changed.

        Args:
            rows: rows of the sheet, in order.
            columns: columns of the sheet, in order.
            cursor: selected rank, and place of the column.
            marked: ranks with a mark.
            culprits: ranks that findings accuse.
            missing: why ranks have no counters, by rank.
            sort: what it is sorted by, as in `CounterSheet.rows`, and whether the other way round.
            empty: what to say when there is nothing.
        """
        rest = ((marked, culprits), sort, empty)
        same = sheet is self._sheet and rows is self._rows and columns is self._columns
        if same and rest == (self._roles, self._sort, self._empty):
            self.show_cursor(*cursor)
            return
        line = self._line - self.scroll_offset.y
        was_visible = 0 <= line < self._page and cursor[0] == self._rank
        if not (sheet is self._sheet and columns is self._columns):
            self._layout = CounterLayout(sheet, columns)
        self._sheet, self._rows, self._columns, self._missing = sheet, rows, columns, missing
        self._roles, self._sort, self._empty = rest
        self._stand_on(*cursor)
        self._fit_virtual_size()
        if was_visible and self._line >= 0 and not same:
            self.scroll_to(y=max(self._line - line, 0), animate=False, force=True, immediate=True)
        row = sheet.row_of(cursor[0])
        self._follows = self._follows or (row is not None and bool(sheet.there[row]))
        self._keep_cursor_visible()
        self.refresh()

    def show_cursor(self, rank: int | None, place: int) -> None:
        """Stand on another rank or column and scroll it into view; nothing happens when the cursor is there."""
        if (rank, place) == (self._rank, self._place):
            return
        self._stand_on(rank, place)
        self._follows = True
        self._keep_cursor_visible()
        self.refresh()

    def _stand_on(self, rank: int | None, place: int) -> None:
        self._rank = rank
        self._place = min(max(place, 0), max(len(self._columns) - 1, 0))
        row = self._sheet.row_of(rank) if self._sheet is not None else None
        found = np.flatnonzero(self._rows == (-1 if row is None else row))
        self._line = int(found[0]) if len(found) else -1

    @property
    def _page(self) -> int:
        """Rows that fit under the header."""
        return max(self.size.height - 1, 1)

    def _fit_virtual_size(self) -> None:
        wanted = Size(self._layout.total if self._layout is not None else 0, len(self._rows) + 1)
        if wanted != self.virtual_size:
            self.virtual_size = wanted

    def on_resize(self) -> None:
        self._keep_cursor_visible()
        self.refresh()

    def _keep_cursor_visible(self) -> None:
        if not self._follows:
            return
        x, y = before = self.scroll_offset.x, self.scroll_offset.y
        if self._layout is not None and len(self._columns):
            x = self._layout.scroll_to_show(self._place, self.scrollable_content_region.width, x)
        if self._line >= 0:
            y = min(max(y, self._line - self._page + 1), self._line)
        if (x, y) != before:
            self.scroll_to(x=x, y=y, animate=False, force=True, immediate=True)

    # painting -------------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        sheet, layout = self._sheet, self._layout
        line = self.scroll_offset.y + y - 1
        if sheet is None or layout is None or not len(self._rows) or not len(self._columns):
            return Strip(
                [Segment(wrapped(self._empty, y - 1, width), self.get_component_rich_style("counters--missing"))], width
            )
        if y == 0:
            return self._header(layout, width)
        if line >= len(self._rows):
            return Strip.blank(width, self.rich_style)
        return self._row(sheet, layout, line, width)

    def _visible(self, layout: CounterLayout, width: int) -> tuple[int, int, int]:
        """First and last but one of the columns in view, and cells of the first that are scrolled out."""
        scrolled = self.scroll_offset.x
        first = layout.place_at(scrolled) or 0
        last = layout.place_at(scrolled + max(width - layout.left, 1) - 1)
        return first, len(layout.widths) if last is None else last + 1, scrolled - layout.start(first)

    def _joined(
        self, layout: CounterLayout, left: list[Segment], cells: list[Segment], cut: int, width: int, blank: Style
    ) -> Strip:
        """A line of which the part in view is shown; what stands at the left stays."""
        room = max(width - layout.left, 0)
        return Strip([*left, *Strip(cells).crop(cut).adjust_cell_length(room, blank)]).adjust_cell_length(width, blank)

    def _header(self, layout: CounterLayout, width: int) -> Strip:
        base, chosen = (self.get_component_rich_style(f"counters--{name}") for name in ("header", "sorted"))
        by, turned = self._sort
        arrow = "▼" if (by != RANK) != turned else "▲"
        ranked = by == RANK
        said = f"  rank{arrow}" if ranked else "  rank"
        left = [Segment(fit(said, layout.left), chosen if ranked else base)]
        first, end, cut = self._visible(layout, width)
        cells = []
        for place in range(first, end):
            here = self._columns[place] == by
            title = layout.titles[place]
            size = layout.widths[place]
            text = f"{fit(title, size - 1).rstrip()}{arrow}" if here else title
            cells += [Segment(fit(text, size), chosen if here else base), Segment(" " * GAP, base)]
        strip = self._joined(layout, left, cells, cut, width, base)
        if layout.total - self.scroll_offset.x > width > 0:
            strip = Strip([*strip.crop(0, width - 1), Segment("›", chosen)], width)
        return strip

    def _row(self, sheet: CounterSheet, layout: CounterLayout, line: int, width: int) -> Strip:
        row = int(self._rows[line])
        rank = int(sheet.ranks[row])
        marked, culprits = self._roles
        here = line == self._line
        style = self.get_component_rich_style
        base = style("counters--row") if here else self.rich_style

        def on_row(component: str) -> Style:
            painted = style(component)
            return painted + Style(bgcolor=base.bgcolor) if here else painted

        role = ("!", "counters--culprit") if rank in culprits else (" ", "counters--rank")
        left = [
            Segment("* " if rank in marked else "  ", on_row("counters--mark")),
            Segment(f"{rank:>{layout.rank_width}} {role[0]} ", on_row(role[1])),
        ]
        if not sheet.there[row]:
            room = max(width - layout.left, 0)
            why = plain(self._missing.get(rank, "no answer yet"))
            return Strip(
                [*left, Segment(fit(why, room), style("counters--cursor") if here else on_row("counters--missing"))]
            ).adjust_cell_length(width, base)
        first, end, cut = self._visible(layout, width)
        cells = []
        for place in range(first, end):
            text, name = cell_text(sheet, row, int(self._columns[place]), layout.widths[place])
            at_cursor = here and place == self._place
            cells += [Segment(text, style("counters--cursor") if at_cursor else on_row(name)), Segment(" " * GAP, base)]
        return self._joined(layout, left, cells, cut, width, base)

    # moving ---------------------------------------------------------------------------------------------------

    def do_up(self) -> None:
        self._go(self._line - 1)

    def do_down(self) -> None:
        self._go(self._line + 1)

    def do_left(self) -> None:
        self._go(self._line, self._place - 1)

    def do_right(self) -> None:
        self._go(self._line, self._place + 1)

    def do_page_up(self) -> None:
        self._go(self._line - self._page)

    def do_page_down(self) -> None:
        self._go(self._line + self._page)

    def do_first(self) -> None:
        self._go(0)

    def do_last(self) -> None:
        self._go(len(self._rows) - 1)

    def _go(self, line: int, place: int | None = None) -> None:
        if self._sheet is None or not len(self._rows):
            return
        line = min(max(line, 0), len(self._rows) - 1)
        place = self._place if place is None else min(max(place, 0), max(len(self._columns) - 1, 0))
        rank = int(self._sheet.ranks[self._rows[line]])
        if (rank, place) == (self._rank, self._place):
            return
        self.show_cursor(rank, place)
        self.post_message(self.Moved(rank, place))

    def on_click(self, event: events.Click) -> None:
        offset, layout = event.get_content_offset(self), self._layout
        if offset is None or layout is None:
            return
        aside = offset.x < layout.left
        place = None if aside else layout.place_at(offset.x - layout.left + self.scroll_offset.x)
        if offset.y == 0:
            key = RANK if aside else place
            if key is not None:
                self.post_message(self.HeaderClicked(key))
            return
        line = self.scroll_offset.y + offset.y - 1
        if line >= len(self._rows):
            return
        stood = line == self._line and place in (None, self._place)
        self._go(line, place)
        if event.chain == 2 or (stood and event.chain == 1):
            self.post_message(self.Activated())
