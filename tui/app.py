"""The application: the screens and how one comes from one to another. What a person does goes to `do_<action>`."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual.theme import ThemeProvider
from textual.widgets import Input

from ..services.session import Phase
from ..services.settings.recent import RecentTargets
from ..services.settings.state import Remembered
from .actions.registry import Scope, bindings, by_name, key_of
from .attachment import Attachment
from .bridge import TICK_S, SessionChanged
from .dispatch.desk import DispatchDesk
from .dispatch.named_servers import NamedServers
from .moving.trail import Place, Trail
from .notices.hints import Hints
from .notices.told import LONG_S, tell_faults, tell_incidents
from .palette import Palette, RegistryProvider
from .preferences import Preferences
from .screens.counters import CountersScreen
from .screens.dispatch import DispatchScreen
from .screens.help import HelpScreen
from .screens.job import JobScreen
from .screens.overview import OverviewScreen
from .screens.profiler import ProfilerScreen
from .screens.ranks import RanksScreen
from .screens.recorder import RecorderScreen
from .screens.stacks import StacksScreen
from .screens.start import StartScreen
from .screens.store import StoreScreen
from .terminal.driver import TerminalDriver
from .terminal.painted_app import PaintedApp

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from textual.screen import Screen
    from textual.theme import Theme

    from ..services.attach_options import AttachOptions
    from ..services.engine import Engine
    from ..services.session import Session
    from ..services.settings.sources import Loaded
    from ..services.settings.state import KeptTable
    from ..services.targets import Target
    from .dispatch.desk import DispatchStart
    from .ranks.view import RankView

__all__ = ["XpudbgApp"]


ENDING = (signal.SIGTERM, signal.SIGHUP)
"""Signals that end the program as `q` does, the terminal put back; the exit code is 128 and the signal's number."""
GOING_BACK = ("back", "leave_dispatch")
"""Actions of the key that takes a hint away first."""
_STYLES = ("app", "screens", "counters", "result", "dispatch", "store", "profiler", "going")
TWICE_NS = 2_000_000_000
"""Longest time between two presses of ctrl+c that quit together."""


