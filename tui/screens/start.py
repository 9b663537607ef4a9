"""The start screen, when nothing was typed: attach, the demo, targets used before and named in the settings."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from ...services.settings.reading import NAME_RULE, near
from ...services.targets import DemoTarget, TargetError, parse_target
from ..actions.registry import Scope, bindings, key_of
from ..named_targets import RESERVED, Meant, options_for, summary, what_is_meant
from ..suggesters.names import NameSuggester
from ..suggesters.paths import PathSuggester, take_suggestion
from ..widgets.choice_list import ChoiceList
from ..widgets.footer import KeyFooter
from ..widgets.painted import styled
from ..widgets.text import cell_len, fit, plain
from ..wording import age

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ...services.attach_options import AttachOptions
    from ...services.settings.shape import Settings
    from ...services.targets import Target
    from ..app import XpudbgApp

__all__ = ["StartScreen"]

KIND_WIDTH = 7
NAME_WIDTH = 16
RECENT_WIDTH = 56
"""Terminal cells of a target used before; longer ones are cut."""
_INTRO = (
    "Attach to a distributed PyTorch job: the address of its TCPStore (MASTER_ADDR:MASTER_PORT) "
    "or of the debug server of one or several workers. Or open what a job left behind, its folder, files or archive: "
    "flight recorder dumps, stacks, logs, profiler traces, a bundle."
)
_WORDS_HINT = "Type an address as host:port, a worker as http://host:port, or the folder or files that a job left."


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
                yield Input(
                    placeholder="host:port   http://host:port ...   folder, files or archive",
                    compact=True,
                    id="start-address",
                    suggester=NameSuggester(self._settings.targets, PathSuggester(("",), several=True)),
                )
            yield Static(id="start-error")
            yield Static(id="start-behind")
            yield ChoiceList(id="start-list")
        yield KeyFooter((*self.SCOPES, Scope.APP))

    @property
    def _settings(self) -> Settings:
        return self.app.preferences.loaded.settings

    @property
    def is_ready(self) -> bool:
        """Whether its widgets are there."""
        return self.is_mounted and self.is_running

    def do_choices(self) -> None:
        choices = self.query_one(OptionList)
        self.set_focus(choices)
        choices.action_first()

    def do_complete_name(self) -> None:
        line = self.query_one(Input)
        if self.focused is not line or not take_suggestion(line):
            self.focus_next()

    def do_ops(self) -> None:
        self.app.switch_mode("dispatch")

    def do_leave(self) -> None:
        self.app.leave_start()

    def do_submit(self) -> None:
        """A click on what the footer says; the key goes to the input or the list itself."""
        choices = self.query_one(OptionList)
        if self.focused is choices:
            choices.action_select()
        else:
            self._attach_to_line(self.query_one(Input).value)

    def on_screen_resume(self) -> None:
        if not self.is_ready:
            return
        self.show_choices()
        self.set_focus(self.query_one(Input))
        self._show_keys()
        label = self.app.session.label
        behind = (
            f"Attached to {label} until another target is chosen; {key_of('leave')} goes back to it." if label else ""
        )
        said = self.query_one("#start-behind", Static)
        said.display = bool(behind)
        said.update(styled(behind, "$foreground-muted"))

    def on_descendant_focus(self) -> None:
        self._show_keys()

    def on_descendant_blur(self) -> None:
        self._show_keys()

    def _show_keys(self) -> None:
        if self.is_ready:
            typing = (*self.SCOPES, Scope.APP) if isinstance(self.focused, Input) else ()
            words = {} if typing else {"complete_name": "next field"}
            self.query_one(KeyFooter).show(self.app.session, words, typing=typing)

    def show_choices(self) -> None:
        """Targets used before, those that the settings name, the demo and its scenarios."""
        choices = self.query_one(OptionList)
        choices.clear_options()
        recent = self.app.recent.load()
        now = self.app.clock()
        for index, entry in enumerate(recent):
            said = plain(" ".join(entry.words))
            words = Content(fit(said, min(max(cell_len(said), NAME_WIDTH), RECENT_WIDTH)))
            about = f"{age(now, entry.used_at)} ago"
            if (called := self._settings.targets.get(entry.words[0])) is not None and len(entry.words) == 1:
                about = f"{about}  {plain(summary(called))}"
            choices.add_option(Option(_choice("again", words, about), id=f"recent-{index}"))
        used = {entry.words for entry in recent}
        for name, target in self._settings.targets.items():
            if (name,) not in used and name not in RESERVED:
                words = Content(fit(name, max(len(name), NAME_WIDTH)))
                choices.add_option(Option(_choice("named", words, plain(summary(target))), id=f"named-{name}"))
        for index, (name, about) in enumerate(_scenarios()):
            choices.add_option(Option(_choice("demo", Content(fit(name, NAME_WIDTH)), about), id=f"demo-{index}"))
        if self.app.recent.problem:
            self._say(self.app.recent.problem, "")

    # choosing -------------------------------------------------------------------------------------------------

    def on_input_changed(self) -> None:
        self.query_one("#start-error", Static).update("")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self._attach_to_line(event.value)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        kind, _, number = (event.option_id or "").partition("-")
        if kind == "recent":
            self._attach_to(list(self.app.recent.load()[int(number)].words), again=True)
        elif kind == "named":
            self._attach_to([number])
        elif kind == "demo":
            self.app.attach(DemoTarget(None, _scenarios()[int(number)][0]), self._options(Meant(("demo",))))

    def _attach_to_line(self, typed: str) -> None:
        try:
            words = _words(typed)
        except TargetError as error:
            self._say(str(error), error.hint)
        else:
            self._attach_to(words)

    def _options(self, meant: Meant) -> AttachOptions:
        """
        Raises:
            TargetError: one that the settings give the target can't be read.
        """
        return options_for(meant, self.app.attachment.options, self._settings)

    def _attach_to(self, words: list[str], *, again: bool = False) -> None:
        """
        Args:
            again: the words were kept, where a bare word is always a name.
        """
        try:
            meant = what_is_meant(words, self.app.preferences.loaded)
            self._check_name(meant, again=again)
            target: Target | None = parse_target(meant.words, self.app.env)
            options = self._options(meant)
        except TargetError as error:
            self._say(str(error), error.hint)
            return
        if target is None:
            self._say("Nothing is typed.", _WORDS_HINT)
            return
        if meant.said:
            self.app.say(meant.said)
        self.app.attach(target, options)

    def _check_name(self, meant: Meant, *, again: bool) -> None:
        """
        Raises:
            TargetError: a bare word that is no name, and was one or is nearly one.
        """
        bare = len(meant.words) == 1 and NAME_RULE.fullmatch(meant.words[0]) and meant.words[0] not in RESERVED
        word = meant.words[0] if bare else ""
        if not word or meant.name or os.path.lexists(word):
            return
        meant_hint = near(word, self._settings.targets)
        if again or meant_hint:
            host = f"write {word}:29500 for a host of that name"
            raise TargetError(
                f"no target of the settings is called {word}", hint=f"{meant_hint} {host}" if meant_hint else host
            )

    def _say(self, message: str, hint: str) -> None:
        said = Content.assemble(styled(message, "$text-error"), "\n" if hint else "", styled(hint, "$foreground-muted"))
        self.query_one("#start-error", Static).update(said)


def _words(typed: str) -> list[str]:
    """The words of a line: quotes hold one together as in a shell, and so does a file of that name.

    Raises:
        TargetError: a quotation mark stands alone.
    """
    try:
        if os.path.lexists(os.path.expanduser(typed.strip())):
            return [typed.strip()]
    except ValueError:  # a NUL: no file is called so
        return typed.split()
    try:
        return shlex.split(typed)
    except ValueError as error:
        hint = "close it, or put a backslash before it"
        raise TargetError("A quotation mark or backslash stands alone.", hint=hint) from error


def _choice(kind: str, name: Content, about: str) -> Content:
    shown = Content.assemble((kind.ljust(KIND_WIDTH), "$foreground-muted"), name, "  " if name else "")
    return shown + styled(about, "$foreground-muted")


def _scenarios() -> list[tuple[str, str]]:
    """Names of the demo's scenarios and what each shows, the usual one first."""
    from ...services.simulate.scenarios import DEFAULT, SCENARIOS

    names = sorted(SCENARIOS, key=lambda name: name != DEFAULT)
    return [(name, SCENARIOS[name].story) for name in names]
