"""The driver of an application that is shown in a browser: it ends with the server."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

from textual import messages
from textual.drivers.web_driver import WebDriver

if TYPE_CHECKING:
    from textual.app import App

__all__ = ["ServedDriver"]


class ServedDriver(WebDriver):
    """Textual's driver for the web, for a server that can be gone."""

    def __init__(self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None):
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._gone = False
        self._write = partial(self._to_server)

    def run_input_thread(self) -> None:
        """Where what is typed has an end and nobody has ended the application, the server has gone."""
        super().run_input_thread()
        if not self.exit_event.is_set():
            self._app.post_message(messages.ExitApp())

    def _to_server(self, data: bytes) -> int:
        """What is written after the server has gone is dropped."""
        if not self._gone:
            rest = memoryview(data)
            try:
                while rest:
                    rest = rest[os.write(self.fileno, rest) :]
            except OSError:
                self._gone = True
        return len(data)
