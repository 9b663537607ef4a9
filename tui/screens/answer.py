"""What a rank's handler answered, over the screen it was called from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.screen import ModalScreen

from ..actions.registry import Scope, bindings
from ..widgets.footer import KeyFooter
from ..widgets.painted import styled
from ..widgets.raw_text import RawText
from ..widgets.text import plain, wrapped_line
from .handing_over import HandsOver

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.screen import Screen

    from ..app import XpudbgApp

__all__ = ["AnswerScreen", "fit_to_text", "text_width"]

_MARGIN = 6
"""Terminal cells at the sides of the text."""
_WIDEST = 160
"""Terminal cells of the box (styles/store.tcss)."""
_LEAST = 20
"""Terminal cells that a line has at least."""
_FRAME = 5
"""Lines of the box beside the text: border, title, a scroll bar, keys."""
_LEAST_LINES = 4


def text_width(screen: Screen[None]) -> int:
    """Terminal cells of a line of text in the box."""
    return max(min(screen.app.size.width * 9 // 10, _WIDEST) - _MARGIN, _LEAST)


def fit_to_text(screen: Screen[None]) -> None:
    """The box is no higher than its text needs: what it is about stays visible above and below."""
    screen.query_one("#answer").styles.height = max(screen.query_one(RawText).line_count, _LEAST_LINES) + _FRAME


class AnswerScreen(HandsOver, ModalScreen[None]):
    """A title and a text that scrolls."""

    app: XpudbgApp
    BINDINGS = bindings(Scope.ANSWER)
    SCOPES = (Scope.ANSWER, Scope.TEXT)

    def __init__(self, title: str, text: str, *, wrap: bool = False) -> None:
        """
        Args:
            wrap: lines that are too long go on in the next one; else they scroll.
        """
        super().__init__()
        self._wrap = wrap
        self._title = title
        self._text = text

    def compose(self) -> ComposeResult:
        with Vertical(id="answer"):
            yield RawText(id="answer-text")
            yield KeyFooter(self.SCOPES)

    def on_mount(self) -> None:
        self._show()
        self.query_one(KeyFooter).show(self.app.session)
        self.set_focus(self.query_one(RawText).log_widget)

    def on_resize(self) -> None:
        if self._wrap:
            self._show()

    def _show(self) -> None:
        text, width = self._text, text_width(self)
        if self._wrap:
            lines = (wrapped_line(plain(line), width) for line in text.split("\n"))
            text = "\n".join(piece for pieces in lines for piece in pieces)
        self.query_one(RawText).show(styled(self._title), lambda: text, self._title, text)
        fit_to_text(self)

    def do_close_answer(self) -> None:
        self.dismiss(None)

    def do_copy_answer(self) -> None:
        self.do_copy()

    def text_to_copy(self) -> tuple[str, str]:
        return self._text, "the answer"
