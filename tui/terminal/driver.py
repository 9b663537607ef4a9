"""The terminal that the program draws on: it may go away at any time, and the program may be stopped and continued."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, cast

from textual.drivers.linux_driver import LinuxDriver

from .frame import Frame

if TYPE_CHECKING:
    from io import TextIOWrapper
    from typing import TextIO

    from textual.app import App

__all__ = ["LossyOutput", "TerminalDriver"]


class LossyOutput:
    """A terminal to write to. Once it has failed, what is written is dropped.

    Textual writes in a thread with a bounded queue. If that thread ended at the first error, the program would stand
    still as soon as the queue is full, and signals could not end it any more.
    """

    def __init__(self, terminal: TextIO) -> None:
        self._terminal = terminal
        self._failed = False

    def write(self, text: str) -> int:
        if not self._failed:
            try:
                return self._terminal.write(text)
            except OSError:
                self._failed = True
        return len(text)

    def flush(self) -> None:
        if not self._failed:
            try:
                self._terminal.flush()
            except OSError:
                self._failed = True

    def fileno(self) -> int:
        return self._terminal.fileno()


class TerminalDriver(LinuxDriver):
    """Textual's driver, for a terminal that can be gone."""

    def __init__(self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None):
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        assert self._file is not None
        self._file = cast("TextIOWrapper", LossyOutput(self._file))
        self.frame = Frame()
        """What stands on it."""

    def start_application_mode(self) -> None:
        """Take the terminal, at the start and whenever the program comes back to it."""
        self.frame.forget()
        super().start_application_mode()  # type: ignore[no-untyped-call]

    @property
    def is_gone(self) -> bool:
        """Whether the terminal was closed or its connection lost."""
        return not os.isatty(self.fileno)

    def _sigcont_application(self, *_: object) -> None:
        """SIGCONT comes after ctrl+z, after a SIGSTOP from outside, and with the SIGHUP of a terminal that goes away.

        Textual takes the terminal anew each time, which is right only where it has let go of it before. Otherwise two
        threads would read the keys, and the program could end only when both have."""
        if self._must_signal_resume:
            super()._sigcont_application()
        elif self._auto_restart:
            self._loop.call_soon_threadsafe(self._take_terminal_anew)

    def _take_terminal_anew(self) -> None:
        """After a SIGSTOP the shell has changed the terminal's settings, and perhaps written on it."""
        if self._app.is_running and not self.is_gone:
            self.suspend_application_mode()
            self._must_signal_resume = True
            self.resume_application_mode()
