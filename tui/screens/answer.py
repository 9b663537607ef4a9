"""What a rank's handler answered, over the screen it was called from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.screen import ModalScreen

from ..actions import Scope, bindings
from ..widgets.footer import KeyFooter
from ..widgets.painted import styled
from ..widgets.raw_text import RawText
from .handing_over import HandsOver

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ..app import XpudbgApp

__all__ = ["AnswerScreen"]


class AnswerScreen(HandsOver, ModalScreen[None]):
    """A title and a text that scrolls."""

    app: XpudbgApp
    BINDINGS = bindings(Scope.ANSWER)
    SCOPES = (Scope.ANSWER, Scope.TEXT)

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title = title
        self._text = text

    def compose(self) -> ComposeResult:
        with Vertical(id="answer"):
            yield RawText(id="answer-text")
            yield KeyFooter(self.SCOPES)

    def on_mount(self) -> None:
        raw = self.query_one(RawText)
        raw.show(styled(self._title), lambda: self._text, self._title, self._text)
        self.query_one(KeyFooter).show(self.app.session)
        self.set_focus(raw.log_widget)

    def do_close_answer(self) -> None:
        self.dismiss(None)

    def do_copy_answer(self) -> None:
        self.do_copy()

    def text_to_copy(self) -> tuple[str, str]:
        return self._text, "the answer"
