"""How far each rank is in each process group: a row a rank, a column for each set of groups. One widget, line by line.

A cell is the sequence number of the newest call, how many calls the rank is behind the newest of its group and, last, a
sign for the pace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.message import Message
from textual.strip import Strip

from ...services.progress.matrix import EMPTY, LAG, RANK
from ...services.ranksets import RankSet
from .matrix_layout import GAP, MatrixLayout, cell_text, lags
from .rank_matrix import RankMatrix
from .text import fit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ...services.progress.matrix import Progress

__all__ = ["ProgressMatrix"]


class ProgressMatrix(RankMatrix):
    """The matrix widget. Its cursor is a rank and a column."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *("matrix--header", "matrix--sorted", "matrix--rank", "matrix--culprit", "matrix--waiting", "matrix--mark"),
        *("matrix--lag", "matrix--row", "matrix--cursor", "matrix--behind", "matrix--unknown", "matrix--outside"),
        *("matrix--frozen", "matrix--crawling", "matrix--moving", "matrix--idle", "matrix--inside", "matrix--empty"),
    }

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
        height = None if same_rows else self._height_of(cursor[0])
        if progress is not self._progress:
            self._progress = progress
            self._arrange()
        self._order, self._roles, self._sort = order, roles, sort
        self._stand_on(*cursor)
        self._fit_virtual_size()
        self._keep_height(height)
        self._keep_cursor_visible()
        self.refresh()

    def _arrange(self) -> None:
        self._layout = MatrixLayout(self._progress, self.size.width)
        self._fit_virtual_size()

    def on_resize(self) -> None:
        self._arrange()
        super().on_resize()

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
        seen, cut = layout.visible(width, self.scroll_offset.x)
        cells = []
        for number in seen:
            column = layout.columns[number]
            cells += [titled(column.title, number, column.width), Segment(" " * GAP, base)]
        strip = self._window(layout, left, cells, cut, width, base)
        return self._with_more(layout, strip, width, chosen)

    def _row(self, place: int, width: int) -> Strip:
        progress, layout = self._progress, self._layout
        row = int(self._order[place])
        rank = int(progress.ranks[row])
        marked, culprits, waiting = self._roles
        here = place == self._line
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
            Segment(
                f"{said:>{layout.lag_width}}{bar}", on_row("matrix--lag" if lags(progress, row) else "matrix--outside")
            ),
            Segment(" " * GAP, base),
        ]
        seen, cut = layout.visible(width, self.scroll_offset.x)
        cells = []
        for number in seen:
            text, name = cell_text(progress, int(progress.cells[row, number]), layout.columns[number])
            at_cursor = here and number == self._column
            cells += [
                Segment(text, style("matrix--cursor") if at_cursor else on_row(name)),
                Segment(" " * GAP, base),
            ]
        return self._window(layout, left, cells, cut, width, base)

    # moving ---------------------------------------------------------------------------------------------------

    @property
    def _places(self) -> MatrixLayout:
        return self._layout

    def _row_of(self, rank: int | None) -> int | None:
        return self._progress.row_of(rank)

    def _rank_of(self, row: int) -> int:
        return int(self._progress.ranks[row])

    def _tell_moved(self, rank: int) -> None:
        self.post_message(self.Moved(rank, self._column))

    def _tell_header(self, x: int, column: int | None) -> None:
        key = RANK if x < 3 + self._layout.rank_width else LAG if x < self._layout.left else column
        if key is not None:
            self.post_message(self.HeaderClicked(key))

    def _tell_opened(self) -> None:
        self.do_enter()

    def cell_text(self) -> str:
        """What the cell under the cursor shows; empty without one."""
        if self._line < 0 or not len(self._progress.columns):
            return ""
        at = int(self._progress.cells[int(self._order[self._line]), self._column])
        return " ".join(cell_text(self._progress, at, self._layout.columns[self._column])[0].split())

    def do_enter(self) -> None:
        """To the calls of the rank in its group."""
        if self._line < 0 or self._rank is None:
            return
        cell = self._progress.cell(int(self._order[self._line]), self._column)
        if cell is None:
            self.post_message(self.Refused(self._rank, self._progress.columns[self._column].title))
        else:
            self.post_message(self.Activated(self._rank, cell.group.index, cell.source))
