"""What starting costs, and what the first visit of each screen does. Prints two tables.

A start is measured until the version is printed, and until the screens show their first frame. Beside them stand the
bare interpreter and the library that the screens are made with. CPU time is that of the program and its threads,
without the demo's child process; it is the figure to compare on a machine that has other work.

The first visits are counted with the program's style sheets and with Textual's own, which it parses again each time:
CPU time of the thread that paints, headless.

Run: python benchmarks/bench_start.py [times]
"""

from __future__ import annotations

import asyncio
import os
import pty
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

os.environ["TEXTUAL_ANIMATIONS"] = "none"
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tabulate import tabulate
from textual.css.stylesheet import Stylesheet

from benchmarks.figures import record
from tests.tui.running import made
from tests.tui.scripted import job

GOALS_S = {"xpudbg --version": 0.15, "xpudbg demo, first frame": 0.7}
"""Wall time, data not waited for."""
PROGRAM = str(Path(sys.executable).with_name("xpudbg"))
SIZE = (140, 40)
ALTERNATE_SCREEN = b"\x1b[?1049h"
END_OF_FIRST_FRAME = b"quit"
"""The last word of the footer, the last line of the screens."""


class Cost(NamedTuple):
    """Seconds."""

    wall: float
    cpu: float


def until_end(command: list[str]) -> Cost:
    """Run a command; what it takes to its end."""
    begun = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    wall = time.perf_counter() - begun
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {child.returncode}")
    return Cost(wall, used.ru_utime + used.ru_stime)


def until_first_frame(command: list[str], folder: Path) -> Cost:
    """Run the screens in a terminal of their own; what it takes until the first frame is whole."""
    begun = time.perf_counter()
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        size = {"COLUMNS": str(SIZE[0]), "LINES": str(SIZE[1]), "TERM": "xterm-256color", "XDG_STATE_HOME": str(folder)}
        os.execve(command[0], command, {**os.environ, **size})
    shown = b""
    try:
        while END_OF_FIRST_FRAME not in shown.partition(ALTERNATE_SCREEN)[2]:
            shown += os.read(terminal, 65536)
    except OSError:
        raise RuntimeError(f"ended without a frame: {shown.decode(errors='replace')}") from None
    wall = time.perf_counter() - begun
    os.kill(pid, signal.SIGKILL)
    _, _, used = os.wait4(pid, 0)
    os.close(terminal)
    return Cost(wall, used.ru_utime + used.ru_stime)


def best(costs: list[Cost]) -> Cost:
    return Cost(min(cost.wall for cost in costs), min(cost.cpu for cost in costs))


async def first_visits(folder: Path, *, kept: bool) -> dict[str, float]:
    """Milliseconds of CPU by screen: of its first visit, and of the start for the first one."""
    run = made(job(8, {4: "stopped"}), folder)
    if not kept:
        run.app.stylesheet = Stylesheet(variables=run.app.theme_variables)
    begun = time.thread_time()
    async with run.app.run_test(size=SIZE, notifications=True) as pilot:
        run.pilot = pilot
        await run.settled()
        spent = {"start, overview": time.thread_time() - begun}
        for key in "2345678":
            begun = time.thread_time()
            await run.press(key)
            await run.settled()
            spent[f"{key}  {run.app.current_mode}"] = time.thread_time() - begun
    return {name: seconds * 1000 for name, seconds in spent.items()}


def tell_first_visits(times: int) -> None:
    costs: dict[bool, list[dict[str, float]]] = {False: [], True: []}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(times):
            for kept, several in costs.items():
                several.append(asyncio.run(first_visits(Path(folder), kept=kept)))
    rows = []
    for screen in costs[True][0]:
        textuals, ours = (min(visit[screen] for visit in costs[kept]) for kept in (False, True))
        rows.append((screen, textuals, ours, ours / textuals))
    for screen, textuals, ours, _ in rows:
        record(f"first visit: {screen.strip()}", ours, "ms CPU", peer=textuals, against="Textual's own style sheets")
    headers = ("first visit", "Textual's sheets, ms CPU", "ours, ms CPU", "ratio")
    print(f"\nFirst visits, the best of {times}")
    print(tabulate(rows, headers=headers, floatfmt=("", ".0f", ".0f", ".2f"), tablefmt="simple"))


def tell_starts(times: int) -> None:
    python = [sys.executable, "-c"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        figures: dict[str, Callable[[], Cost]] = {
            "python -c pass": partial(until_end, [*python, "pass"]),
            "import numpy": partial(until_end, [*python, "import numpy"]),
            "import textual.app": partial(until_end, [*python, "import textual.app"]),
            "xpudbg --version": partial(until_end, [PROGRAM, "--version"]),
            "xpudbg (choose a target), first frame": partial(until_first_frame, [PROGRAM], folder),
            "xpudbg demo, first frame": partial(until_first_frame, [PROGRAM, "demo"], folder),
        }
        costs: dict[str, list[Cost]] = {name: [] for name in figures}
        for _ in range(times):  # in turn, so that what else the machine does falls on all of them
            for name, measure in figures.items():
                costs[name].append(measure())
    yardstick = best(costs["import textual.app"]).cpu
    rows = [(name, *least, least.cpu / yardstick) for name, several in costs.items() for least in [best(several)]]
    for what, several in costs.items():
        if what.startswith("xpudbg"):
            least = best(several)
            record(f"{what}: wall", least.wall, "s", at_most=GOALS_S.get(what))
            record(f"{what}: CPU", least.cpu, "s", peer=yardstick, against="import textual.app")
    headers = ("what", "wall, s", "CPU, s", "CPU against textual's import")
    print(f"Start, the best of {times}")
    print(tabulate(rows, headers=headers, floatfmt=("", ".3f", ".3f", ".1f"), tablefmt="simple"))


if __name__ == "__main__":
    chosen = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    tell_starts(chosen)
    tell_first_visits(chosen)
