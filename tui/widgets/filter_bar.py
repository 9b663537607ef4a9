"""The filter line: what is typed, how many match, what is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from ..actions.registry import Scope, bindings
from .painted import styled

if TYPE_CHECKING:
    from textual.app import ComposeResult

__all__ = ["FilterBar"]


class FilterBar(Horizontal):
    """Hidden as long as there is neither a filter nor somebody typing one."""

    class Typed(Message):
        """The text changed."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Done(Message):
        """Enter: the filter stays, the keys go back to the screen."""

    class Dropped(Message):
        """Esc: the filter goes."""

    BINDINGS = bindings(Scope.FILTER)

    def __init__(self, filtered: str, hint: str) -> None:
        """
        Args:
            filtered: what is filtered, in the plural.
            hint: what can be typed.
        """
        super().__init__()
        self._filtered = filtered
        self._hint = hint
        self._said = Content("")

    def compose(self) -> ComposeResult:
        yield Input(placeholder=self._hint, compact=True, id="filter")
        yield Static(id="matches")

    @property
    def typing(self) -> bool:
        return self.query_one(Input).has_focus

    def open(self) -> None:
        """Show the line and take the keys."""
        self.add_class("open")
        self.screen.set_focus(self.query_one(Input))  # at once: what is typed next belongs to it already

    def show(self, text: str, shown: int, total: int, error: str) -> None:
        """
        Args:
            text: the filter that holds.
            shown: how many match.
            total: how many there are.
            error: what is wrong with the text typed.
        """
        entry = self.query_one(Input)
        if not self.typing and entry.value != text:
            with self.prevent(Input.Changed):
                entry.value = text
        self.set_class(bool(text) or self.typing, "open")
        self.set_class(bool(error), "-wrong")
        said = (
            styled(error, "$text-error")
            if error
            else Content.styled(f"{shown:,} of {total:,} {self._filtered}", "$foreground-muted")
        )
        if not said.is_same(self._said):
            self._said = said
            self.query_one(Static).update(said)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Typed(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.do_keep_filter()

    def do_keep_filter(self) -> None:
        self.post_message(self.Done())

    def do_drop_filter(self) -> None:
        self.post_message(self.Dropped())
