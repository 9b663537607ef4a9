"""Fields to be filled in before something is done: each with a name before it and a word on it after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from ..actions.registry import Scope, bindings
from ..widgets.footer import KeyFooter
from ..widgets.painted import styled
from ..widgets.text import plain_lines
from ..widgets.toggle import Toggle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import ComposeResult
    from textual.suggester import Suggester
    from textual.widget import Widget

    from ..app import XpudbgApp

__all__ = ["FormRequest", "RefusedError", "field"]

ResultT = TypeVar("ResultT")


class RefusedError(Exception):
    """What stands in a field can't be meant."""

    def __init__(self, field_id: str, message: str) -> None:
        """
        Args:
            message: one line.
        """
        super().__init__(message)
        self.field_id = field_id


def field(
    id: str, name: str, value: str, about: str = "", suggester: Suggester | None = None, *, short: bool = False
) -> Horizontal:
    """A field for one line of text.

    Args:
        about: what can be typed there.
        short: a number or a word is typed.
    """
    line = Input(value, compact=True, id=id, suggester=suggester, select_on_focus=False)
    parts: list[Widget] = [Static(Content(name), classes="form-name"), line]
    if about:
        parts.append(Static(styled(about, "$foreground-muted"), classes="form-about"))
    return Horizontal(*parts, classes="form-field -short" if short else "form-field")


class FormRequest(ModalScreen[ResultT | None], Generic[ResultT]):
    """Closes with what `read` makes of the fields, or None. What is refused stays open and says it."""

    app: XpudbgApp
    BINDINGS = bindings(Scope.FORM)
    SCOPES = (Scope.FORM,)
    BEGINS = "begin"
    """What enter does, in a word."""

    def __init__(self, title: str, text: str) -> None:
        """
        Args:
            text: what will be done.
        """
        super().__init__()
        self._title = title
        self._text = text

    def fields(self) -> Iterator[Widget]:
        """The lines with the fields."""
        raise NotImplementedError

    def read(self) -> ResultT:
        """What the fields say.

        Raises:
            RefusedError: one says what can't be meant.
        """
        raise NotImplementedError

    def typed(self, field_id: str) -> str:
        """The text of a field, without blanks around it."""
        return self.query_one(f"#{field_id}", Input).value.strip()

    def compose(self) -> ComposeResult:
        with Vertical(id="request") as box:
            box.border_title = self._title
            yield Static(Content(plain_lines(self._text)), id="request-text")
            yield from self.fields()
            yield Static(id="request-error")
            yield KeyFooter(self.SCOPES)

    def on_mount(self) -> None:
        first = self.query(Input).first()
        self.set_focus(first)
        first.cursor_position = len(first.value)
        self._show_keys()

    def on_descendant_focus(self) -> None:
        self._show_keys()

    def _show_keys(self) -> None:
        on_toggle = isinstance(self.focused, Toggle)
        scopes = (Scope.TOGGLE, *self.SCOPES) if on_toggle else self.SCOPES
        words = {"take_form": self.BEGINS}
        self.query_one(KeyFooter).show(self.app.session, words, scopes=scopes, typing=() if on_toggle else scopes)

    def on_input_changed(self) -> None:
        self.query_one("#request-error", Static).update("")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.do_take_form()

    def do_take_form(self) -> None:
        try:
            made = self.read()
        except RefusedError as error:
            self.query_one("#request-error", Static).update(styled(str(error), "$text-error"))
            self.set_focus(self.query_one(f"#{error.field_id}"))
        else:
            self.dismiss(made)

    def do_next_field(self) -> None:
        self.focus_next()

    def do_previous_field(self) -> None:
        self.focus_previous()

    def do_leave_form(self) -> None:
        self.dismiss(None)
