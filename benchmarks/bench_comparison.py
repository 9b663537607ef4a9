"""Comparing and looking at large outputs: time against plain NumPy on the same arrays, memory beside them.

python -m benchmarks.bench_comparison [--mib 512]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from benchmarks.figures import record
from xpudbg.services.comparison.compare import compare
from xpudbg.services.comparison.heatmap import error_heatmap, value_heatmap
from xpudbg.services.comparison.statistics import statistics
from xpudbg.services.comparison.window import window

MEMORY_GOAL = 100
"""MiB that may be taken beside the arrays."""


def own_memory(field: str = "VmHWM") -> float:
    """Largest resident memory of this process so far, in MiB (Linux)."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    raise RuntimeError(f"/proc/self/status has no {field}")


def forget_peak() -> None:
    """Make VmHWM begin again at what is resident now."""
    Path("/proc/self/clear_refs").write_text("5")


def measure(name: str, run: Callable[[], object], baseline: float | None) -> float:
    forget_peak()
    before = own_memory("VmRSS")
    start = time.perf_counter()
    run()
    took = time.perf_counter() - start
    extra = own_memory() - before
    ratio = f"{took / baseline:5.2f} x isclose" if baseline is not None else ""
    said = "" if baseline is None or extra <= MEMORY_GOAL else f"  over the goal of {MEMORY_GOAL} MiB"
    record(name, took, "s", peer=baseline, against="" if baseline is None else "numpy.isclose")
    record(f"{name}, memory beside the arrays", extra, "MiB", at_most=None if baseline is None else MEMORY_GOAL)
    print(f"{name:34} {took:7.3f} s  +{extra:7.1f} MiB  {ratio}{said}")
    return took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mib", type=int, default=512, help="size of each array")
    size = parser.parse_args().mib << 18
    rng = np.random.default_rng(0)
    expected: NDArray[Any] = rng.random((size >> 12, 1 << 12), np.float32)
    actual = expected + np.float32(1e-5)
    print(f"float32, {expected.nbytes >> 20} MiB each")
    plain = measure("NumPy: isclose", lambda: np.isclose(actual, expected).all(), None)
    for standard in ("mixed", "close", "stat_rel_err", "cosine", "binary"):
        measure(f"compare: {standard}", lambda name=standard: compare(actual, expected, name), plain)  # type: ignore[misc]
    measure("compare: mixed, equal", lambda: compare(expected, expected), plain)
    measure("compare: mixed, column order", lambda: compare(actual.T, expected.T), plain)
    measure("error heatmap", lambda: error_heatmap(actual, expected, 50, 150), plain)
    measure("value heatmap", lambda: value_heatmap(actual, 50, 150), plain)
    measure("value heatmap, column order", lambda: value_heatmap(actual.T, 50, 150), plain)
    measure("statistics", lambda: statistics(actual), plain)
    measure("window of 40 x 20", lambda: window(actual, 1000, 1000, 40, 20), plain)
    brain, whole = actual.astype(ml_dtypes.bfloat16), (actual * 1000).astype(np.int32)
    measure("compare: bfloat16 with float32", lambda: compare(brain, expected), plain)
    measure("compare: int32", lambda: compare(whole, whole), plain)


if __name__ == "__main__":
    main()
