"""The result of a run with large outputs: what is found out about it, and what looking at its values costs.

python -m benchmarks.bench_result [--mib 512]
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.bench_comparison import MEMORY_GOAL, forget_peak, own_memory
from benchmarks.figures import record
from tests.tui.widgets.painting import Alone
from xpudbg.services.comparison.coarser import worst_in_cell
from xpudbg.services.run_history.records import RunState
from xpudbg.services.runs.given import GivenOutput, GivenRun
from xpudbg.services.runs.references import ReferenceArrays
from xpudbg.services.runs.shown import show_run
from xpudbg.tui.dispatch.arrays_shown import ArraysShown
from xpudbg.tui.widgets.array_view import ArrayView

KEYS = ("G", "pageup", "m", "m", "g", "pagedown", "right", "down")


def run_of(array: np.ndarray[Any, Any]) -> GivenRun:
    output = GivenOutput("0", array.dtype.name, array, array.shape)
    return GivenRun("op", "here", RunState.OK, outputs=(output,))


async def look(array: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> float:
    """Seconds of one key, painted."""
    view = ArrayView()
    async with Alone(view).run_test(size=(200, 60)) as pilot:
        view.show(ArraysShown(array, None, expected, None))
        view.focus()
        start = time.perf_counter()
        for key in KEYS:
            await pilot.press(key)
            for y in range(view.size.height):
                view.render_line(y)
        return (time.perf_counter() - start) / len(KEYS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mib", type=int, default=512, help="size of each array")
    size = parser.parse_args().mib << 18
    rng = np.random.default_rng(0)
    expected = rng.random((size >> 12, 1 << 12), np.float32)
    actual = expected.copy()
    actual[size >> 13, 7] += 1
    forget_peak()
    before, start = own_memory("VmRSS"), time.perf_counter()
    golden = ReferenceArrays("golden", run_of(expected).outputs)
    shown = show_run(run_of(actual), golden, run_of(expected))
    extra = own_memory() - before
    name = f"{size >> 18} MiB"
    record(f"{name}: statistics, reference, run before", time.perf_counter() - start, "s")
    record(f"{name}: memory for them", extra, "MiB")
    print(f"statistics, reference, run before: {time.perf_counter() - start:.2f} s, +{extra:.0f} MiB")
    heat = shown.outputs[0].reference.heatmap if shown.outputs[0].reference is not None else None
    assert heat is not None
    row, column = np.unravel_index(int(heat.cells.argmax()), heat.cells.shape)
    start = time.perf_counter()
    index = worst_in_cell(heat, int(row), int(column), actual, expected)
    record(f"{name}: from a region to its worst element", time.perf_counter() - start, "s")
    print(f"from a region to its worst element {index}: {time.perf_counter() - start:.3f} s")
    del actual, expected, shown, golden, heat
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sparse"
        with path.open("wb") as file:
            file.truncate(4 * size)
        mapped = np.memmap(path, np.float32, "r", 0, (size >> 12, 1 << 12))
        forget_peak()
        before = own_memory("VmRSS")
        took = asyncio.run(look(mapped, mapped))
        extra = own_memory() - before
    over = "" if extra <= MEMORY_GOAL else f", over the goal of {MEMORY_GOAL} MiB"
    record(f"{name}: a key in the view of values", took * 1e3, "ms")
    record(f"{name}: memory for viewing", extra, "MiB", at_most=MEMORY_GOAL)
    print(f"a key in the view of values at 200x60: {took * 1e3:.0f} ms, +{extra:.0f} MiB{over}")


if __name__ == "__main__":
    main()
