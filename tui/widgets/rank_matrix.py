"""The base of matrices with a row a rank: their cursor, how they scroll, and which part of a line is seen."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from rich.segment import Segment
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ..actions.registry import Scope, bindings
from ..moving.jump_labels import Spot

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rich.style import Style
    from textual import events

    from .column_places import ColumnPlaces

__all__ = ["RankMatrix"]

NOTHING = np.empty(0, np.intp)


class RankMatrix(ScrollView, can_focus=True):
    """The base of such widgets. The cursor is a rank and a column; the rank may be one that is not shown."""

    BINDINGS = bindings(Scope.GRID)

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._order: NDArray[np.intp] = NOTHING
        """The rows shown, in order."""
        self._line = -1
        """Place of the cursor's rank in the order shown, -1 when it is not shown."""
        self._rank: int | None = None
        self._column = 0
        self._follows = True
        """Whether it scrolls to the cursor."""

    # what a matrix has to say -----------------------------------------------------------------------------------

    @property
    @abstractmethod
    def _places(self) -> ColumnPlaces | None:
        """Where the columns are; None before anything is shown."""

    @abstractmethod
    def _row_of(self, rank: int | None) -> int | None:
        """The row of a rank, None when it has none."""

    @abstractmethod
    def _rank_of(self, row: int) -> int:
        """The rank of a row."""

    @abstractmethod
    def _tell_moved(self, rank: int) -> None:
        """The person moved the cursor to a rank, or to `_column`."""

    @abstractmethod
    def _tell_header(self, x: int, column: int | None) -> None:
        """The header was clicked: `x` cells from the left, at a column or aside of them."""

    @abstractmethod
    def _tell_opened(self) -> None:
        """The cursor was clicked."""

    # cursor and scrolling ---------------------------------------------------------------------------------------

    def show_cursor(self, rank: int | None, column: int) -> None:
        """Stand on another rank or column and scroll it into view; nothing happens when the cursor is there."""
        if (rank, column) == (self._rank, self._column):
            return
        self._stand_on(rank, column)
        self._follows = True
        self._keep_cursor_visible()
        self.refresh()

    def _stand_on(self, rank: int | None, column: int) -> None:
        self._rank = rank
        self._column = min(max(column, 0), max(self._columns_shown - 1, 0))
        row = self._row_of(rank)
        found = np.flatnonzero(self._order == (-1 if row is None else row))
        self._line = int(found[0]) if len(found) else -1

    @property
    def _columns_shown(self) -> int:
        return len(self._places) if self._places is not None else 0

    @property
    def _page(self) -> int:
        """Rows that fit under the header."""
        return max(self.size.height - 1, 1)

    def _height_of(self, rank: int | None) -> int | None:
        """Lines between the header and the cursor, when it is seen and on this rank."""
        line = self._line - self.scroll_offset.y
        return line if 0 <= line < self._page and rank == self._rank else None

    def _keep_height(self, height: int | None) -> None:
        """Scroll so that the cursor stays as high as it was, `_height_of`."""
        if height is not None and self._line >= 0:
            self.scroll_to(y=max(self._line - height, 0), animate=False, force=True, immediate=True)

    def _fit_virtual_size(self) -> None:
        wanted = Size(self._places.total if self._places is not None else 0, len(self._order) + 1)
        if wanted != self.virtual_size:
            self.virtual_size = wanted

    def on_resize(self) -> None:
        self._keep_cursor_visible()
        self.refresh()

    def _keep_cursor_visible(self) -> None:
        if not self._follows:
            return
        x, y = before = self.scroll_offset.x, self.scroll_offset.y
        if self._places is not None and len(self._places):
            x = self._places.scroll_to_show(self._column, self.scrollable_content_region.width, x)
        if self._line >= 0:
            y = min(max(y, self._line - self._page + 1), self._line)
        if (x, y) != before:
            self.scroll_to(x=x, y=y, animate=False, force=True, immediate=True)

    # painting ---------------------------------------------------------------------------------------------------

    def _window(
        self, places: ColumnPlaces, left: list[Segment], cells: list[Segment], cut: int, width: int, blank: Style
    ) -> Strip:
        """The part of a line that is scrolled into view; what stands at the left stays.

        Args:
            cells: the columns in view.
            cut: cells of the first that are scrolled out.
        """
        strip = Strip(cells).crop(cut).adjust_cell_length(max(width - places.left, 0), blank)
        return Strip([*left, *strip]).adjust_cell_length(width, blank)

    def _with_more(self, places: ColumnPlaces, strip: Strip, width: int, style: Style) -> Strip:
        """A header that says when columns are hidden at the left, and when there is more at the right."""
        if self.scroll_offset.x > 0 and places.left < width:
            sign = Segment("‹", style)
            strip = Strip([*strip.crop(0, places.left - 1), sign, *strip.crop(places.left, width)], width)
        if places.total - self.scroll_offset.x > width > 0:
            return Strip([*strip.crop(0, width - 1), Segment("›", style)], width)
        return strip

    # moving -----------------------------------------------------------------------------------------------------

    def jump_spots(self) -> list[Spot]:
        """The ranks that are seen."""
        ranks = map(self._rank_of, self._order[self.scroll_offset.y : self.scroll_offset.y + self._page])
        return [Spot(0, line, partial(self._go_to_rank, rank)) for line, rank in enumerate(ranks, 1)]

    def _go_to_rank(self, rank: int) -> None:
        self.show_cursor(rank, self._column)
        self._tell_moved(rank)

    def do_up(self) -> None:
        self._go(self._line - 1)

    def do_down(self) -> None:
        self._go(self._line + 1)

    def do_left(self) -> None:
        self._go(self._line, self._column - 1)

    def do_right(self) -> None:
        self._go(self._line, self._column + 1)

    def do_page_up(self) -> None:
        self._go(self._line - self._page)

    def do_page_down(self) -> None:
        self._go(self._line + self._page)

    def do_first(self) -> None:
        self._go(0)

    def do_last(self) -> None:
        self._go(len(self._order) - 1)

    def _go(self, line: int, column: int | None = None) -> None:
        if not len(self._order):
            return
        line = min(max(line, 0), len(self._order) - 1)
        column = self._column if column is None else min(max(column, 0), max(self._columns_shown - 1, 0))
        rank = self._rank_of(int(self._order[line]))
        if (rank, column) == (self._rank, self._column):
            return
        self.show_cursor(rank, column)
        self._tell_moved(rank)

    def _is_cursor(self, line: int, column: int | None) -> bool:
        """Whether a click there is one on the cursor; `column` is None aside of the columns."""
        return line == self._line and column == self._column

    def on_click(self, event: events.Click) -> None:
        offset, places = event.get_content_offset(self), self._places
        if offset is None or places is None or not len(places):
            return
        aside = offset.x < places.left
        column = None if aside else places.column_at(offset.x - places.left + self.scroll_offset.x)
        if offset.y == 0:
            self._tell_header(offset.x, column)
            return
        line = self.scroll_offset.y + offset.y - 1
        if line >= len(self._order):
            return
        stood = self._is_cursor(line, column)
        self._go(line, column)
        if event.chain == 2 or (stood and event.chain == 1):
            self._tell_opened()
