"""One tab: a process that runs the screens, and what goes between it and the browser.

The process writes the line `__GANGLION__`, then packets: a letter (D what a terminal would get, M a message in JSON, P
packed data), four bytes of length, most significant first, and the content. What is typed goes to it in packets of the
same form (textual 8.2, `textual.drivers.web_driver`).
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..terminal.on_terminal import SERVED_DRIVER

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

__all__ = ["WebSession", "session_environment"]

GREETING = b"__GANGLION__\n"
LARGEST_PACKET = 64 * 1024 * 1024
ERRORS_KEPT = 64 * 1024
LARGEST_SIDE = 2_000
"""Columns or rows; more is no terminal."""
TAKES_KEYS_S = 10.0
"""Seconds in which the process has to take what was typed."""
ENDS_S = 4.0
"""Seconds it has to end when it is told to; then it is made to."""

_OF_A_TERMINAL = ("TMUX", "TMUX_PANE", "STY", "LINES", "LC_ALL", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TEXTUAL")


def session_environment(env: Mapping[str, str], width: int, height: int) -> dict[str, str]:
    """The environment of a session: that of the server, without what describes the server's terminal."""
    made = {name: value for name, value in env.items() if name not in _OF_A_TERMINAL}
    return made | {
        "TEXTUAL_DRIVER": SERVED_DRIVER,
        "TEXTUAL_COLOR_SYSTEM": "truecolor",
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "COLUMNS": str(_side(width, 80)),
        "ROWS": str(_side(height, 24)),
        "LC_CTYPE": "C.UTF-8",  # what a browser draws is Unicode
    }


class WebSession:
    """Runs one process for one browser."""

    def __init__(
        self,
        command: Sequence[str],
        send_bytes: Callable[[bytes], Awaitable[None]],
        send_text: Callable[[str], Awaitable[None]],
    ) -> None:
        """
        Args:
            command: program and arguments; no shell sees them.
            send_bytes: gives the browser what a terminal would get.
            send_text: gives it a message.
        """
        self._command = tuple(command)
        self._send_bytes = send_bytes
        self._send_text = send_text
        self._process: asyncio.subprocess.Process | None = None
        self._errors = bytearray()
        self._reading: list[asyncio.Task[None]] = []

    async def start(self, env: Mapping[str, str]) -> None:
        """
        Raises:
            OSError: the program cannot be started.
        """
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(
            *self._command, stdin=pipe, stdout=pipe, stderr=pipe, env=dict(env), start_new_session=True
        )
        self._reading = [asyncio.create_task(self._read_errors())]

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def errors(self) -> str:
        """The end of what it has written to stderr."""
        return self._errors.decode("utf-8", "replace")

    async def show(self) -> None:
        """Hand on what the process shows until it says that it ends, or is gone."""
        assert self._process is not None
        output = self._process.stdout
        assert output is not None
        try:
            if await output.readuntil(b"\n") != GREETING:
                return
            while True:
                head = await output.readexactly(5)
                size = int.from_bytes(head[1:], "big")
                if size > LARGEST_PACKET:
                    return
                content = await output.readexactly(size)
                if head[:1] == b"D":
                    await self._send_bytes(content)
                elif head[:1] == b"M" and await self._told(json.loads(content)):
                    return
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError):
            return

    async def _told(self, message: dict[str, Any]) -> bool:
        """Carry a message of the process out; whether it ends."""
        if message.get("type") == "open_url" and urlsplit(str(message.get("url"))).scheme in ("http", "https"):
            await self._send_text(json.dumps(["open_url", {"url": message["url"], "new_tab": True}]))
        return message.get("type") == "exit"

    async def take(self, envelope: object) -> str | None:
        """Hand on what the browser says: a list with a word and what belongs to it.

        Returns:
            What to answer, None for nothing.

        Raises:
            ValueError: it is nothing that the page says.
            TimeoutError: the process does not take it.
        """
        match envelope:
            case ["stdin", str(text)]:
                await self._write(b"D", text.encode("utf-8", "replace"))
            case ["resize", {"width": int(width), "height": int(height)}]:
                await self._meta(type="resize", width=_side(width, 80), height=_side(height, 24))
            case ["ping", str(text)]:
                return json.dumps(["pong", text[:64]])
            case ["focus" | "blur" as word, *_]:
                await self._meta(type=word)
            case _:
                raise ValueError("not a message of the page")
        return None

    async def end(self) -> None:
        """The process is gone when this returns: it is told to end, then made to, with what it has started."""
        process = self._process
        if process is None:
            return
        if process.returncode is None:
            for how in (self._ask_to_end, lambda: self._signal(signal.SIGTERM), lambda: self._signal(signal.SIGKILL)):
                how()
                try:
                    await asyncio.wait_for(process.wait(), ENDS_S)
                    break
                except TimeoutError:
                    continue
        if self._reading:
            await asyncio.wait(self._reading, timeout=1.0)
        for task in self._reading:
            task.cancel()

    def _ask_to_end(self) -> None:
        """In place of an answer there may be a full pipe: the end of its input tells it too."""
        assert self._process is not None
        entry = self._process.stdin
        assert entry is not None
        entry.write(_packet(b"M", b'{"type": "quit"}'))
        entry.close()

    def _signal(self, number: signal.Signals) -> None:
        try:
            os.killpg(self.pid, number)  # it leads a group of its own
        except ProcessLookupError:
            return

    async def _meta(self, **message: object) -> None:
        await self._write(b"M", json.dumps(message).encode())

    async def _write(self, letter: bytes, content: bytes) -> None:
        assert self._process is not None
        entry = self._process.stdin
        assert entry is not None
        if entry.is_closing():
            return
        entry.write(_packet(letter, content))
        try:
            await asyncio.wait_for(entry.drain(), TAKES_KEYS_S)
        except ConnectionError:
            return  # it has ended, which `show` notices

    async def _read_errors(self) -> None:
        assert self._process is not None
        errors = self._process.stderr
        assert errors is not None
        while piece := await errors.read(4096):
            self._errors += piece
            del self._errors[:-ERRORS_KEPT]


def _packet(letter: bytes, content: bytes) -> bytes:
    return letter + len(content).to_bytes(4, "big") + content


def _side(cells: int, otherwise: int) -> int:
    return cells if 1 <= cells <= LARGEST_SIDE else otherwise
