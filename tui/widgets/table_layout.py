"""Columns of a table and how a row becomes a strip: widths, alignment, styles, the part scrolled into view."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from rich.segment import Segment
from textual.strip import Strip

from .text import Align, cell_len, fit, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray
    from rich.style import Style

    from ..tables.column_settings import Placed

__all__ = ["Cell", "Column", "Line", "Sorts", "TableLayout", "TableSource"]

GAP = 2
"""Blank cells between columns."""
SAMPLE = 256
"""Rows looked at to find the width of a column."""
SLIVER = 6
"""A column of which the line has room for fewer cells than these is not begun: `›` says that there is more."""
CELL_LIMIT = 400
"""Characters of one cell that are ever formatted."""

Cell = tuple[str, str]
"""Text of a cell and the component class it is painted with (empty: as the row)."""
Sorts = tuple[tuple[str, bool], ...]
"""Keys of the columns sorted by and whether descending, the one that counts most first."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    key: str
    title: str
    align: Align = "left"
    min_width: int = 0
    max_width: int = 40
    """Terminal cells; longer texts are cut with an ellipsis."""
    width: int = 0
    """Terminal cells that a person gave it, whatever stands in it; 0: as wide as title and texts."""


class TableSource(Protocol):
    """Where the cells come from. Rows are numbered from 0."""

    @property
    def columns(self) -> Sequence[Column]: ...

    def cell(self, row: int, column: int) -> Cell: ...


@dataclass(frozen=True, slots=True)
class Line:
    """What one line of the table shows; equal lines look the same."""

    cells: tuple[Cell, ...] = ()
    cursor: bool = False
    marked: bool = False