class XpudbgApp(PaintedApp):
    """Shows the attachments of an engine that runs already; `run` returns the exit code."""

    TITLE = "xpudbg"
    CSS_PATH = [f"styles/{name}.tcss" for name in _STYLES]  # noqa: RUF012
    MODES: ClassVar[dict[str, str | Callable[[], Screen[Any]]]] = {
        "start": StartScreen,
        "overview": OverviewScreen,
        "ranks": RanksScreen,
        "stacks": StacksScreen,
        "recorder": RecorderScreen,
        "counters": CountersScreen,
        "profiler": ProfilerScreen,
        "store": StoreScreen,
        "dispatch": DispatchScreen,
    }
    BINDINGS = bindings(Scope.APP)
    COMMANDS = {RegistryProvider}  # noqa: RUF012
    NOTIFICATION_TIMEOUT = 3

    def __init__(
        self,
        engine: Engine,
        target: Target | None,
        options: AttachOptions,
        refresh_s: float | None = None,
        env: Mapping[str, str] | None = None,
        *,
        recent: RecentTargets | None = None,
        clock: Callable[[], int] = time.time_ns,
        crash_folder: Path | None = None,
        dispatch: DispatchStart | None = None,
        settings: Loaded | None = None,
        hints: bool = False,
    ) -> None:
        """
        Args:
            engine: a started engine.
            target: what to attach to; None opens the start screen.
            options: for every attachment.
            refresh_s: seconds between looks, None when only `r` looks again.
            env: environment in which typed targets are read.
            recent: targets used before.
            clock: the time, ns since the epoch.
            crash_folder: where the trace of a defect goes; the user's folder for logs when None.
            dispatch: begin at the dispatch screen with these cases and servers.
            settings: what a person has set; the defaults when None.
            hints: whether who sees this for the first time is told some keys, each once.
        """
        super().__init__(os.environ if env is None else env, crash_folder)
        self.recent = recent or RecentTargets()
        self.preferences = Preferences(settings, Remembered(self.recent.file))
        self.theme = self.preferences.theme(self.available_themes) or self.theme
        refresh_s = self.preferences.refresh_s if refresh_s is None else refresh_s
        self.clock = clock
        self.attachment = Attachment(engine, options, self.recent, clock, refresh_s)
        self.desk = DispatchDesk(
            self.attachment.console,
            lambda order: engine.console(order),
            self.attachment.change,
            dispatch,
            NamedServers(self.preferences.loaded),
        )
        self._first_target = target
        self._at_dispatch = dispatch is not None
        self._trail = Trail()
        self.hints = Hints(self.preferences.remembered, on=hints)
        self._interrupted_at = self._warned_at = -TWICE_NS
        self._said_of_tables = ""
        self._behind_start = "overview"
        """The place that the start screen was opened from."""

    @property
    def session(self) -> Session:
        return self.attachment.session

    @property
    def instant(self) -> int:
        """The time that ages of what is shown are told from, ns since the epoch: now, or when the older look shown
        closed; of a job that is not asked any more when its last look did."""
        session = self.session
        look = session.look if session.shown is not None or not session.asks else None
        return look.closed_at if look is not None else self.clock()

    @property
    def view(self) -> RankView:
        return self.attachment.view

    def on_mount(self) -> None:
        self.set_keymap(self.preferences.keymap.for_textual())
        self.theme_changed_signal.subscribe(self, self._theme_chosen)
        if told := self.preferences.told():
            self.notify(told, title="Settings", severity="warning", timeout=LONG_S, markup=False)
        if not self.is_headless:
            for number in ENDING:
                asyncio.get_running_loop().add_signal_handler(number, self.exit, 128 + number)
        if self._at_dispatch:
            self.switch_mode("dispatch")
        elif self._first_target is None:
            self.switch_mode("start")
        else:
            self.attach(self._first_target)
        self.set_interval(TICK_S, self._drain)
        self.set_interval(1.0, self._tick)

    def _theme_chosen(self, theme: Theme) -> None:
        if said := self.preferences.keep_theme(theme.name):
            self.say(said)

    def on_unmount(self) -> None:
        self.preferences.tables.save(self.preferences.tables.take_unsaved())

    def _save_tables(self, taken: Mapping[str, KeptTable]) -> None:
        """Beside the screen: another program may hold the file for a moment."""
        said = self.preferences.tables.save(taken)
        if said and said != self._said_of_tables:
            self._said_of_tables = said
            self.call_from_thread(self.say, f"how tables are arranged is not remembered: {said}")

    def attach(self, target: Target, options: AttachOptions | None = None) -> None:
        """Open a target, in place of the one before, and show the overview; with the options of the command line, or
        those of its own."""
        self.attachment.open(target, options)
        self._trail.clear()
        self.switch_mode("overview")

    @property
    def has_job(self) -> bool:
        """Whether something is attached, or could not be."""
        return self.session.phase is not Phase.IDLE

    def choose_target(self) -> None:
        """Show the start screen; the job is kept until another target is attached to."""
        self._behind_start = self.current_mode
        self.switch_mode("start")

    def leave_start(self) -> None:
        """From the start screen back to the job."""
        self.switch_mode(self._behind_start)

    def _drain(self) -> None:
        if self.attachment.drain():
            tell_faults(self)
            if (screen := self.base_screen) is not None:
                screen.post_message(SessionChanged(self.session.revision))
        tell_incidents(self)

    def _tick(self) -> None:
        if isinstance(self._driver, TerminalDriver) and self._driver.is_gone:  # not everybody is told by a signal
            self.exit(128 + signal.SIGHUP)
            return
        self.attachment.look_when_due()
        if self.preferences.tables.is_unsaved:
            taken = self.preferences.tables.take_unsaved()
            self.run_worker(partial(self._save_tables, taken), thread=True, group="tables")
        screen = self.base_screen
        if isinstance(screen, JobScreen):
            screen.tick()

    # places ---------------------------------------------------------------------------------------------------

    @property
    def base_screen(self) -> Screen[Any] | None:
        """The screen of the present mode, perhaps under a dialog; None once the program closes its screens, while its
        timers may still tick."""
        stack = self.screen_stack
        return stack[0] if stack else None

    def go_to(self, mode: str) -> None:
        """Show another screen and remember where this was."""
        if mode != self.current_mode:
            self._trail.leave(self._place())
            self.switch_mode(mode)

    def go_back(self) -> None:
        """Where this place was come to from; nothing at the first one."""
        self._arrive(self._trail.back(self._place()))

    def go_last(self) -> None:
        """The last place; again, back here."""
        self._arrive(self._trail.last(self._place()))

    @property
    def place_before(self) -> Place | None:
        """Where `go_back` leads; None at the first place."""
        return self._trail.before

    def _place(self) -> Place:
        return Place(self.current_mode, self.session.selected)

    def _arrive(self, place: Place | None) -> None:
        if place is None:
            self.say("there is no earlier place")
            return
        if isinstance(screen := self.base_screen, JobScreen):
            screen.select(place.rank)
        self.switch_mode(place.mode)

    # actions --------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Inside an input, keys of actions that would open another are characters."""
        taken = action == "perform" and by_name[str(parameters[0])].takes_keys
        return not (taken and isinstance(self.focused, Input))

    def action_perform(self, name: str) -> None:
        self.perform(name)

    def perform(self, name: str) -> None:
        """Carry an action out at the nearest place that knows it, or say why it cannot be done now."""
        if not getattr(self.screen, "is_ready", True) and Scope.APP not in by_name[name].scopes:
            return
        reason = by_name[name].why_not(self.session)
        if reason:
            self.say(f"not now: {reason}")
            return
        if name in GOING_BACK and self.hints.shown is not None:
            self.hints.drop(self.clock())
            self._show_place()
            return
        self.hints.done(name, self.clock())
        focused = self.screen.focused
        for node in focused.ancestors_with_self if focused is not None else (self.screen, self):
            method = getattr(node, f"do_{name}", None)
            if method is not None:
                method()
                break
        if not by_name[name].motion:
            self._show_place()

    def _show_place(self) -> None:
        """What the last action has led to or taken away is said at once."""
        if isinstance(screen := self.base_screen, JobScreen):
            screen.show_place()

    def do_help(self) -> None:
        typing = isinstance(self.focused, Input)
        self.push_screen(HelpScreen(getattr(self.screen, "SCOPES", ()), self.session, typing=typing))

    def action_command_palette(self) -> None:
        if not isinstance(self.screen, Palette):
            self.push_screen(Palette(id="--command-palette"))

    def search_themes(self) -> None:
        self.push_screen(Palette(providers=[ThemeProvider], placeholder="Search for themes…"))

    def do_palette(self) -> None:
        self.action_command_palette()

    def do_theme(self) -> None:
        self.search_themes()

    def do_interrupt(self) -> None:
        """ctrl+c copies where text is selected; elsewhere people mean to quit by it, or pressed it by mistake."""
        entry = self.focused
        selected = entry.selected_text if isinstance(entry, Input) else self.screen.get_selected_text()
        if selected:
            self.copy(selected, "the selected text")
            return
        now = self.clock()
        if now - self._interrupted_at <= TWICE_NS:
            self.do_quit()
            return
        self._interrupted_at = now
        self.say(f"{key_of('quit')} quits, ctrl+q where text is typed; ctrl+c once more within 2 s does too")

    def do_quit(self) -> None:
        """The exit code tells whether there was anything to look at. A bundle under way would be cut, so that takes a
        second press."""
        now = self.clock()
        if self.attachment.bundles.under_way and now - self._warned_at > TWICE_NS:
            self._warned_at = now
            self.say("a bundle is still being written; once more within 2 s quits, and leaves it cut")
            return
        self.exit(3 if self.session.phase is Phase.FAILED else 0)
