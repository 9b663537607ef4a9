"""The verdict card: what is wrong, with whom, how sure, what to do, what would refute it. Calm when all is well."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message

from ..moving.jump_labels import Spot
from .painted import Painted
from .verdict_lines import card

if TYPE_CHECKING:
    from textual import events

    from ...services.session import Session

__all__ = ["VerdictCard"]


ROOMY = 30
"""Lines of a terminal from which a finding in full leaves room for the rest."""


class VerdictCard(Painted):
    """The first thing on the first screen. A click on a finding shows it in full."""

    class FindingClicked(Message):
        """A line of a finding was clicked."""

        def __init__(self, number: int) -> None:
            """
            Args:
                number: place of the finding among those of the verdict.
            """
            super().__init__()
            self.number = number

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._findings: list[int | None] = []
        """For each line the finding that it belongs to."""

    def show(self, session: Session, chosen: int | None = None, *, beside_matrix: bool = False) -> None:
        """Show the verdict of the session, or why there is none.

        Args:
            chosen: place of the finding that a person wants to read in full.
            beside_matrix: the progress matrix below has the keys and needs some lines even in a small terminal.
        """
        self.set_class(chosen is not None, "-reading")

        def made(width: int) -> Content:
            rows = self.app.size.height
            full = rows * 3 // 5 if beside_matrix and rows < ROOMY else rows * 3 // 4
            most = max(full if chosen is not None else rows // 2 - 1, 7)
            lines = card(session, width, max(rows * 2 // 5, 8), chosen, most)
            self._findings = [line.finding for line in lines]
            return Content("\n").join(line.content for line in lines)

        self.paint_with(made)

    def jump_spots(self) -> list[Spot]:
        """The findings, each at its first line."""
        lines = {number: y for y, number in reversed(list(enumerate(self._findings))) if number is not None}
        return [Spot(0, y, partial(self.post_message, self.FindingClicked(number))) for number, y in lines.items()]

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None or not 0 <= offset.y < len(self._findings):
            return
        number = self._findings[offset.y]
        if number is not None:
            self.post_message(self.FindingClicked(number))
