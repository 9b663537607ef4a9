"""What the screens cost: CPU time of the thread that paints, per step, really rendered. Prints a table.

Run: python benchmarks/bench_widgets.py [ranks ...]
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

os.environ["TEXTUAL_ANIMATIONS"] = "none"
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
from tabulate import tabulate
from textual.widget import Widget

from benchmarks.figures import record_all
from tests.tui.running import running
from tests.tui.scripted import job, look
from tests.tui.widgets.painting import Alone
from xpudbg.services.session import Session
from xpudbg.tui.bridge import SLICE_S, drain
from xpudbg.tui.screens.job import JobScreen
from xpudbg.tui.widgets.grid_table import GridTable
from xpudbg.tui.widgets.table_layout import Cell, Column

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from textual.screen import Screen

    from tests.tui.running import Running

SIZE = (140, 40)
SICK = {3: "stopped", 77: "dead", 78: "gil_held"}
Figure = tuple[str, float]


async def cpu_ms(step: Callable[[], Awaitable[object] | object], times: int = 1) -> float:
    """Milliseconds of CPU of this thread for one run of `step`, the best of five."""
    best = float("inf")
    for _ in range(5 if times > 1 else 1):
        begun = time.thread_time()
        for _ in range(times):
            done = step()
            if asyncio.iscoroutine(done):
                await done
        best = min(best, (time.thread_time() - begun) * 1000 / times)
    return best


async def painted(run: Running) -> None:
    """Everything on the screen painted anew, as after a change of mode."""
    paint_anew(run.app.screen)


def paint_anew(screen: Screen[Any]) -> None:
    """Render every line of every widget, with all caches empty."""
    for node in screen.walk_children(Widget):
        node.notify_style_update()
        node._styles_cache.clear()
    screen._compositor.render_strips()


async def second(run: Running, screen: JobScreen) -> None:
    """The clock ticks and the ages that changed are painted."""
    run.clock.now += 1_000_000_000
    screen.tick()
    await run.pilot.pause()


async def screens(ranks: int, folder: Path) -> list[Figure]:
    figures: list[Figure] = []
    async with running(job(ranks, SICK), folder, size=SIZE) as run:
        for mode, keys in (("overview", ("right", "down", "n")), ("ranks", ("down", "pagedown", "n"))):
            run.app.go_to(mode)
            await run.pilot.pause()
            screen = run.app.screen
            assert isinstance(screen, JobScreen)
            figures.append((f"{mode}: paint all", await cpu_ms(lambda: painted(run), 3)))
            figures.append((f"{mode}: refresh, nothing changed", await cpu_ms(screen.show_all, 5)))
            figures.append((f"{mode}: a second passes", await cpu_ms(partial(second, run, screen), 5)))
            figures += [(f"{mode}: key {key}", await cpu_ms(partial(run.pilot.press, key), 5)) for key in keys]
        figures += [(f"ranks: key {key}", await cpu_ms(partial(run.pilot.press, key), 2)) for key in ("s", "S")]
    return figures


def events_of_a_look(ranks: int) -> list[Figure]:
    """Applying what the engine says, in the slices of the bridge."""
    import queue

    session = Session()
    waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
    for event in [*job(ranks, SICK), *look(2, ranks, SICK)]:
        waiting.put(event)
    count, longest, total, slices = waiting.qsize(), 0.0, 0.0, 0
    while not waiting.empty():
        begun = time.perf_counter()
        drain(waiting, session)
        took = (time.perf_counter() - begun) * 1000
        longest, total, slices = max(longest, took), total + took, slices + 1
    return [
        (f"bridge: {count:,} events, in all", total),
        (f"bridge: longest slice of {slices} (limit {SLICE_S * 1000:.0f})", longest),
    ]


class Million:
    """A table of a million rows."""

    columns: Sequence[Column] = tuple(Column(f"c{n}", f"column {n}", "right", max_width=12) for n in range(10))

    def cell(self, row: int, column: int) -> Cell:
        return str(row * column % 999_983), ""


async def million_rows() -> list[Figure]:
    table, rows = GridTable(), Million()
    order = np.arange(1_000_000, dtype=np.intp)
    async with Alone(table).run_test(size=SIZE) as pilot:
        table.focus()

        async def show(cursor: int) -> None:
            table.show(rows, order, cursor=cursor)
            paint_anew(table.screen)

        first = await cpu_ms(lambda: show(500_000))
        page = await cpu_ms(lambda: pilot.press("pagedown"), 5)
        turned = order[::-1].copy()
        turn = await cpu_ms(lambda: table.show(rows, turned, cursor=500_000))
    return [
        ("1,000,000 x 10 table: first paint", first),
        ("1,000,000 x 10 table: page down", page),
        ("1,000,000 x 10 table: another order", turn),
    ]


async def main(sizes: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for ranks in sizes:
            figures = [*await screens(ranks, Path(folder)), *events_of_a_look(ranks)]
            record_all(figures, "ms CPU", f"{ranks:,} ranks: ")
            print(tabulate(figures, [f"{ranks:,} ranks at {SIZE[0]}x{SIZE[1]}", "CPU ms"], floatfmt=".1f"), end="\n\n")
        million = await million_rows()
        record_all(million, "ms CPU")
        print(tabulate(million, ["virtual table", "CPU ms"], floatfmt=".1f"))


if __name__ == "__main__":
    asyncio.run(main([int(word) for word in sys.argv[1:]] or [256, 4096]))
