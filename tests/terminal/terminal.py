"""A program in a real pseudo-terminal, read as a person reads it: the cells of the screen, not the bytes."""

from __future__ import annotations

import fcntl
import os
import re
import struct
import termios
import time
from typing import TYPE_CHECKING, Self

import pexpect
import pyte

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["Terminal"]

MODE = re.compile(rb"\x1b\[\?([\d;]+)([hl])")

TO_BE_LEFT = {
    1049: "alternate screen",
    1000: "mouse clicks",
    1002: "mouse drags",
    1003: "mouse moves",
    1004: "focus reports",
    2004: "bracketed paste",
}
"""Private modes that a program has to switch off again, by number (xterm's control sequences)."""

CURSOR = 25


def fresh_settings() -> list[object]:
    """The line settings of a terminal that nobody has touched. Those of the program's own may be changed by the time
    they could be read."""
    ends = os.openpty()
    try:
        return list(termios.tcgetattr(ends[0]))
    finally:
        for end in ends:
            os.close(end)


class Terminal:
    """Runs one program in a terminal of its own. A context manager: at its end the program is gone.

    Args:
        command: program and arguments.
        cwd: working directory of the program.
        size: columns and rows.
        environment: added to this process's environment.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: Path | None = None,
        size: tuple[int, int] = (120, 36),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        columns, rows = size
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._received = bytearray()
        settings = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8", **(environment or {})}
        inherited = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
        window = struct.pack("HHHH", rows, columns, 0, 0)

        def as_wide_as_it_will_be() -> None:
            """In the child, before the program looks."""
            fcntl.ioctl(0, termios.TIOCSWINSZ, window)

        self._child: pexpect.spawn[bytes] = pexpect.spawn(
            command[0],
            list(command[1:]),
            cwd=str(cwd) if cwd is not None else None,
            env={**inherited, **settings},
            dimensions=(rows, columns),
            preexec_fn=as_wide_as_it_will_be,
            timeout=None,
        )
        self._hung_up = False
        self._attributes = fresh_settings()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._hung_up:
            self._child.ptyproc.terminate(force=True)  # type: ignore[attr-defined]
        else:
            self._child.close(force=True)

    @property
    def pid(self) -> int:
        """Process id of the program."""
        assert self._child.pid is not None
        return self._child.pid

    @property
    def text(self) -> str:
        """The screen as it stands, one line a row, without blanks at the ends."""
        return "\n".join(line.rstrip() for line in self._screen.display)

    @property
    def received(self) -> bytes:
        """All that the program has written so far, control sequences and all."""
        return bytes(self._received)

    def press(self, keys: str) -> None:
        """Send keys as a keyboard would."""
        self._child.send(keys)

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size, as dragging its window does. What was on the screen is cleared."""
        self._screen.reset()
        self._screen.resize(rows, columns)
        self._child.setwinsize(rows, columns)

    def clear(self) -> None:
        """Forget what was drawn, so that only what is drawn from now on is waited for."""
        self._screen.reset()

    def wait_for(self, pattern: str, *, within: float) -> re.Match[str]:
        """Read until the screen shows `pattern` (a regular expression).

        Raises:
            AssertionError: it did not within `within` seconds, or the program ended first; the message has the screen.
        """
        ends_at = time.monotonic() + within
        while (found := re.search(pattern, self.text)) is None:
            left = ends_at - time.monotonic()
            assert left > 0, f"no {pattern!r} within {within:.0f} s on:\n{self.text}"
            assert self._read(left), f"the program ended before it showed {pattern!r}:\n{self.text}"
        return found

    def wait_for_exit(self, *, within: float) -> int:
        """Read until the program has ended; its exit code, or minus the signal that ended it.

        Raises:
            AssertionError: it is still there after `within` seconds.
        """
        ends_at = time.monotonic() + within
        while self._read(max(ends_at - time.monotonic(), 0)):
            assert time.monotonic() < ends_at, f"still running after {within:.0f} s:\n{self.text}"
        self._child.wait()
        return self._child.exitstatus if self._child.exitstatus is not None else -(self._child.signalstatus or 0)

    def hang_up(self) -> None:
        """Close the terminal under the program, as a lost connection does."""
        self._hung_up = True
        self._child.ptyproc.fileobj.close()  # type: ignore[attr-defined]

    def wait_for_end(self, *, within: float) -> bool:
        """Whether the program has ended within so many seconds; for one whose terminal is gone."""
        ends_at = time.monotonic() + within
        while time.monotonic() < ends_at:
            if not self._child.isalive():
                return True
            time.sleep(0.05)
        return False

    def left_behind(self) -> list[str]:
        """What the program has changed about the terminal and not put back; empty when it is as before."""
        states: dict[int, bool] = {}
        for numbers, switch in MODE.findall(bytes(self._received)):
            for number in numbers.split(b";"):
                states[int(number)] = switch == b"h"
        left = [name for number, name in TO_BE_LEFT.items() if states.get(number, False)]
        if not states.get(CURSOR, True):
            left.append("hidden cursor")
        if termios.tcgetattr(self._child.child_fd) != self._attributes:
            left.append("line settings (echo, line mode, signals)")
        return left

    def used_alternate_screen(self) -> bool:
        """Whether the program ever drew on the alternate screen: without that `left_behind` says little."""
        return b"\x1b[?1049h" in self._received

    def _read(self, wait: float) -> bool:
        """Take what the program has written, waiting at most `wait` seconds for it; False at its end."""
        try:
            piece: bytes = self._child.read_nonblocking(65536, timeout=wait)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self._received += piece
        self._stream.feed(piece)
        return True
