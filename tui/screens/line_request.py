"""A line to be typed: an address, a file, a field; with what could be typed below it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from ..actions.registry import Scope, bindings
from ..widgets.choice_list import ChoiceList
from ..widgets.footer import KeyFooter
from ..widgets.painted import styled
from ..widgets.text import plain_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import ComposeResult
    from textual.suggester import Suggester

    from ..app import XpudbgApp

__all__ = ["LineChoice", "LineRequest"]


@dataclass(frozen=True, slots=True)
class LineChoice:
    """Something that could be typed."""

    typed: str
    about: str = ""


class LineRequest(ModalScreen[str | None]):
    """Closes with what was typed, or None. What `take` has something against stays open and says it."""

    app: XpudbgApp
    BINDINGS = bindings(Scope.REQUEST)
    SCOPES = (Scope.REQUEST,)

    def __init__(
        self,
        title: str,
        text: str,
        take: Callable[[str], str],
        *,
        value: str = "",
        choices: Sequence[LineChoice] = (),
        suggester: Suggester | None = None,
    ) -> None:
        """
        Args:
            text: what is wanted, and in which forms.
            take: carries out what was typed and returns what is wrong with it, empty when nothing is.
            value: what the line holds at first.
            choices: what could be typed; enter on one takes it.
            suggester: completes what is being typed.
        """
        super().__init__()
        self._title = title
        self._text = text
        self._take = take
        self._value = value
        self._choices = choices
        self._suggester = suggester

    def compose(self) -> ComposeResult:
        with Vertical(id="request") as box:
            box.border_title = self._title
            yield Static(Content(plain_lines(self._text)), id="request-text")
            yield Input(self._value, compact=True, id="request-line", suggester=self._suggester)
            yield Static(id="request-error")
            yield ChoiceList(*(Option(_prompt(choice)) for choice in self._choices), id="request-choices")
            yield KeyFooter(self.SCOPES)

    def on_mount(self) -> None:
        self.query_one(OptionList).display = bool(self._choices)
        self.set_focus(self.query_one(Input))
        self.query_one(KeyFooter).show(self.app.session, typing=self.SCOPES)

    def on_input_changed(self) -> None:
        self.query_one("#request-error", Static).update("")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._submit(event.value)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._submit(self._choices[event.option_index].typed)

    def _submit(self, text: str) -> None:
        refused = self._take(text)
        if refused:
            self.query_one("#request-error", Static).update(styled(refused, "$text-error"))
            self.set_focus(self.query_one(Input))
        else:
            self.dismiss(text)

    def do_take_line(self) -> None:
        """A click on what the footer says."""
        choices = self.query_one(OptionList)
        if self.focused is choices:
            choices.action_select()
        else:
            self._submit(self.query_one(Input).value)

    def do_to_choices(self) -> None:
        choices = self.query_one(OptionList)
        if self._choices and self.focused is not choices:
            self.set_focus(choices)
            choices.action_first()

    def do_leave_line(self) -> None:
        self.dismiss(None)


def _prompt(choice: LineChoice) -> Content:
    return Content.assemble(styled(choice.typed), "  ", styled(choice.about, "$foreground-muted"))