class TableLayout:
    """Widths of the columns, and strips made by them. All texts are made plain here."""

    def __init__(self, fixed: int = 1) -> None:
        """
        Args:
            fixed: columns that stay when the table is scrolled sideways; the marks always stay.
        """
        self.columns: Sequence[Column] = ()
        """The columns that are shown."""
        self.places: Sequence[int] = ()
        """Where each stands in the source."""
        self.all_shown = True
        """Whether the source has no other columns."""
        self.widths: list[int] = []
        self._fixed = fixed
        self._cut_for: tuple[tuple[int, int], list[int]] | None = None
        self._cut_at = (0, 0)

    @property
    def total(self) -> int:
        """Width of a whole row in terminal cells."""
        return GAP + sum(self.widths) + GAP * max(len(self.widths) - 1, 0)

    @property
    def _fixed_cells(self) -> int:
        """Terminal cells that stay at the left, with the gap behind them."""
        return GAP + sum(self.widths[: self._fixed]) + GAP * self._fixed

    def measure(self, source: TableSource, order: NDArray[np.intp], shown: Sequence[Placed] | None = None) -> bool:
        """Widen columns to what a sample of the rows needs. They never shrink by themselves. True when one changed.

        Args:
            shown: the columns that are shown; all of the source when None.
        """
        columns = tuple(source.columns if shown is None else [one.column for one in shown])
        places = tuple(range(len(columns)) if shown is None else [one.at for one in shown])
        changed = columns != self.columns or places != self.places
        if changed:
            known = {column.key: (column, width) for column, width in zip(self.columns, self.widths, strict=True)}
            self.columns, self.places = columns, places
            self.widths = []
            for column in columns:
                was, width = known.get(column.key, (None, 0))
                least = max(cell_len(column.title) + 2, column.min_width)
                self.widths.append(column.width or (max(width, least) if was == column else least))
        self.all_shown = len(columns) == len(source.columns)
        open_columns = [(index, column.max_width) for index, column in enumerate(columns) if not column.width]
        for row in order[:: max(len(order) // SAMPLE, 1)].tolist():
            for index, limit in open_columns:
                width = self.widths[index]
                if width >= limit:
                    continue
                text = source.cell(row, places[index])[0]
                if len(text) > width or not text.isascii():
                    needed = min(cell_len(plain(text, CELL_LIMIT)), limit)
                    if needed > width:
                        self.widths[index] = needed
                        changed = True
        return changed

    def fitting(self, source: TableSource, order: NDArray[np.intp], key: str, seen: Sequence[int]) -> int:
        """Terminal cells that the texts of a column need, in a sample of the rows and in those that are seen."""
        index = self._index(key)
        rows = [*order[:: max(len(order) // SAMPLE, 1)].tolist(), *seen]
        texts = (source.cell(row, self.places[index])[0] for row in rows)
        title = cell_len(self.columns[index].title) + 2
        return max([title, *(cell_len(plain(text, CELL_LIMIT)) for text in texts)])

    def _index(self, key: str) -> int:
        return next((index for index, column in enumerate(self.columns) if column.key == key), 0)

    def edge_at(self, x: int, scroll_x: int) -> Column | None:
        """The column whose right edge, the blanks behind its title, is painted at cell `x` of a line."""
        edge = GAP
        for index, column in enumerate(self.columns):
            edge += self.widths[index]
            if 0 <= x + (scroll_x if index >= self._fixed else 0) - edge < GAP:
                return column
            edge += GAP
        return None

    def width_of(self, key: str) -> int:
        """Terminal cells of a column."""
        return self.widths[self._index(key)]

    def column_at(self, x: int, scroll_x: int) -> Column | None:
        """The column painted at cell `x` of a line."""
        edge = GAP
        for index, column in enumerate(self.columns):
            edge += self.widths[index] + GAP
            if x + (scroll_x if index >= self._fixed else 0) < edge or index == len(self.columns) - 1:
                return column
        return None

    def scroll_to_show(self, key: str, view: tuple[int, int]) -> int:
        """Cells to scroll to the right so that a whole column is in view, as near as can be to what is scrolled now.

        Args:
            view: width of the line and cells scrolled to the right.
        """
        width, left = view
        at = next((index for index, column in enumerate(self.columns) if column.key == key), 0)
        if at < self._fixed:
            return left
        start = GAP + sum(self.widths[:at]) + GAP * at
        return min(max(left, start + self.widths[at] + 1 - width), start - self._fixed_cells)

    def header(self, view: tuple[int, int], sorts: Sorts, base: Style, sorted_style: Style) -> Strip:
        """The titles, with arrows at the columns sorted by, numbered when there are several.

        `‹` before the columns that scroll and `›` at the end say that more of them are on that side; each stands in a
        gap or over the last cell of a title, so that no column has less room for it.

        Args:
            view: width of the line and cells scrolled to the right.
        """
        hidden = Segment("|" + " " * (GAP - 1), sorted_style)
        segments = [Segment(" " * GAP, base) if self.all_shown else hidden]
        arrows = {key: "▼" if descending else "▲" for key, descending in sorts}
        places = {key: place for place, (key, _) in enumerate(sorts, 1)}
        last, _ = self._cut(view)
        for index, column in enumerate(self.columns[: last + 1]):
            here = column.key in arrows
            title = column.title
            if here:
                title += f"{arrows[column.key]}{places[column.key]}" if len(sorts) > 1 else f" {arrows[column.key]}"
            segments.append(
                Segment(fit(title, self._width(index, view[0]), column.align), sorted_style if here else base)
            )
            segments.append(Segment(" " * GAP, base))
        strip = self._window(segments, view, base)
        fixed = self._fixed_cells
        if view[1] > 0 and fixed < view[0]:
            strip = Strip([*strip.crop(0, fixed - 1), Segment("‹", sorted_style), *strip.crop(fixed, view[0])], view[0])
        if self.total - view[1] > view[0] > 0:
            strip = Strip([*strip.crop(0, view[0] - 1), Segment("›", sorted_style)], view[0])
        return strip

    def row(
        self, line: Line, view: tuple[int, int], base: Style, mark: Style, style_of: Callable[[str], Style]
    ) -> Strip:
        """One row.

        Args:
            view: width of the line and cells scrolled to the right.
            base: style of the row.
            mark: style of the sign of a marked row.
            style_of: the style of a component class of a cell.
        """
        segments = [Segment("* ", mark) if line.marked else Segment("  ", base)]
        pending = ""
        last, room = self._cut(view)
        for index, (text, component) in enumerate(line.cells[: last + 1]):
            written = fit(plain(text, CELL_LIMIT), self._width(index, view[0]), self.columns[index].align)
            if index == last and room < self.widths[index]:
                written = fit(written.rstrip(), room)
            if not component or line.cursor:
                pending += written + " " * GAP
                continue
            if pending:
                segments.append(Segment(pending, base))
            segments.append(Segment(written, style_of(component)))
            pending = " " * GAP
        if pending:
            segments.append(Segment(pending, base))
        return self._window(segments, view, base)

    def _cut(self, view: tuple[int, int]) -> tuple[int, int]:
        """The last column of which something is seen, and how much of it.

        Args:
            view: width of the line and cells scrolled to the right.
        """
        if self._cut_for != (view, self.widths):
            width, left = view
            fixed = self._fixed_cells
            end, start = width + (left if fixed < width else 0), GAP
            last, room = len(self.widths) - 1, self.widths[-1] if self.widths else 0
            for index, own in enumerate(self.widths):
                if start + own > end:
                    least = SLIVER if index > max(self._fixed - 1, 0) else 1
                    last, room = (index, end - start) if end - start >= least else (index - 1, self.widths[index - 1])
                    break
                start += own + GAP
            self._cut_for, self._cut_at = (view, list(self.widths)), (last, room)
        return self._cut_at

    def _width(self, index: int, view_width: int) -> int:
        """The last column takes what is left of the line."""
        spare = view_width - self.total if index == len(self.widths) - 1 else 0
        return self.widths[index] + max(spare, 0)

    def _window(self, segments: list[Segment], view: tuple[int, int], base: Style) -> Strip:
        width, left = view
        strip = Strip(segments)
        fixed = self._fixed_cells
        if left <= 0 or fixed >= width:
            return strip.adjust_cell_length(width, base)
        rest = strip.crop(fixed + left, strip.cell_length).adjust_cell_length(width - fixed, base)
        return Strip([*strip.crop(0, fixed), *rest], width)
