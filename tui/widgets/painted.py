"""A widget that paints one `Content` and repaints only when it is a different one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from textual.content import Content
from textual.widget import Widget

from .text import cell_len, plain

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Painted", "at_commas", "hanging", "styled"]


def styled(text: str, style: str = "") -> Content:
    """Text from outside as content: made plain, never read as markup."""
    return Content.styled(plain(text), style)


def at_commas(body: Content, width: int) -> Content:
    """With line breaks behind commas in words that no line holds: a list of ranks is not cut within a number.

    Args:
        width: terminal cells of a line.
    """
    breaks: list[int] = []
    for word in re.finditer(r"\S+", body.plain):
        if cell_len(word[0]) <= width or "," not in word[0]:
            continue
        at = word.start()
        begin = at
        for part in re.finditer(r"[^,]*,|[^,]+", word[0]):
            end = at + part.end()
            if begin < at + part.start() and cell_len(body.plain[begin:end]) > width:
                begin = at + part.start()
                breaks.append(begin)
    return Content("\n").join(body.divide(breaks)) if breaks else body


def hanging(label: Content, body: Content, width: int, indent: int) -> list[Content]:
    """Lines of `body` beside a label: the first one after it, the others under the first.

    Args:
        width: terminal cells of a line.
        indent: terminal cells the label takes.
    """
    room = max(width - indent, 8)
    lines = at_commas(body, room).wrap(room)
    first = label.pad_right(max(indent - label.cell_length, 0))
    return [first + lines[0], *(line.pad_left(indent) for line in lines[1:])] if lines else [first]


class Painted(Widget):
    """Base of the status bar, footer and panes: a maker builds content for a width, this compares and paints it."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._content = Content("")
        self._maker: Callable[[int], Content] | None = None

    @property
    def content_shown(self) -> Content:
        return self._content

    def paint_with(self, maker: Callable[[int], Content]) -> None:
        """Show what `maker` makes for the width there is, now and after each change of size.

        Nothing is painted when it looks the same; only another number of lines lays out anew.
        """
        self._maker = maker
        self._paint()

    def on_resize(self) -> None:
        self._paint()
        if self._maker is not None and self.styles.is_auto_height:
            self.call_after_refresh(self._fit)  # measured by lines made for another width

    def _paint(self) -> None:
        width = self.content_size.width
        if self._maker is None or width <= 0:
            return
        content = self._maker(width)
        if content.is_same(self._content):
            return
        lines = self._content.plain.count("\n")
        self._content = content
        grown = self.styles.is_auto_height and content.plain.count("\n") != lines
        self.refresh(layout=grown)
        if grown:
            self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        """Lay out anew where that was asked for while an earlier layout was still due: Textual takes both for one, and
        keeps the height that it has measured between them."""
        if self.content_size.height != self._content.plain.count("\n") + 1:
            self.refresh(layout=True)

    def render(self) -> Content:
        return self._content
