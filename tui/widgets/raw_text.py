"""One rank's text as it came, made plain, in a log that scrolls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.widgets import Log

from ..actions.registry import Scope, bindings, key_of
from .painted import Painted
from .text import plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.content import Content

__all__ = ["RawText", "TextLog"]

LINES_LIMIT = 50_000
"""Lines that are shown; the pager shows all."""


class TextLog(Log, inherit_bindings=False):
    """Moved through by the keys of the registry."""

    BINDINGS = bindings(Scope.TEXT)

    def __init__(self) -> None:
        super().__init__(highlight=False, auto_scroll=False)

    def do_up(self) -> None:
        self.scroll_up(animate=False)

    def do_down(self) -> None:
        self.scroll_down(animate=False)

    def do_left(self) -> None:
        self.scroll_to(x=self.scroll_offset.x - 8, animate=False)

    def do_right(self) -> None:
        self.scroll_to(x=self.scroll_offset.x + 8, animate=False)

    def do_page_up(self) -> None:
        self.scroll_page_up(animate=False)

    def do_page_down(self) -> None:
        self.scroll_page_down(animate=False)

    def do_first(self) -> None:
        self.scroll_home(animate=False)

    def do_last(self) -> None:
        self.scroll_end(animate=False)


class RawText(Vertical):
    """A line that says what it is, and the text."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._about: object = None
        self._version: object = None

    def compose(self) -> ComposeResult:
        yield Painted()
        yield TextLog()

    @property
    def log_widget(self) -> TextLog:
        return self.query_one(TextLog)

    @property
    def line_count(self) -> int:
        """Lines of the text that is shown."""
        return self.log_widget.line_count

    def show(self, title: Content, read: Callable[[], str], about: object, version: object) -> None:
        """
        Args:
            title: what the text is.
            read: gives the text as it came; called when it is another than before only.
            about: of which rank and source it is; when that changes, the text is shown from its top.
            version: what the text was made from.
        """
        self.query_one(Painted).paint_with(lambda width: title.truncate(width, ellipsis=True))
        if (about, version) == (self._about, self._version):
            return
        log = self.log_widget
        top = log.scroll_offset if about == self._about else None
        self._about, self._version = about, version
        lines = read().split("\n")
        rest = len(lines) - LINES_LIMIT
        # An empty line would be left out by the log.
        shown = [plain(line.rstrip("\r").expandtabs(4)) or " " for line in lines[:LINES_LIMIT]]
        if rest > 0:
            shown.append(f"… {rest:,} more lines; {key_of('pager')} opens all of them")
        log.clear()
        log.write_lines(shown, scroll_end=False)
        if top is not None:
            log.scroll_to(y=top.y, x=top.x, animate=False, force=True)
        else:
            log.scroll_home(animate=False)
