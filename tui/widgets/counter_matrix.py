"""The wait counters of all ranks: a row a rank, a column a counter. One widget, painted line by line.

A cell is the value of the metric, a sign where the rank waits in the counter now, and one where it is an outlier.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.message import Message
from textual.strip import Strip

from ...services.counters.sheet import ACTIVITY, RANK
from ...services.ranksets import RankSet
from .counter_layout import GAP, CounterLayout, cell_text
from .rank_matrix import NOTHING, RankMatrix
from .text import fit, plain, wrapped

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from ...services.counters.sheet import CounterSheet

__all__ = ["CounterMatrix"]


class CounterMatrix(RankMatrix):
    """The matrix widget. Its cursor is a rank and the place of a column among those shown."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *("counters--header", "counters--sorted", "counters--rank", "counters--culprit", "counters--mark"),
        *("counters--value", "counters--active", "counters--outlier", "counters--faint", "counters--missing"),
        *("counters--row", "counters--cursor"),
    }

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
        self._columns: NDArray[np.intp] = NOTHING
        self._follows = False
        """At first a rank without counters, which stands at the end, would hide who waits now."""
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
        same = sheet is self._sheet and rows is self._order and columns is self._columns
        if same and rest == (self._roles, self._sort, self._empty):
            self.show_cursor(*cursor)
            return
        height = None if same else self._height_of(cursor[0])
        if not (sheet is self._sheet and columns is self._columns):
            self._layout = CounterLayout(sheet, columns)
        self._sheet, self._order, self._columns, self._missing = sheet, rows, columns, missing
        self._roles, self._sort, self._empty = rest
        self._stand_on(*cursor)
        self._fit_virtual_size()
        self._keep_height(height)
        row = sheet.row_of(cursor[0])
        self._follows = self._follows or (row is not None and bool(sheet.there[row]))
        self._keep_cursor_visible()
        self.refresh()

    # painting -------------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        sheet, layout = self._sheet, self._layout
        line = self.scroll_offset.y + y - 1
        if sheet is None or layout is None or not len(self._order) or not len(self._columns):
            said = wrapped(plain(self._empty), y - 1, width)
            return Strip([Segment(said, self.get_component_rich_style("counters--missing"))], width)
        if y == 0:
            return self._header(layout, width)
        if line >= len(self._order):
            return Strip.blank(width, self.rich_style)
        return self._row(sheet, layout, line, width)

    def _header(self, layout: CounterLayout, width: int) -> Strip:
        base, chosen = (self.get_component_rich_style(f"counters--{name}") for name in ("header", "sorted"))
        by, turned = self._sort
        arrow = "▼" if (by != RANK) != turned else "▲"
        ranked = by == RANK
        said = f"  rank{arrow}" if ranked else "  rank"
        left = [Segment(fit(said, layout.left), chosen if ranked else base)]
        seen, cut = layout.visible(width, self.scroll_offset.x)
        cells = []
        for place in seen:
            here = self._columns[place] == by
            title = layout.titles[place]
            size = layout.widths[place]
            text = f"{fit(title, size - 1).rstrip()}{arrow}" if here else title
            cells += [Segment(fit(text, size), chosen if here else base), Segment(" " * GAP, base)]
        strip = self._window(layout, left, cells, cut, width, base)
        return self._with_more(layout, strip, width, chosen)

    def _row(self, sheet: CounterSheet, layout: CounterLayout, line: int, width: int) -> Strip:
        row = int(self._order[line])
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
        seen, cut = layout.visible(width, self.scroll_offset.x)
        cells = []
        for place in seen:
            text, name = cell_text(sheet, row, int(self._columns[place]), layout.widths[place])
            at_cursor = here and place == self._column
            cells += [Segment(text, style("counters--cursor") if at_cursor else on_row(name)), Segment(" " * GAP, base)]
        return self._window(layout, left, cells, cut, width, base)

    # moving ---------------------------------------------------------------------------------------------------

    @property
    def _places(self) -> CounterLayout | None:
        return self._layout

    def _row_of(self, rank: int | None) -> int | None:
        return self._sheet.row_of(rank) if self._sheet is not None else None

    def _rank_of(self, row: int) -> int:
        assert self._sheet is not None
        return int(self._sheet.ranks[row])

    def _tell_moved(self, rank: int) -> None:
        self.post_message(self.Moved(rank, self._column))

    def _tell_header(self, x: int, column: int | None) -> None:
        key = RANK if self._layout is not None and x < self._layout.left else column
        if key is not None:
            self.post_message(self.HeaderClicked(key))

    def _tell_opened(self) -> None:
        self.post_message(self.Activated())

    def _is_cursor(self, line: int, column: int | None) -> bool:
        return line == self._line and column in (None, self._column)
