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

__all__ = ["Cell", "Column", "Line", "Sorts", "TableLayout", "TableSource"]

GAP = 2
"""Blank cells between columns."""
SAMPLE = 256
"""Rows looked at to find the width of a column."""
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
        self.widths: list[int] = []
        self._fixed = fixed

    @property
    def total(self) -> int:
        """Width of a whole row in terminal cells."""
        return GAP + sum(self.widths) + GAP * max(len(self.widths) - 1, 0)

    def measure(self, source: TableSource, order: NDArray[np.intp]) -> bool:
        """Widen columns to what a sample of the rows needs. They never shrink. True when one changed."""
        if source.columns != self.columns:
            self.columns = source.columns
            self.widths = [max(cell_len(column.title) + 2, column.min_width) for column in self.columns]
            changed = True
        else:
            changed = False
        open_columns = [(index, column.max_width) for index, column in enumerate(self.columns)]
        for row in order[:: max(len(order) // SAMPLE, 1)].tolist():
            for index, limit in open_columns:
                width = self.widths[index]
                if width >= limit:
                    continue
                text = source.cell(row, index)[0]
                if len(text) > width or not text.isascii():
                    needed = min(cell_len(plain(text, CELL_LIMIT)), limit)
                    if needed > width:
                        self.widths[index] = needed
                        changed = True
        return changed

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
        fixed = GAP + sum(self.widths[: self._fixed]) + GAP * self._fixed
        return min(max(left, start + self.widths[at] + 1 - width), start - fixed)

    def header(self, view: tuple[int, int], sorts: Sorts, base: Style, sorted_style: Style) -> Strip:
        """The titles, with arrows at the columns sorted by, numbered when there are several.

        Args:
            view: width of the line and cells scrolled to the right.
        """
        segments = [Segment(" " * GAP, base)]
        arrows = {key: "▼" if descending else "▲" for key, descending in sorts}
        places = {key: place for place, (key, _) in enumerate(sorts, 1)}
        for index, column in enumerate(self.columns):
            here = column.key in arrows
            title = column.title
            if here:
                title += f"{arrows[column.key]}{places[column.key]}" if len(sorts) > 1 else f" {arrows[column.key]}"
            segments.append(
                Segment(fit(title, self._width(index, view[0]), column.align), sorted_style if here else base)
            )
            segments.append(Segment(" " * GAP, base))
        strip = self._window(segments, view, base)
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
        for index, (text, component) in enumerate(line.cells):
            written = fit(plain(text, CELL_LIMIT), self._width(index, view[0]), self.columns[index].align)
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

    def _width(self, index: int, view_width: int) -> int:
        """The last column takes what is left of the line."""
        spare = view_width - self.total if index == len(self.widths) - 1 else 0
        return self.widths[index] + max(spare, 0)

    def _window(self, segments: list[Segment], view: tuple[int, int], base: Style) -> Strip:
        width, left = view
        strip = Strip(segments)
        fixed = GAP + sum(self.widths[: self._fixed]) + GAP * self._fixed
        if left <= 0 or fixed >= width:
            return strip.adjust_cell_length(width, base)
        rest = strip.crop(fixed + left, strip.cell_length).adjust_cell_length(width - fixed, base)
        return Strip([*strip.crop(0, fixed), *rest], width)
