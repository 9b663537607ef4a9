"""A line of tabs with a count each; a click chooses one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from textual.content import Content
from textual.message import Message

from ..moving.jump_labels import Spot
from .painted import Painted, styled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

__all__ = ["TabLabel", "TabLine"]


class TabLabel(NamedTuple):
    """What stands on a tab."""

    name: str
    counted: str = ""


class TabLine(Painted):
    """Where there is no room for all counts, only that of the tab shown; then no count; then names are cut."""

    class Chosen(Message):
        """A tab was clicked."""

        def __init__(self, place: int) -> None:
            super().__init__()
            self.place = place

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._ends: list[int] = []
        self._chosen = 0
        self._whole = True
        """Whether no name is cut."""

    def show(self, tabs: Sequence[TabLabel], chosen: int) -> None:
        """
        Args:
            tabs: in order.
            chosen: place of the one that is shown.
        """
        self._chosen = chosen
        self.paint_with(lambda width: self._line(tabs, chosen, width))

    def _line(self, tabs: Sequence[TabLabel], chosen: int, width: int) -> Content:
        for counted in (range(len(tabs)), (chosen,), ()):
            parts = [_part(tab, at == chosen, counted=at in counted) for at, tab in enumerate(tabs)]
            self._whole = sum(part.cell_length for part in parts) <= width
            if self._whole:
                break
        else:
            room = max(width // max(len(tabs), 1), 3)
            parts = [part.truncate(room, ellipsis=True) for part in parts]
        self._ends = []
        for part in parts:
            self._ends.append((self._ends[-1] if self._ends else 0) + part.cell_length)
        return Content("").join(parts)

    def jump_spots(self) -> list[Spot]:
        """The tabs that are not shown. Before the blank of a whole name is that of another tab, a bracket, or the edge
        of the line."""
        begins = [0, *self._ends[:-1]] if self._ends else []
        return [
            Spot(x, 0, partial(self.post_message, self.Chosen(place)), before=int(self._whole))
            for place, x in enumerate(begins)
            if place != self._chosen
        ]

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None:
            return
        for place, end in enumerate(self._ends):
            if offset.x < end:
                self.post_message(self.Chosen(place))
                return


def _part(tab: TabLabel, here: bool, *, counted: bool) -> Content:
    count = f" {tab.counted}" if counted and tab.counted else ""
    if here:  # brackets say which one it is where there are no colours
        return Content.assemble("[", styled(f"{tab.name}{count}", "bold underline $text-primary"), "]")
    return Content.assemble(" ", styled(tab.name), styled(count, "$foreground-muted"), " ")
