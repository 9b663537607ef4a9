"""How far each rank is in each process group: a row a rank, a column for each set of groups. One widget, line by line.

A cell is the sequence number of the newest call, how many calls the rank is behind the newest of its group and, last, a
sign for the pace.
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

from ...services.progress import EMPTY, LAG, RANK
from ...services.ranksets import RankSet
from ..actions import Scope, bindings
from .matrix_layout import GAP, MatrixLayout, cell_text
from .text import fit

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from textual import events

    from ...services.progress import Progress

__all__ = ["ProgressMatrix"]


class ProgressMatrix(ScrollView, can_focus=True):
    """The matrix widget. Its cursor is a rank and a column."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *("matrix--header", "matrix--sorted", "matrix--rank", "matrix--culprit", "matrix--waiting", "matrix--mark"),
        *("matrix--lag", "matrix--row", "matrix--cursor", "matrix--behind", "matrix--unknown", "matrix--outside"),
        *("matrix--frozen", "matrix--crawling", "matrix--moving", "matrix--idle", "matrix--inside", "matrix--empty"),
    }
    BINDINGS = bindings(Scope.GRID)

    class Moved(Message):
        """The cursor moved to another rank or column."""

        def __init__(self, rank: int, column: int) -> None:
            super().__init__()
            self.rank = rank
            self.column = column

    class Activated(Message):
        """Enter, or a click on the cursor: to the calls of a rank in the group it has there."""

        def __init__(self, rank: int, group: int, source: str) -> None:
            """
            Args:
                group: index into `Job.groups`.
                source: the recorder that the group is of.
            """
            super().__init__()
            self.rank = rank
            self.group = group
            self.source = source

    class Refused(Message):
        """Enter where the rank is in no group."""

        def __init__(self, rank: int, title: str) -> None:
            super().__init__()
            self.rank = rank
            self.title = title

    class HeaderClicked(Message):
        """The title of a column was clicked: `LAG`, `RANK` or the number of the column."""

        def __init__(self, key: int) -> None:
            super().__init__()
            self.key = key

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._progress: Progress = EMPTY
        self._layout = MatrixLayout(EMPTY, 1)
        self._order: NDArray[np.intp] = np.empty(0, np.intp)
        self._place = -1
        """Place of the cursor in the order shown, -1 when its rank is not shown."""
        self._rank: int | None = None
        self._column = 0
        self._roles: tuple[RankSet, RankSet, RankSet] = (RankSet(), RankSet(), RankSet())
        self._sort = (LAG, False)

    # what it shows --------------------------------------------------------------------------------------------

    def show(
        self,
        progress: Progress,
        order: NDArray[np.intp],
        cursor: tuple[int | None, int],
        *,
        marked: RankSet,
        culprits: RankSet,
        waiting: RankSet,
        sort: tuple[int, bool] = (LAG, False),
    ) -> None:
        """Show rows of `progress`; nothing is painted when nothing changed.

        Args:
            order: the rows shown, in order.
            cursor: selected rank, and column.
            marked: ranks with a mark.
            culprits: ranks that findings accuse.
            waiting: ranks that are held up.
            sort: what it is sorted by, as in `Progress.order`, and whether the other way round.
        """
        roles = (marked, culprits, waiting)
        same_rows = progress is self._progress and order is self._order
        if same_rows and (roles, sort) == (self._roles, self._sort):
            self.show_cursor(*cursor)
            return
        line = self._place - self.scroll_offset.y
        was_visible = 0 <= line < self._page and cursor[0] == self._rank
        if progress is not self._progress:
            self._progress = progress
            self._arrange()
        self._order, self._roles, self._sort = order, roles, sort
        self._stand_on(*cursor)
        self._fit_virtual_size()
        if was_visible and self._place >= 0 and not same_rows:
            self.scroll_to(y=max(self._place - line, 0), animate=False, force=True, immediate=True)
        else:
            self._keep_cursor_visible()
        self.refresh()

    def show_cursor(self, rank: int | None, column: int) -> None:
        """Stand on another rank or column and scroll it into view; nothing happens when the cursor is there."""
        if (rank, column) == (self._rank, self._column):
            return
        self._stand_on(rank, column)
        self._keep_cursor_visible()
        self.refresh()

    def _stand_on(self, rank: int | None, column: int) -> None:
        self._rank = rank
        self._column = min(max(column, 0), max(len(self._progress.columns) - 1, 0))
        row = self._progress.row_of(rank)
        found = np.flatnonzero(self._order == (-1 if row is None else row))
        self._place = int(found[0]) if len(found) else -1

    @property
    def _page(self) -> int:
        """Rows that fit under the header."""
        return max(self.size.height - 1, 1)

    def _arrange(self) -> None:
        self._layout = MatrixLayout(self._progress, self.size.width)
        self._fit_virtual_size()

    def _fit_virtual_size(self) -> None:
        wanted = Size(self._layout.total, len(self._order) + 1)
        if wanted != self.virtual_size:
            self.virtual_size = wanted

    def on_resize(self) -> None:
        self._arrange()
        self._keep_cursor_visible()
        self.refresh()

    def _keep_cursor_visible(self) -> None:
        x, y = before = self.scroll_offset.x, self.scroll_offset.y
        if self._progress.columns:
            x = self._layout.scroll_to_show(self._column, self.scrollable_content_region.width, x)
        if self._place >= 0:
            y = min(max(y, self._place - self._page + 1), self._place)
        if (x, y) != before:
            self.scroll_to(x=x, y=y, animate=False, force=True, immediate=True)

    # painting -------------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        if not self._progress.columns:
            return Strip.blank(width, self.rich_style)
        place = self.scroll_offset.y + y - 1
        if y == 0:
            return self._header(width)
        if place >= len(self._order):
            said = "  no rank matches" if place == 1 and not len(self._order) else ""
            return Strip([Segment(fit(said, width), self.get_component_rich_style("matrix--empty"))], width)
        return self._row(place, width)

    def _window(self, left: list[Segment], cells: list[Segment], width: int, blank: Style) -> Strip:
        """The part of a line that is scrolled into view; what stands at the left stays."""
        strip = Strip(cells).adjust_cell_length(max(width - self._layout.left, 0), blank)
        return Strip([*left, *strip]).adjust_cell_length(width, blank)

    def _visible(self, width: int) -> tuple[int, int, int]:
        """First and last but one of the columns in view, and cells of the first that are scrolled out."""
        left = self.scroll_offset.x
        first = self._layout.column_at(left) or 0
        last = self._layout.column_at(left + max(width - self._layout.left, 1) - 1)
        return first, len(self._layout.columns) if last is None else last + 1, left - self._layout.start(first)

    def _header(self, width: int) -> Strip:
        base, chosen = (self.get_component_rich_style(f"matrix--{name}") for name in ("header", "sorted"))
        layout = self._layout
        arrow = "▼" if (self._sort[0] != RANK) != self._sort[1] else "▲"

        def titled(text: str, key: int, cells: int) -> Segment:
            here = key == self._sort[0]
            said = f"{text}{'' if key == RANK else ' '}{arrow}" if here else text
            return Segment(fit(said, cells), chosen if here else base)

        lag_cells = layout.left - (layout.rank_width + 4) - GAP
        left = [
            titled("  rank", RANK, 2 + layout.rank_width + 2),
            titled("lag", LAG, lag_cells),
            Segment(" " * GAP, base),
        ]
        first, end, cut = self._visible(width)
        cells = []
        for number in range(first, end):
            column = layout.columns[number]
            cells += [titled(column.title, number, column.width), Segment(" " * GAP, base)]
        strip = self._window(left, list(Strip(cells).crop(cut)), width, base)
        if layout.total - self.scroll_offset.x > width > 0:
            strip = Strip([*strip.crop(0, width - 1), Segment("›", chosen)], width)
        return strip

    def _row(self, place: int, width: int) -> Strip:
        progress, layout = self._progress, self._layout
        row = int(self._order[place])
        rank = int(progress.ranks[row])
        marked, culprits, waiting = self._roles
        here = place == self._place
        style = self.get_component_rich_style
        base = style("matrix--row") if here else self.rich_style

        def on_row(component: str) -> Style:
            painted = style(component)
            return painted + Style(bgcolor=base.bgcolor) if here else painted

        role = ("!", "culprit") if rank in culprits else ("w", "waiting") if rank in waiting else (" ", "rank")
        lag = int(progress.row_lag[row])
        said = "?" if lag < 0 else f"{lag:,}"
        bar = f" {layout.bar_of(lag)}" if layout.bar else ""
        left = [
            Segment("* " if rank in marked else "  ", on_row("matrix--mark")),
            Segment(f"{rank:>{layout.rank_width}} {role[0]} ", on_row(f"matrix--{role[1]}")),
            Segment(f"{said:>{layout.lag_width}}{bar}", on_row("matrix--lag" if lag > 0 else "matrix--outside")),
            Segment(" " * GAP, base),
        ]
        first, end, cut = self._visible(width)
        cells = []
        for number in range(first, end):
            text, name = cell_text(progress, int(progress.cells[row, number]), layout.columns[number])
            at_cursor = here and number == self._column
            cells += [
                Segment(text, style("matrix--cursor") if at_cursor else on_row(name)),
                Segment(" " * GAP, base),
            ]
        return self._window(left, list(Strip(cells).crop(cut)), width, base)

    # moving ---------------------------------------------------------------------------------------------------

    def do_up(self) -> None:
        self._go(self._place - 1)

    def do_down(self) -> None:
        self._go(self._place + 1)

    def do_left(self) -> None:
        self._go(self._place, self._column - 1)

    def do_right(self) -> None:
        self._go(self._place, self._column + 1)

    def do_page_up(self) -> None:
        self._go(self._place - self._page)

    def do_page_down(self) -> None:
        self._go(self._place + self._page)

    def do_first(self) -> None:
        self._go(0)

    def do_last(self) -> None:
        self._go(len(self._order) - 1)

    def cell_text(self) -> str:
        """What the cell under the cursor shows; empty without one."""
        if self._place < 0 or not len(self._progress.columns):
            return ""
        at = int(self._progress.cells[int(self._order[self._place]), self._column])
        return " ".join(cell_text(self._progress, at, self._layout.columns[self._column])[0].split())

    def do_enter(self) -> None:
        """To the calls of the rank in its group."""
        if self._place < 0 or self._rank is None:
            return
        cell = self._progress.cell(int(self._order[self._place]), self._column)
        if cell is None:
            self.post_message(self.Refused(self._rank, self._progress.columns[self._column].title))
        else:
            self.post_message(self.Activated(self._rank, cell.group.index, cell.source))

    def _go(self, place: int, column: int | None = None) -> None:
        if not len(self._order):
            return
        place = min(max(place, 0), len(self._order) - 1)
        column = self._column if column is None else min(max(column, 0), len(self._progress.columns) - 1)
        rank = int(self._progress.ranks[self._order[place]])
        if (rank, column) == (self._rank, self._column):
            return
        self.show_cursor(rank, column)
        self.post_message(self.Moved(rank, column))

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None or not self._progress.columns:
            return
        layout = self._layout
        aside = offset.x < layout.left
        column = None if aside else layout.column_at(offset.x - layout.left + self.scroll_offset.x)
        if offset.y == 0:
            key = RANK if offset.x < 3 + layout.rank_width else LAG if aside else column
            if key is not None:
                self.post_message(self.HeaderClicked(key))
            return
        place = self.scroll_offset.y + offset.y - 1
        if place >= len(self._order):
            return
        stood = place == self._place and column == self._column
        self._go(place, column)
        if event.chain == 2 or (stood and event.chain == 1):
            self.do_enter()
