"""The application as far as it knows its terminal and nothing of jobs: themes, painting, clipboard, bell, defects."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text
from textual._compositor import CompositorUpdate
from textual.app import App
from textual.filter import Monochrome
from textual.widgets._toast import ToastHolder, ToastRack

from ..notices.notification import notification
from ..notices.toasts import making_room, reading_time
from ..themes import register, variable_defaults
from ..widgets.text import plain
from .clipboard import Way, clipboard_of, hand_over
from .crash import crash_message, write_crash
from .driver import TerminalDriver
from .kept_stylesheet import KeptStylesheet
from .kind import Colours, TerminalKind
from .paint import TerminalPaint

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.driver import Driver
    from textual.filter import LineFilter
    from textual.notifications import Notify, SeverityLevel
    from textual.screen import Screen

__all__ = ["PaintedApp"]


class PaintedApp(App[int]):
    """Base of the application; `run` returns the exit code."""

    def __init__(self, env: Mapping[str, str], crash_folder: Path | None = None) -> None:
        """
        Args:
            env: the environment, which tells what the terminal is.
            crash_folder: where the trace of a defect goes; the user's folder for logs when None.
        """
        super().__init__()
        self.env = env
        self._crash_folder = crash_folder
        self.stylesheet = KeptStylesheet(variables=self.theme_variables)
        register(self)
        self.paint_for(TerminalKind(colours=Colours.NONE if self.no_color else Colours.MANY))

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return variable_defaults(self.current_theme)

    def paint_for(self, kind: TerminalKind) -> None:
        """Paint for another kind of terminal from now on; before `run`."""
        self.no_color = kind.colours is Colours.NONE
        self._paint = TerminalPaint(kind)

    def get_line_filters(self) -> list[LineFilter]:
        """Textual's greys in place of colours are colours too."""
        usual = [one for one in super().get_line_filters() if not isinstance(one, Monochrome)]
        return usual + self._paint.filters(self.theme_variables)

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        """Send what is new, where Textual would send each region that was painted again."""
        driver = self._driver
        if isinstance(driver, TerminalDriver) and isinstance(renderable, CompositorUpdate):
            renderable = driver.frame.only_new(renderable, (screen.outer_size.width, screen.outer_size.height))
        super()._display(screen, renderable)

    def on_resize(self) -> None:
        """A terminal of another size has moved or cut what stood on it."""
        if isinstance(self._driver, TerminalDriver):
            self._driver.frame.forget()

    def get_driver_class(self) -> type[Driver]:
        chosen = super().get_driver_class()
        return TerminalDriver if issubclass(TerminalDriver, chosen) else chosen

    def say(self, message: str) -> None:
        """A short message that goes away; what stands in it is never read as markup."""
        self.notify(plain(message), markup=False)

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Tell something that goes away by itself, when it can have been read unless `timeout` says when."""
        if timeout is None:
            timeout = reading_time(message, self.NOTIFICATION_TIMEOUT)
        super().notify(message, title=title, severity=severity, timeout=timeout, markup=markup)

    def on_notify(self, message: Notify) -> None:
        """Before a notification is shown, others make room: with what holds them, which Textual leaves behind."""
        gone = making_room(list(self._notifications), message.notification)
        for one in gone:
            self._unnotify(one, refresh=False)
        held = {ToastRack._toast_id(one) for one in gone}
        for holder in self.screen.query(ToastHolder) if held else ():
            if holder.id in held:
                holder.remove()

    def copy(self, text: str, name: str) -> None:
        """Send a text to the person's clipboard, or to a file where that takes none or not so much, and say which.

        Args:
            name: what to call it.
        """
        self._clipboard = text
        board, driver, folder = clipboard_of(self.env, browser=self.is_web), self._driver, Path.cwd()
        if driver is None:
            return

        def work() -> None:
            said = hand_over(text, name, board, driver.write, folder)
            self.call_from_thread(self.say, said)

        if board.way is Way.TMUX:  # another program is asked, which may take its time
            self.run_worker(work, group="copy", thread=True)
        else:
            self.say(hand_over(text, name, board, driver.write, folder))

    def copy_to_clipboard(self, text: str) -> None:
        """What Textual's inputs copy by."""
        self.copy(text, "the text")

    def ring(self, text: str) -> None:
        """The terminal's bell, and a notification outside of the screen where the terminal knows that."""
        self.bell()
        if self._driver is not None:
            self._driver.write(notification(text))

    def do_redraw(self) -> None:
        """Something else may have written on the terminal."""
        self.on_resize()
        self.screen.refresh(layout=True)

    def _fatal_error(self) -> None:
        """A defect ends the program: the trace goes to a file, not to the terminal, and never with local variables,
        which hold what a job's ranks have sent."""
        error = self._exception or RuntimeError("no exception is known")
        said = crash_message(error, write_crash(error, self._crash_folder))
        self.panic(Text(said, no_wrap=True, overflow="ignore"))
