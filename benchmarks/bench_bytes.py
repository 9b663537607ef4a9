"""What the terminal is sent: bytes per key press, per refresh that brings nothing new, and per second in which nothing
happens. Prints a table.

The screens run in a terminal of their own, on a job that is made up and with a clock that stands still, so that only
what is painted anew is counted: ages that grow by a second would be new. Small numbers are what a slow line feels.

Run: python benchmarks/bench_bytes.py [columns rows]
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import sys
import tempfile
import termios
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tabulate import tabulate

from benchmarks.figures import record

SIZES = (64, 1024)
SCREENS = {
    "overview": "1",
    "ranks": "2",
    "stacks": "3",
    "recorder": "4",
    "counters": "5",
    "profiler": "6",
    "store": "7",
    "dispatch": "8",
}
KEYS = {"down": "\x1b[B", "up": "\x1b[A", "space": " ", "tab": "\t", "page down": "\x1b[6~"}
REFRESH = "r"
QUIET_S = 0.8
"""Seconds without a byte after which a key is done."""
IDLE_S = 2.0
COUNTED_FROM = b"quit"
"""The last word of the footer: the first frame is whole."""


def serve(ranks: int) -> None:
    """The screens on this terminal, on a made-up job that looks the same at each look."""
    from tests.tui.recorder_scripts import recorder_job, stuck
    from tests.tui.running import made
    from tests.tui.scripted import job, look

    sick = {3: "stopped", 5: "dead"}
    script = recorder_job(stuck(world=ranks, rank=5)) if ranks <= 64 else job(ranks, sick)
    run = made(script, Path(tempfile.mkdtemp()))
    looks = iter(range(10, 10_000))
    run.engine.on_look = lambda: look(next(looks), ranks, sick)
    run.app.run()


class Counted:
    """The screens in a child process, and what they send."""

    def __init__(self, ranks: int, size: tuple[int, int]) -> None:
        self.pid, self._terminal = pty.fork()
        if self.pid == 0:
            more = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8", "TEXTUAL_ANIMATIONS": "none"}
            os.execve(sys.executable, [sys.executable, __file__, "--serve", str(ranks)], {**os.environ, **more})
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        shown = b""
        while COUNTED_FROM not in shown:
            shown += self._read(60.0)
        self.sent()

    def _read(self, wait: float) -> bytes:
        ready, _, _ = select.select([self._terminal], [], [], wait)
        return os.read(self._terminal, 65536) if ready else b""

    def sent(self, keys: str = "", least: float = 0.0) -> int:
        """Bytes that come of some keys, until nothing has come for a while.

        Args:
            least: seconds to wait at least.
        """
        os.write(self._terminal, keys.encode())
        until, total = time.monotonic() + least, 0
        while True:
            piece = self._read(QUIET_S)
            total += len(piece)
            if not piece and time.monotonic() >= until:
                return total

    def end(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self._terminal)


def main(size: tuple[int, int]) -> None:
    rows = []
    for ranks in SIZES:
        counted = Counted(ranks, size)
        counted.sent(REFRESH)
        try:
            for name, key in SCREENS.items():
                whole = counted.sent(key)
                pressed = [counted.sent(keys) for keys in KEYS.values()]
                counted.sent(REFRESH)
                again, idle = counted.sent(REFRESH), counted.sent("", IDLE_S) / IDLE_S
                rows.append((ranks, name, whole, *pressed, again, idle))
                where = f"{ranks:,} ranks, {name}"
                record(f"{where}: opened", whole, "bytes")
                record(f"{where}: a key, median", statistics.median(pressed), "bytes")
                record(f"{where}: a refresh without news", again, "bytes")
                record(f"{where}: a second in which nothing happens", idle, "bytes")
        finally:
            counted.end()
    headers = ("ranks", "screen", "opened", *KEYS, "refresh", "idle, 1 s")
    print(f"Bytes sent, {size[0]}x{size[1]}")
    print(tabulate(rows, headers=headers, floatfmt=".0f", tablefmt="simple"))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(int(sys.argv[2]))
    else:
        main((int(sys.argv[1]), int(sys.argv[2])) if len(sys.argv) > 2 else (120, 40))
