"""The values of an array of any rank and size: a plane of it that scrolls, line by line; only what is seen is read.

Where there is an expected array, its values and the difference are shown in the same place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from rich.segment import Segment
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ...services.comparison.array_grid import FOLD, ArrayGrid, Mark, difference
from ...services.comparison.errors import ComparisonError
from ..actions.registry import Scope, bindings
from ..dispatch.arrays_shown import ValueMode, cells_of
from .text import fit, plain

if TYPE_CHECKING:
    from textual import events

    from ...services.comparison.array_grid import Cells
    from ..app import XpudbgApp
    from ..dispatch.arrays_shown import ArraysShown

__all__ = ["ArrayView"]

HEAD = 3
"""Lines above the values: what is shown, the cursor's element, numbers of the columns."""
GAP = 2
MORE = 2
"""Terminal cells at the right for the sign that there are more columns."""


class ArrayView(ScrollView, can_focus=True):
    """The values widget. Its cursor is an element: a plane, a row and a column."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *("array--title", "array--mode", "array--element", "array--header", "array--cell", "array--cursor"),
        *("array--equal", "array--differs", "array--special", "array--empty"),
    }
    BINDINGS = bindings(Scope.ARRAY)

    class Moved(Message):
        """The cursor moved to another element."""

        def __init__(self, view: ArrayView, index: tuple[int, ...]) -> None:
            super().__init__()
            self.view = view
            self.index = index

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._arrays: ArraysShown | None = None
        self._actual: ArrayGrid | None = None
        self._expected: ArrayGrid | None = None
        self._why = ""
        """Why there are no values."""
        self._why_not_expected = ""
        self.mode = ValueMode.ACTUAL
        self._place = (0, 0, 0)
        """Plane, row and column of the cursor."""
        self._read: tuple[tuple[object, ...], Cells] | None = None
        """The cells read last, and which."""

    # what it shows --------------------------------------------------------------------------------------------

    def show(self, arrays: ArraysShown | None, why: str = "") -> None:
        """Show arrays; the cursor stays on its element where the new ones have it.

        Args:
            arrays: None: there are no values.
            why: why not, one line.
        """
        if arrays is self._arrays and why == self._why:
            return
        before = self.grid
        self._arrays, self._why, self._read = arrays, why, None
        self._actual = self._expected = None
        self._why_not_expected = "there is nothing to compare with"
        if arrays is not None:
            try:
                self._actual = ArrayGrid(arrays.actual, arrays.logical)
                if arrays.expected is not None:
                    self._expected = ArrayGrid(arrays.expected, arrays.expected_logical)
            except ComparisonError as error:
                if self._actual is None:
                    self._why = str(error)
                else:
                    self._why_not_expected = str(error)
        if not self._has(self.mode):
            self.mode = ValueMode.ACTUAL
        grid = self.grid
        if before is None or grid is None or grid.shape != before.shape:
            self._place = (0, 0, 0)
            self.scroll_to(0, 0, animate=False, force=True, immediate=True)
        self._arrange()

    @property
    def grid(self) -> ArrayGrid | None:
        """What gives the grid its size."""
        return self._expected if self.mode is ValueMode.EXPECTED else self._actual

    @property
    def index(self) -> tuple[int, ...] | None:
        """The element under the cursor."""
        return self.grid.index(*self._place) if self.grid is not None else None

    def go_to(self, index: tuple[int, ...]) -> None:
        """Stand on an element and scroll it into view."""
        grid = self.grid
        inside = grid is not None and len(index) == len(grid.shape) and all(map(int.__lt__, index, grid.shape))
        if grid is not None and grid.planes and inside:
            self._go(*grid.place(index), tell=False)

    def _has(self, mode: ValueMode) -> bool:
        if mode is ValueMode.ACTUAL:
            return True
        if self._expected is None or self._actual is None:
            return False
        return mode is ValueMode.EXPECTED or self._expected.shape == self._actual.shape

    def _arrange(self) -> None:
        grid = self.grid
        wanted = Size(0, 0)
        if grid is not None and grid.planes:
            wanted = Size(self._left + grid.columns * self._pitch + MORE, grid.rows + HEAD)
        if wanted != self.virtual_size:
            self.virtual_size = wanted
        self._keep_cursor_visible()
        self.refresh()

    @property
    def _left(self) -> int:
        """Width of the numbers of the rows."""
        grid = self.grid
        assert grid is not None
        last = (grid.rows - 1) * (FOLD if grid.folded else 1)
        return len(f"{last:,}") + 2

    @property
    def _pitch(self) -> int:
        """Width of a column with its gap."""
        grid = self.grid
        assert grid is not None
        width = max(grid.cell_width, len(f"{grid.columns - 1:,}"))
        if self.mode is ValueMode.DIFFERENCE:
            width = max(width, 12)
        elif self._arrays is not None and self._arrays.mark_differing:
            width += 1
        return width + GAP

    @property
    def _page(self) -> int:
        return max(self.scrollable_content_region.height - HEAD, 1)

    @property
    def _across(self) -> int:
        """Whole columns that are seen."""
        return max((self.scrollable_content_region.width - self._left - MORE) // self._pitch, 1)

    @property
    def _corner(self) -> tuple[int, int]:
        """Row and column at the top left."""
        return self.scroll_offset.y, -(-self.scroll_offset.x // self._pitch)

    def on_resize(self) -> None:
        self._arrange()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self.refresh()

    # painting -------------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        style = self.get_component_rich_style
        grid = self.grid
        if grid is None or not grid.planes:
            said = self._why
            if grid is not None:
                said = f"no elements: {grid.dtype} of shape {list(grid.shape)}"
            return Strip([Segment(fit(f"  {plain(said)}" if y == 1 else "", width), style("array--empty"))], width)
        if y == 0:
            return self._title(grid, width)
        if y == 1:
            return Strip([Segment(fit(f" {self._element(grid)}", width), style("array--element"))], width)
        row, column = self._corner
        columns = range(column, min(column + self._across, grid.columns))  # half a number would be another one
        if y == 2:
            numbers = "".join(" " * GAP + fit(f"{at:,}", self._pitch - GAP, "right") for at in columns)
            header = style("array--header")
            before = Segment("‹", style("array--mode")) if column else Segment(" ", header)
            strip = Strip([Segment(fit("", self._left - 1), header), before, Segment(numbers, header)])
            more = [Segment("›", style("array--mode"))] if columns.stop < grid.columns else []
            strip = strip.adjust_cell_length(width - len(more), header)
            return Strip([*strip, *more], width)
        return self._row(grid, row + y - HEAD, columns, width)

    def _title(self, grid: ArrayGrid, width: int) -> Strip:
        arrays, style = self._arrays, self.get_component_rich_style
        assert arrays is not None
        shape = ", ".join(f"{extent:,}" for extent in grid.shape)
        text = f" {grid.dtype} [{shape}]"
        outer = grid.plane_index(self._place[0])
        if outer:
            text += f"  plane [{', '.join(map(str, outer))}, :, :] {self._place[0] + 1:,}/{grid.planes:,}"
        names = {ValueMode.ACTUAL: arrays.actual_name, ValueMode.EXPECTED: arrays.expected_name}
        muted, segments = style("array--title"), []
        for mode in filter(self._has, ValueMode):
            name = plain(names.get(mode, mode.value), 40)
            if mode is self.mode:  # brackets say which one it is where there are no colours
                segments += [Segment("[", muted), Segment(name, style("array--mode")), Segment("]", muted)]
            else:
                segments.append(Segment(f" {name} ", muted))
        return Strip([*segments, Segment(text, muted)]).adjust_cell_length(width, muted)

    def _element(self, grid: ArrayGrid) -> str:
        """The cursor's element with all digits."""
        index = grid.index(*self._place)
        if index is None:
            return ""
        at = f"{list(index)}  "
        arrays, actual, expected = self._arrays, self._actual, self._expected
        assert arrays is not None
        if actual is None or expected is None or actual.shape != expected.shape:
            note = "" if expected is None else "  shapes differ: no element-by-element view"
            return f"{at}{grid.exact(index)}{note}"
        place = grid.place(index)
        apart = difference(actual.row(*place, 1), expected.row(*place, 1), 0)[0]
        names = plain(arrays.actual_name, 24), plain(arrays.expected_name, 24)
        return f"{at}{actual.exact(index)} {names[0]}  {expected.exact(index)} {names[1]}  {apart} apart"

    def do_copy_cell(self) -> None:
        """The element with all digits."""
        grid, app = self.grid, cast("XpudbgApp", self.app)
        index = self.index
        if grid is None or index is None:
            app.say("not now: the cursor is on no element")
        else:
            app.copy(grid.exact(index), f"the element {list(index)}")

    def _row(self, grid: ArrayGrid, row: int, columns: range, width: int) -> Strip:
        style = self.get_component_rich_style
        if row >= grid.rows:
            return Strip.blank(width, self.rich_style)
        here = self._place[1] == row
        number = f"{row * (FOLD if grid.folded else 1):,}"
        header, blank = style("array--header"), self.rich_style
        segments = [Segment(fit(number, self._left - 1, "right") + " ", header)]
        top = self._corner[0]
        cells, width_of_cell = self._cells(columns), self._pitch - GAP
        for at, (text, mark) in zip(columns, cells[row - top], strict=False):
            painted = style("array--cursor") if here and at == self._place[2] else style(_STYLES[mark])
            segments += [Segment(" " * GAP, blank), Segment(fit(text, width_of_cell, "right"), painted)]
        return Strip(segments).adjust_cell_length(width, blank)

    def _cells(self, columns: range) -> Cells:
        """The cells in view, read once until another part is seen."""
        wanted = (self._place[0], self._corner[0], columns.start, max(self.size.height, 1), len(columns))
        key = (self.mode, *wanted)
        if self._read is None or self._read[0] != key:
            assert self._arrays is not None
            self._read = (key, cells_of(self._arrays, self.mode, self._actual, self._expected, wanted))
        return self._read[1]

    # moving ---------------------------------------------------------------------------------------------------

    def do_up(self) -> None:
        self._step(-1, 0)

    def do_down(self) -> None:
        self._step(1, 0)

    def do_left(self) -> None:
        self._step(0, -1)

    def do_right(self) -> None:
        self._step(0, 1)

    def do_page_up(self) -> None:
        self._step(-self._page, 0)

    def do_page_down(self) -> None:
        self._step(self._page, 0)

    def do_first(self) -> None:
        self._go(self._place[0], 0, 0)

    def do_last(self) -> None:
        if self.grid is not None:
            self._go(self._place[0], self.grid.rows - 1, self.grid.columns - 1)

    def do_next_plane(self) -> None:
        self._go(self._place[0] + 1, *self._place[1:])

    def do_previous_plane(self) -> None:
        self._go(self._place[0] - 1, *self._place[1:])

    def do_value_mode(self) -> None:
        """The next of actual, expected, difference that there is."""
        modes = list(ValueMode)
        after = modes[modes.index(self.mode) + 1 :] + modes
        index = self.index
        wanted = next(mode for mode in after if self._has(mode))
        if wanted is self.mode:
            self.notify(plain(self._why_not_expected), markup=False)
            return
        self.mode = wanted
        if self.grid is not None and self.grid.index(*self._place) != index:
            self._place = (0, 0, 0)
        self._arrange()

    def _step(self, rows: int, columns: int) -> None:
        plane, row, column = self._place
        self._go(plane, row + rows, column + columns)

    def _go(self, plane: int, row: int, column: int, *, tell: bool = True) -> None:
        grid = self.grid
        if grid is None or not grid.planes:
            return
        plane, row = min(max(plane, 0), grid.planes - 1), min(max(row, 0), grid.rows - 1)
        column = min(max(column, 0), grid.columns - 1)
        if grid.index(plane, row, column) is None:  # behind the end of a folded vector
            column = (grid.shape[0] - 1) % FOLD
        if (plane, row, column) == self._place:
            self._keep_cursor_visible()
            return
        self._place = (plane, row, column)
        self._keep_cursor_visible()
        self.refresh()
        index = self.index
        if tell and index is not None:
            self.post_message(self.Moved(self, index))

    def _keep_cursor_visible(self) -> None:
        grid = self.grid
        if grid is None or not grid.planes or not self.size.height:
            return
        top, first = self._corner
        _, row, column = self._place
        top = min(max(top, row - self._page + 1), row)
        first = min(max(first, column - self._across + 1), column)
        if (top, first) != self._corner:
            self.scroll_to(x=first * self._pitch, y=top, animate=False, force=True, immediate=True)

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        grid = self.grid
        if offset is None or grid is None or not grid.planes:
            return
        if offset.y < HEAD:
            if offset.y == 0:
                self.do_value_mode()
            return
        top, first = self._corner
        column = first + max(offset.x - self._left, 0) // self._pitch
        if top + offset.y - HEAD < grid.rows and column < grid.columns:
            self._go(self._place[0], top + offset.y - HEAD, column)


_STYLES = {
    Mark.NONE: "array--cell",
    Mark.EQUAL: "array--equal",
    Mark.DIFFERS: "array--differs",
    Mark.SPECIAL: "array--special",
}
