"""Where in an output the errors are: the largest of each region, as a sign and a colour. One widget, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from rich.segment import Segment
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from ...services.comparison.coarser import LEVELS, HeatScale, coarser, heat_scale
from ..actions.registry import Scope, bindings
from .text import fit, plain

if TYPE_CHECKING:
    from textual import events

    from ...services.comparison.heatmap import Heatmap

__all__ = ["HeatMap"]

SIGNS = ".-+*#@"
"""No error, then the levels from small to large."""
MISMATCH = "!"
"""A NaN or an infinity against something else."""
HEAD = 2
"""Lines above the cells: the cursor's region, numbers of the columns."""
WIDEST = 4
"""Terminal cells of one cell at most."""


class HeatMap(Widget, can_focus=True):
    """The map widget. Its cursor is a cell."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *("heat--title", "heat--header", "heat--empty", "heat--cursor", "heat--mismatch"),
        *(f"heat--{level}" for level in range(LEVELS + 1)),
    }
    BINDINGS = bindings(Scope.HEAT)

    class Chosen(Message):
        """A cell was clicked: its worst element is to be shown."""

        def __init__(self, heat: Heatmap, row: int, column: int) -> None:
            """
            Args:
                heat: the map as it is shown, to which the cell belongs.
            """
            super().__init__()
            self.heat = heat
            self.row = row
            self.column = column

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._whole: Heatmap | None = None
        self._heat: Heatmap | None = None
        """Made to fit."""
        self._shape: tuple[int, ...] = ()
        self._scale = HeatScale(())
        self._why = ""
        self._cursor = (0, 0)

    # what it shows --------------------------------------------------------------------------------------------

    def show(self, heat: Heatmap | None, why: str = "", shape: tuple[int, ...] = ()) -> None:
        """Show a map; the cursor goes to its worst region.

        Args:
            heat: None: there is none.
            why: why not, one line.
            shape: of the output, to name rows by their index on all axes but the last.
        """
        if heat is self._whole and why == self._why:
            return
        self._whole, self._why, self._shape, self._heat = heat, why, shape, None
        self._arrange()
        self.refresh()

    @property
    def cell(self) -> tuple[Heatmap, int, int] | None:
        """The map as shown and the cursor's row and column in it."""
        return (self._heat, *self._cursor) if self._heat is not None and self._heat.cells.size else None

    def _arrange(self) -> None:
        if self._whole is None or self.content_size.height <= 0:
            return
        was_there = self._heat is not None
        height = max(self.content_size.height - HEAD - 1, 1)
        heat = self._heat = coarser(self._whole, height, max(self.content_size.width - self._left, 1))
        self._scale = heat_scale(heat)
        rows, columns = heat.cells.shape
        if not was_there and heat.cells.size:
            errors = np.where(heat.special, np.inf, np.nan_to_num(heat.cells, nan=-1.0, posinf=np.inf))
            self._cursor = divmod(int(errors.argmax()), columns)
        self._cursor = (min(self._cursor[0], max(rows - 1, 0)), min(self._cursor[1], max(columns - 1, 0)))

    @property
    def _left(self) -> int:
        """Width of the numbers of the rows."""
        return len(f"{self._whole.matrix.rows - 1:,}") + 3 if self._whole is not None else 0

    @property
    def _pitch(self) -> int:
        """Terminal cells of one cell of the map."""
        if self._heat is None or not self._heat.cells.size:
            return 1
        columns = int(self._heat.cells.shape[1])
        return min(max((self.content_size.width - self._left) // columns, 1), WIDEST)

    def on_resize(self) -> None:
        self._arrange()
        self.refresh()

    # painting -------------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        width, style = self.content_size.width, self.get_component_rich_style
        heat = self._heat
        if heat is None or not heat.cells.size:
            said = plain(self._why or "no elements") if y == 1 else ""
            return Strip([Segment(fit(f"  {said}", width), style("heat--empty"))], width)
        if y == 0:
            return Strip([Segment(fit(f" {self._said(heat)}", width), style("heat--title"))], width)
        if y == 1:
            last = f"{heat.matrix.columns - 1:,}"
            across = self._pitch * heat.cells.shape[1]
            said = fit("", self._left) + ("0" + last.rjust(across - 1) if across > len(last) + 1 else "0")
            return Strip([Segment(fit(said, width), style("heat--header"))], width)
        row = y - HEAD
        if row < heat.cells.shape[0]:
            return self._row(heat, row, width)
        if row == heat.cells.shape[0]:
            return self._legend(width)
        return Strip.blank(width, self.rich_style)

    def _row(self, heat: Heatmap, row: int, width: int) -> Strip:
        style, pitch = self.get_component_rich_style, self._pitch
        number = fit(f"{int(heat.row_edges[row]):,}", self._left - 2, "right") + "  "
        segments = [Segment(number, style("heat--header"))]
        for column in range(heat.cells.shape[1]):
            sign, name = self._look(heat, row, column)
            if (row, column) == self._cursor:
                name = "heat--cursor"
            segments.append(Segment(sign * pitch, style(name)))
        return Strip(segments).adjust_cell_length(width, self.rich_style)

    def _look(self, heat: Heatmap, row: int, column: int) -> tuple[str, str]:
        """Sign and component class of a cell."""
        error = float(heat.cells[row, column])
        if heat.special[row, column] or np.isinf(error):
            return MISMATCH, "heat--mismatch"
        if np.isnan(error):
            return " ", "heat--0"
        level = self._scale.level(error)
        if level and len(self._scale.bounds) == 1:
            level = LEVELS
        return SIGNS[level], f"heat--{level}"

    def _said(self, heat: Heatmap) -> str:
        """The cursor's region in words."""
        row, column = self._cursor
        error = float(heat.cells[row, column])
        said = f"largest error {error:.4g}" if np.isfinite(error) else "a mismatch"
        if heat.special[row, column]:
            said = "a NaN or infinity against something else"
        elif not error > 0.0:
            said = "no error"
        parts = []
        for name, edges, at in (("row", heat.row_edges, row), ("column", heat.column_edges, column)):
            first, last = int(edges[at]), int(edges[at + 1]) - 1
            part = f"{name} {first:,}" if first == last else f"{name}s {first:,}-{last:,}"
            parts.append(part + (self._row_index(first, last) if name == "row" else ""))
        return f"{', '.join(parts)}: {said}"

    def _row_index(self, first: int, last: int) -> str:
        """What rows of the map are on the axes of an output of more than two."""
        outer = self._shape[:-1]
        if len(outer) < 2:
            return ""
        indices = [", ".join(map(str, np.unravel_index(row, outer))) for row in (first, last)]
        return f" ([{indices[0]}, :])" if first == last else f" ([{indices[0]}, :] to [{indices[1]}, :])"

    def _legend(self, width: int) -> Strip:
        style = self.get_component_rich_style
        base = style("heat--header")
        segments = [Segment(" ", base), Segment(SIGNS[0], style("heat--0")), Segment(" equal  ", base)]
        bounds = self._scale.bounds
        first = LEVELS if len(bounds) == 1 else 1
        for level, bound in enumerate(bounds, first):
            segments += [Segment(SIGNS[level], style(f"heat--{level}")), Segment(f" {bound:.1e}  ", base)]
        if bool((self._heat is not None) and (self._heat.special.any() or np.isinf(self._heat.cells).any())):
            segments += [Segment(MISMATCH, style("heat--mismatch")), Segment(" NaN or inf", base)]
        return Strip(segments).adjust_cell_length(width, base)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self.refresh()

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
        self._step(-max(self.content_size.height - HEAD - 1, 1), 0)

    def do_page_down(self) -> None:
        self._step(max(self.content_size.height - HEAD - 1, 1), 0)

    def do_first(self) -> None:
        self._go(0, 0)

    def do_last(self) -> None:
        if self._heat is not None:
            self._go(*self._heat.cells.shape)

    def _step(self, rows: int, columns: int) -> None:
        self._go(self._cursor[0] + rows, self._cursor[1] + columns)

    def _go(self, row: int, column: int) -> None:
        if self._heat is None:
            return
        rows, columns = self._heat.cells.shape
        self._cursor = (max(min(row, rows - 1), 0), max(min(column, columns - 1), 0))
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        heat = self._heat
        if offset is None or heat is None:
            return
        row, column = offset.y - HEAD, (offset.x - self._left) // self._pitch
        if 0 <= row < heat.cells.shape[0] and 0 <= column < heat.cells.shape[1]:
            self._go(row, column)
            self.post_message(self.Chosen(heat, row, column))
