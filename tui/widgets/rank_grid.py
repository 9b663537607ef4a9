"""All ranks at one glance: one cell a rank, its class by sign and colour. One widget, painted line by line."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ...services.ranksets import RankSet
from ..actions.registry import Scope, bindings
from ..moving.jump_labels import Spot
from ..ranks.classes import COMPONENTS, appearance
from .grid_layout import Density, GridLayout, arrange
from .text import cell_len, plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.style import Style
    from textual import events

    from ...services.snapshot import RankClass, RankState

__all__ = ["RankGrid"]

NO_HOST = "(no address)"
NOBODY = RankSet()

Look = tuple["RankClass", bool]
"""Class of a rank and whether the filter shows it."""


class RankGrid(ScrollView, can_focus=True):
    """The grid widget. Its cursor is a rank."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "grid--label",
        "grid--number",
        "grid--cursor",
        "grid--dimmed",
        "grid--mark",
        "grid--accused",
        *COMPONENTS,
    }
    BINDINGS = bindings(Scope.GRID)

    class Selected(Message):
        """The cursor moved to another rank."""

        def __init__(self, rank: int) -> None:
            super().__init__()
            self.rank = rank

    class Activated(Message):
        """A rank was double-clicked."""

        def __init__(self, rank: int) -> None:
            super().__init__()
            self.rank = rank

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._looks: dict[int, Look] = {}
        self._hosts: tuple[tuple[str, tuple[int, ...]], ...] = ()
        self._layout: GridLayout = arrange((), 1, 1)
        self._cursor: int | None = None
        self._marked = RankSet()
        self._accused = RankSet()

    # what it shows --------------------------------------------------------------------------------------------

    def show(
        self,
        ranks: Mapping[int, RankState],
        cursor: int | None,
        marked: RankSet,
        shown: RankSet | None,
        accused: RankSet = NOBODY,
    ) -> None:
        """Show the ranks, repainting only lines with a cell that looks different from before.

        Args:
            ranks: the rank table.
            cursor: the selected rank.
            marked: ranks with a mark.
            shown: ranks that match the filter; others are dimmed. None shows all.
            accused: ranks with a `!`: after the number, or in place of the sign.
        """
        looks = {rank: (state.rank_class, shown is None or rank in shown) for rank, state in ranks.items()}
        hosts = _by_host(ranks)
        if hosts != self._hosts:
            self._hosts, self._looks, self._marked, self._accused = hosts, looks, marked, accused
            self._arrange()
            self.show_cursor(cursor)
            return
        changed = {rank for rank, look in looks.items() if self._looks[rank] != look}
        changed.update(self._marked ^ marked, self._accused ^ accused)
        self._looks, self._marked, self._accused = looks, marked, accused
        self._refresh_ranks(changed)
        self.show_cursor(cursor)

    def show_cursor(self, rank: int | None) -> None:
        """Stand on a rank and scroll it into view; nothing happens when the cursor is there already."""
        if rank == self._cursor:
            return
        before, self._cursor = self._cursor, rank
        self._refresh_ranks({r for r in (before, rank) if r is not None})
        self._keep_cursor_visible()

    def _arrange(self) -> None:
        width, height = max(self.size.width, 1), max(self.size.height, 1)
        self._layout = arrange(self._hosts, width, height)
        if len(self._layout.lines) > height:
            self._layout = arrange(self._hosts, width - self.scrollbar_size_vertical, height)
        self.virtual_size = Size(0, len(self._layout.lines))
        self.refresh()

    def _refresh_ranks(self, ranks: set[int]) -> None:
        top, height = self.scroll_offset.y, self.size.height
        lines = {self._layout.places[rank][1] - top for rank in ranks if rank in self._layout.places}
        regions = [Region(0, y, self.size.width, 1) for y in lines if 0 <= y < height]
        if regions:
            self.refresh(*regions)

    def on_resize(self) -> None:
        self._arrange()
        self._keep_cursor_visible()

    def _keep_cursor_visible(self) -> None:
        place = self._layout.places.get(-1 if self._cursor is None else self._cursor)
        if place is None:
            return
        top, height = self.scroll_offset.y, max(self.size.height, 1)
        if not top <= place[1] < top + height:
            wanted = place[1] if place[1] < top else place[1] - height + 1
            self.scroll_to(y=wanted, animate=False, force=True, immediate=True)

    # painting -------------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        index = y + self.scroll_offset.y
        if index >= len(self._layout.lines):
            return Strip.blank(width, self.rich_style)
        line = self._layout.lines[index]
        pieces = [(x, text, self.get_component_rich_style("grid--label")) for x, text in line.labels]
        for x, rank in zip(line.xs, line.ranks, strict=True):
            pieces += self._cell(x, rank)
        pieces.sort(key=lambda piece: piece[0])
        return _strip(pieces, width, self.rich_style)

    def _cell(self, x: int, rank: int) -> list[tuple[int, str, Style]]:
        rank_class, shown = self._looks[rank]
        look = appearance(rank_class)
        name = look.component if shown else "grid--dimmed"
        numbered = self._layout.density is Density.NUMBERED
        accused = rank in self._accused
        number = f"{rank:>{self._layout.number_width}}{'!' if accused else ' '}" if numbered else ""
        sign = "!" if accused and not numbered else look.sign
        mark = rank in self._marked
        if rank == self._cursor:
            style = self.get_component_rich_style("grid--cursor")
            if mark:
                style += self.get_component_rich_style("grid--mark", partial=True)
            return [(x, number + sign, style)]
        style = self.get_component_rich_style(name)
        number_style = self.get_component_rich_style("grid--number")
        if accused:
            number_style = self.get_component_rich_style("grid--accused")
            style = style if numbered else number_style
        if mark:
            marked = self.get_component_rich_style("grid--mark", partial=True)
            style, number_style = style + marked, number_style + marked
        if not number:
            return [(x, sign, style)]
        return [(x, number, number_style), (x + len(number), look.sign, style)]

    # moving ---------------------------------------------------------------------------------------------------

    def jump_spots(self) -> list[Spot]:
        """The ranks that are seen."""
        top, left = self.scroll_offset.y, self.scroll_offset.x
        seen = [
            (rank, x - left, y - top)
            for rank, (x, y) in self._layout.places.items()
            if top <= y < top + self.size.height
        ]
        return [Spot(x, y, partial(self._go, rank)) for rank, x, y in seen]

    def do_up(self) -> None:
        self._vertically(-1)

    def do_down(self) -> None:
        self._vertically(1)

    def do_left(self) -> None:
        self._along(-1)

    def do_right(self) -> None:
        self._along(1)

    def do_page_up(self) -> None:
        self._vertically(-max(self.size.height - 1, 1))

    def do_page_down(self) -> None:
        self._vertically(max(self.size.height - 1, 1))

    def do_first(self) -> None:
        self._go(next(iter(self._layout.places), None))

    def do_last(self) -> None:
        self._go(next(reversed(self._layout.places), None))

    def _vertically(self, lines: int) -> None:
        rank = self._cursor
        for _ in range(abs(lines)):
            if rank in self._layout.places:
                rank = self._layout.above_or_below(rank, 1 if lines > 0 else -1)
        self._go(rank)

    def _along(self, step: int) -> None:
        """To the neighbour in the order in which the ranks are painted."""
        order = list(self._layout.places)
        if self._cursor in self._layout.places:
            place = order.index(self._cursor) + step
            self._go(order[min(max(place, 0), len(order) - 1)])
        else:
            self.do_first()

    def _go(self, rank: int | None) -> None:
        if rank is not None and rank != self._cursor:
            self.show_cursor(rank)
            self.post_message(self.Selected(rank))

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None:
            return
        rank = self._layout.rank_at(offset.x, offset.y + self.scroll_offset.y)
        if rank is None:
            return
        self._go(rank)
        if event.chain == 2:
            self.post_message(self.Activated(rank))


def _by_host(ranks: Mapping[int, RankState]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Host names made plain with their ranks, in order of first rank."""
    hosts: dict[str, list[int]] = {}
    for rank, state in ranks.items():
        hosts.setdefault(state.host, []).append(rank)
    return tuple((plain(host, 100) or NO_HOST, tuple(of_host)) for host, of_host in hosts.items())


def _strip(pieces: list[tuple[int, str, Style]], width: int, blank: Style) -> Strip:
    """One line from texts at places: neighbours of one style become one segment, gaps are filled."""
    segments: list[Segment] = []
    text, style, end = "", blank, 0
    for x, piece, piece_style in pieces:
        if x > end:
            if style is not blank:
                segments.append(Segment(text, style))
                text, style = "", blank
            text += " " * (x - end)
        if piece_style is not style:
            if text:
                segments.append(Segment(text, style))
            text, style = "", piece_style
        text += piece
        end = x + cell_len(piece)
    if text:
        segments.append(Segment(text, style))
    return Strip(segments).adjust_cell_length(width, blank)
