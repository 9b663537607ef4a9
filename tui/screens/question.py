"""A question before something that a job can feel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from ..actions.registry import Scope, bindings
from ..widgets.footer import KeyFooter
from ..widgets.text import plain_lines

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ..app import XpudbgApp

__all__ = ["QuestionScreen"]


class QuestionScreen(ModalScreen[bool]):
    """Closes with True when the answer is yes."""

    app: XpudbgApp
    BINDINGS = bindings(Scope.QUESTION)
    SCOPES = (Scope.QUESTION,)

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title = title
        self._text = text

    def compose(self) -> ComposeResult:
        with Vertical(id="question") as box:
            box.border_title = self._title
            yield Static(Content(plain_lines(self._text)))
            yield KeyFooter(self.SCOPES)

    def on_mount(self) -> None:
        self.query_one(KeyFooter).show(self.app.session)

    def do_agree(self) -> None:
        self.dismiss(True)

    def do_decline(self) -> None:
        self.dismiss(False)
