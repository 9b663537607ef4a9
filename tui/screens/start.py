"""The start screen, when nothing was typed: attach, the demo, targets used before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from ...services.targets import DemoTarget, FilesTarget, TargetError, parse_target
from ..actions import Scope, bindings
from ..widgets.footer import KeyFooter
from ..widgets.painted import styled
from ..widgets.text import fit, plain
from ..wording import age

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ...services.targets import Target
    from ..app import XpudbgApp

__all__ = ["StartScreen"]

KIND_WIDTH = 7
NAME_WIDTH = 16
_INTRO = (
    "Attach to a distributed PyTorch job: the address of its TCPStore (MASTER_ADDR:MASTER_PORT) "
    "or of the debug server of one or several workers."
)
_LATER = "Opening dump files comes with a later version."
_WORDS_HINT = "Type an address as host:port, or a worker as http://host:port."


class StartScreen(Screen[None]):
    """Leads to the overview as soon as a target is chosen."""

    app: XpudbgApp
    BINDINGS = bindings(Scope.START)
    SCOPES = (Scope.START,)

    def compose(self) -> ComposeResult:
        with Vertical(id="start"):
            yield Static(Content.styled("xpudbg", "bold $primary"), id="start-title")
            yield Static(Content(_INTRO), id="start-intro")
            with Horizontal(id="start-entry"):
                yield Static("attach to")
                yield Input(placeholder="host:port   or   http://host:port ...", compact=True, id="start-address")
            yield Static(id="start-error")
            yield OptionList(id="start-list")
        yield KeyFooter(self.SCOPES)

    def do_choices(self) -> None:
        choices = self.query_one(OptionList)
        self.set_focus(choices)
        choices.action_first()

    def do_leave(self) -> None:
        self.app.do_quit()

    def on_screen_resume(self) -> None:
        self.show_choices()
        self.set_focus(self.query_one(Input))
        self.query_one(KeyFooter).show(self.app.session)

    def show_choices(self) -> None:
        """Targets used before, the demo and its scenarios."""
        choices = self.query_one(OptionList)
        choices.clear_options()
        recent = self.app.recent.load()
        now = self.app.clock()
        for index, entry in enumerate(recent):
            words = Content(fit(plain(" ".join(entry.words)), NAME_WIDTH))
            choices.add_option(Option(_choice("again", words, f"{age(now, entry.used_at)} ago"), id=f"recent-{index}"))
        for index, (name, about) in enumerate(_scenarios()):
            choices.add_option(Option(_choice("demo", Content(fit(name, NAME_WIDTH)), about), id=f"demo-{index}"))
        choices.add_option(Option(_choice("files", Content(""), _LATER), disabled=True))
        if self.app.recent.problem:
            self._say(self.app.recent.problem, "")

    # choosing -------------------------------------------------------------------------------------------------

    def on_input_changed(self) -> None:
        self.query_one("#start-error", Static).update("")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self._attach_to(event.value.split())

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        kind, _, number = (event.option_id or "").partition("-")
        if kind == "recent":
            self._attach_to(list(self.app.recent.load()[int(number)].words))
        elif kind == "demo":
            self.app.attach(DemoTarget(None, _scenarios()[int(number)][0]))

    def _attach_to(self, words: list[str]) -> None:
        try:
            target: Target | None = parse_target(words, self.app.env)
        except TargetError as error:
            self._say(str(error), error.hint)
            return
        if target is None:
            self._say("Nothing is typed.", _WORDS_HINT)
        elif isinstance(target, FilesTarget):
            self._say(_LATER, _WORDS_HINT)
        else:
            self.app.attach(target)

    def _say(self, message: str, hint: str) -> None:
        said = Content.assemble(styled(message, "$text-error"), "\n" if hint else "", styled(hint, "$foreground-muted"))
        self.query_one("#start-error", Static).update(said)


def _choice(kind: str, name: Content, about: str) -> Content:
    shown = Content.assemble((kind.ljust(KIND_WIDTH), "$foreground-muted"), name, "  " if name else "")
    return shown + styled(about, "$foreground-muted")


def _scenarios() -> list[tuple[str, str]]:
    """Names of the demo's scenarios and what each shows, the usual one first."""
    from ...services.simulate.scenarios import DEFAULT, SCENARIOS

    names = sorted(SCENARIOS, key=lambda name: name != DEFAULT)
    return [(name, SCENARIOS[name].story) for name in names]
