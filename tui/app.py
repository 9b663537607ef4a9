"""The application: the screens and how one comes from one to another. What a person does goes to `do_<action>`."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import App
from textual.widgets import Input

from ..services.recent import RecentTargets
from ..services.session import Phase
from .actions import Scope, bindings, by_name
from .attachment import Attachment
from .bridge import TICK_S, SessionChanged
from .palette import RegistryProvider
from .screens.help import HelpScreen
from .screens.job import JobScreen
from .screens.overview import OverviewScreen
from .screens.ranks import RanksScreen
from .screens.stacks import StacksScreen
from .screens.start import StartScreen
from .trail import Place, Trail
from .widgets.text import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from textual.screen import Screen

    from ..services.attach_options import AttachOptions
    from ..services.engine import Engine
    from ..services.session import Session
    from ..services.targets import Target
    from .rank_view import RankView

__all__ = ["XpudbgApp"]


class XpudbgApp(App[int]):
    """Shows the attachments of an engine that runs already; `run` returns the exit code."""

    TITLE = "xpudbg"
    CSS_PATH = ["styles/app.tcss", "styles/screens.tcss"]  # noqa: RUF012
    MODES: ClassVar[dict[str, str | Callable[[], Screen[Any]]]] = {
        "start": StartScreen,
        "overview": OverviewScreen,
        "ranks": RanksScreen,
        "stacks": StacksScreen,
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
        """
        super().__init__()
        self.env = os.environ if env is None else env
        self.recent = recent or RecentTargets()
        self.clock = clock
        self.attachment = Attachment(engine, options, self.recent, clock, refresh_s)
        self._first_target = target
        self._trail = Trail()

    @property
    def session(self) -> Session:
        return self.attachment.session

    @property
    def view(self) -> RankView:
        return self.attachment.view

    def on_mount(self) -> None:
        if self._first_target is None:
            self.switch_mode("start")
        else:
            self.attach(self._first_target)
        self.set_interval(TICK_S, self._drain)
        self.set_interval(1.0, self._tick)

    def attach(self, target: Target) -> None:
        """Open a target and show the overview."""
        self.attachment.open(target)
        self.switch_mode("overview")

    def choose_target(self) -> None:
        """Let go of the job and show the start screen."""
        self.attachment.let_go()
        self._trail.clear()
        self.switch_mode("start")

    def _drain(self) -> None:
        if self.attachment.drain():
            for fault in self.attachment.new_faults():
                said = plain(f"{fault.doing}: {fault.error}")
                self.notify(said, title="A defect of xpudbg", severity="error", markup=False)
            self.base_screen.post_message(SessionChanged(self.session.revision))

    def _tick(self) -> None:
        self.attachment.look_when_due()
        screen = self.base_screen
        if isinstance(screen, JobScreen) and screen.is_mounted and self.is_running:
            screen.tick()

    # places ---------------------------------------------------------------------------------------------------

    @property
    def base_screen(self) -> Screen[Any]:
        """The screen of the present mode, perhaps under a dialog."""
        return self.screen_stack[0]

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

    def _place(self) -> Place:
        return Place(self.current_mode, self.session.selected)

    def _arrive(self, place: Place | None) -> None:
        if place is None:
            self.say("there is no earlier place")
            return
        if isinstance(self.base_screen, JobScreen):
            self.base_screen.select(place.rank)
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
        reason = by_name[name].why_not(self.session)
        if reason:
            self.say(f"not now: {reason}")
            return
        focused = self.screen.focused
        for node in focused.ancestors_with_self if focused is not None else (self.screen, self):
            method = getattr(node, f"do_{name}", None)
            if method is not None:
                method()
                return

    def say(self, message: str) -> None:
        """A short message that goes away; what stands in it is never read as markup."""
        self.notify(plain(message), markup=False)

    def do_help(self) -> None:
        self.push_screen(HelpScreen(getattr(self.screen, "SCOPES", ()), self.session))

    def do_palette(self) -> None:
        self.action_command_palette()

    def do_theme(self) -> None:
        self.search_themes()

    def do_quit(self) -> None:
        """The exit code tells whether there was anything to look at."""
        self.exit(3 if self.session.phase is Phase.FAILED else 0)
