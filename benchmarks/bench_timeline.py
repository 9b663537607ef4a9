"""What the timeline costs: CPU time of the thread that paints, really rendered. Prints a table.

One group of all ranks with 2,000 calls each. `group` brings its arrivals together once; the screen does that beside the
thread that paints when a group is big.

Run: python -m benchmarks.bench_timeline [--ranks 1024] [--calls 2000]
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

os.environ["TEXTUAL_ANIMATIONS"] = "none"
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tabulate import tabulate

from benchmarks.bench_widgets import cpu_ms, paint_anew
from benchmarks.figures import record_all
from tests.services.recorder_timeline.timed_jobs import TimedJob
from tests.tui.widgets.painting import Alone
from xpudbg.services.recorder_timeline.timelines import Timelines
from xpudbg.tui.recorder import timeline_view
from xpudbg.tui.widgets.timeline import TimelinePane

if TYPE_CHECKING:
    from xpudbg.services.flight_recorder.diagnosis import Diagnosis

SIZE = (200, 60)
Figure = tuple[str, float]


def brought_together(diagnosis: Diagnosis) -> float:
    """Milliseconds of CPU for the timeline of the group, the best of five."""
    best = float("inf")
    for _ in range(5):
        timelines = Timelines(diagnosis)
        begun = time.thread_time()
        timelines.of_group(0)
        best = min(best, (time.thread_time() - begun) * 1000)
    return best


async def painted(diagnosis: Diagnosis) -> list[Figure]:
    """First paint, and each key with the painting that follows."""
    figures: list[Figure] = []
    timeline_view.AT_ONCE = 10**9
    pane = TimelinePane()
    async with Alone(pane).run_test(size=SIZE) as pilot:

        async def first() -> None:
            pane.show(diagnosis)
            paint_anew(pane.screen)

        figures.append(("first paint, group and all", await cpu_ms(first)))
        figures.append(("paint again", await cpu_ms(lambda: paint_anew(pane.screen), 3)))
        figures.append(("the same look again", await cpu_ms(lambda: pane.show(diagnosis), 3)))
        pane.focus()
        for words, keys in (
            ("by sequence: ", ("plus", "z", "left", "down", "pagedown", "L")),
            ("by time: ", ("x", "plus", "z", "left", "down", "pagedown", "L")),
        ):
            for key in keys:

                async def press(key: str = key) -> None:
                    await pilot.press(key)

                figures.append((f"{words}key {key}", await cpu_ms(press, 1 if key == "x" else 4)))
    return figures


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--ranks", type=int, default=1024)
    options.add_argument("--calls", type=int, default=2000)
    chosen = options.parse_args()
    diagnosis = TimedJob(chosen.ranks, chosen.calls, {5: 12.0}, jitter_ms=2.0).diagnosis()
    figures = [("arrivals of the group brought together", brought_together(diagnosis))]
    figures += asyncio.run(painted(diagnosis))
    record_all(figures, "ms CPU")
    title = f"{chosen.ranks:,} ranks x {chosen.calls:,} calls at {SIZE[0]}x{SIZE[1]}"
    print(tabulate(figures, [title, "CPU ms"], floatfmt=".1f"))


if __name__ == "__main__":
    main()
