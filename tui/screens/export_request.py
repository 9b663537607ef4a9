"""What of a screen goes into which file: one dialog for all tables, what is written is written beside the screen."""

from __future__ import annotations

import asyncio
import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from ...services.table_export import ENDINGS, export_table
from ..actions.registry import Scope, bindings
from ..suggesters.paths import PathSuggester
from ..widgets.choice_list import ChoiceList
from ..widgets.footer import KeyFooter
from ..widgets.painted import styled
from ..widgets.text import plain_lines
from ..wording import count

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import ComposeResult

    from ...services.table_export import ExportTable
    from ..app import XpudbgApp
    from .job import JobScreen

__all__ = ["ExportChoice", "ExportRequest", "ask_for_export", "table_choice"]

LONG_EXPORT = 20_000
"""Rows from which on it is said that writing has begun."""


@dataclass(frozen=True, slots=True)
class ExportChoice:
    """Something that can be exported."""

    about: str
    """`calls as shown: 12 rows, 22 columns`."""
    name: str
    """The name of the file that is offered."""
    endings: tuple[str, ...]
    """What the name may end in."""
    write: Callable[[Path, str, Callable[[], bool]], str]
    """Writes it, off the screen's thread, and returns what to say. Takes folder, name, and whether to stop. Raises
    OSError."""
    long: bool = False


def table_choice(what: str, name: str, table: ExportTable) -> ExportChoice:
    """A table as a choice.

    Args:
        what: `calls as shown`.
        name: the file that is offered.
    """

    def write(folder: Path, file: str, stopped: Callable[[], bool]) -> str:
        path, rows = export_table(table, folder, file, stopped)
        return f"{count(rows, 'row')} of {what.partition(',')[0]} in {path}"

    about = f"{what}: {count(table.size, 'row')}, {count(len(table.titles), 'column')}"
    return ExportChoice(about, name, ENDINGS, write, table.size > LONG_EXPORT)


def ask_for_export(screen: JobScreen, choices: Sequence[ExportChoice]) -> None:
    """Ask what and where to; then write it beside the screen.

    Args:
        choices: the first is taken unless another one is chosen.
    """

    def go(chosen: tuple[ExportChoice, Path] | None) -> None:
        if chosen is not None:
            screen.run_worker(_written(screen, *chosen), group="export")

    screen.app.push_screen(ExportRequest(choices), go)


async def _written(screen: JobScreen, choice: ExportChoice, path: Path) -> None:
    over = threading.Event()
    if choice.long:
        screen.app.say(f"writing {choice.about} …")
    try:
        said = await asyncio.to_thread(choice.write, path.parent, path.name, over.is_set)
    except OSError as error:
        said = f"not exported: {error.strerror or error}"
    finally:
        over.set()  # when the screen goes meanwhile, the file ends
    screen.app.say(said)


class ExportRequest(ModalScreen[tuple[ExportChoice, Path] | None]):
    """A line for the name of the file, below it what can be exported. Closes with both, or None."""

    app: XpudbgApp
    BINDINGS = bindings(Scope.REQUEST)
    SCOPES = (Scope.REQUEST,)

    def __init__(self, choices: Sequence[ExportChoice]) -> None:
        super().__init__()
        self._choices = choices
        self._offered = choices[0].name
        """The name that the line holds as long as nobody has typed another one."""

    def compose(self) -> ComposeResult:
        endings = tuple(dict.fromkeys(ending for choice in self._choices for ending in choice.endings))
        with Vertical(id="request") as box:
            box.border_title = "Export"
            yield Static(Content(_said(self._choices[0])), id="request-text")
            yield Input(self._offered, compact=True, id="request-line", suggester=PathSuggester(endings))
            yield Static(id="request-error")
            yield ChoiceList(
                *(Option(Content(plain_lines(choice.about))) for choice in self._choices), id="request-choices"
            )
            yield KeyFooter(self.SCOPES)

    def on_mount(self) -> None:
        self.query_one(OptionList).highlighted = 0
        self.set_focus(self.query_one(Input))
        self.query_one(KeyFooter).show(self.app.session, typing=self.SCOPES)

    @property
    def chosen(self) -> ExportChoice:
        """What the list is on."""
        return self._choices[self.query_one(OptionList).highlighted or 0]

    def on_input_changed(self) -> None:
        self.query_one("#request-error", Static).update("")

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """The line offers the name of what is chosen, unless something else was typed."""
        event.stop()
        self.query_one("#request-text", Static).update(Content(_said(self._choices[event.option_index])))
        line = self.query_one(Input)
        if line.value == self._offered:
            line.value = self._offered = self._choices[event.option_index].name
            line.cursor_position = len(line.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.do_take_line()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.do_take_line()

    def do_take_line(self) -> None:
        choice, typed = self.chosen, self.query_one(Input).value.strip()
        refused = _refused(typed, choice)
        if refused:
            self.query_one("#request-error", Static).update(styled(refused, "$text-error"))
            self.set_focus(self.query_one(Input))
            return
        self.dismiss((choice, Path(os.path.expanduser(typed))))

    def do_to_choices(self) -> None:
        self.set_focus(self.query_one(OptionList))

    def do_leave_line(self) -> None:
        self.dismiss(None)


def _said(choice: ExportChoice) -> str:
    """What kind of name is wanted."""
    *others, last = choice.endings
    endings = f"{', '.join(others)} or {last}" if others else last
    kind = f"{endings} by its ending" if choice.endings == ENDINGS else f"its name ends in {endings}"
    return f"A new file: {kind}. One that is there is left alone."


def _refused(typed: str, choice: ExportChoice) -> str:
    """What is wrong with a name, empty when nothing is."""
    if not typed:
        return "write the name of a file"
    if not typed.lower().endswith(choice.endings):
        return f"the name of this file ends in {' or '.join(choice.endings)}"
    path = Path(os.path.expanduser(typed))
    if "\0" in typed or path.name.lower() in choice.endings:
        return "no file can have such a name" if "\0" in typed else "write a name before the ending"
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    return ""
