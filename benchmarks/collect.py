"""Run every benchmark, the short ones several times, and write docs/benchmarks.md.

python -m benchmarks.collect [--only NAME ...] [--repeats 3] [--minutes 25] [-o FILE]

A benchmark whose first run takes longer than a minute runs once. What is left when the time is over runs once too, and
the page says how often each ran. torch's side runs where XPUDBG_TORCH_PYTHON names an interpreter with torch.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from .figures import VARIABLE, Figure, read_figures
from .page import Bench, Runs, render
from .surroundings import machine, versions

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"
LONG_S = 60.0
"""A benchmark that takes longer is not repeated."""

BENCHES = (
    Bench("start", "Start", "Until the version is printed, until the first frame, and first visits.", ("5",)),
    Bench("fanout", "Asking all ranks", "Three requests to each of 1,024 ranks, of which one in a hundred is stopped."),
    Bench("stacks", "Stacks", "4,096 ranks x 40 frames, read and merged."),
    Bench("flight_recorder", "Flight recorder", "CPU time and memory to the findings, full rings of 2,000 entries."),
    Bench("stall", "Event loop", "How long the screens stand still while a large job is analysed."),
    Bench("recorder_table", "Table of calls", "A million calls, really rendered at 200x60."),
    Bench("timeline", "Timeline", "Ranks and calls of one group, really rendered."),
    Bench("progress", "Progress matrix", "Ranks x groups, really rendered."),
    Bench("counters", "Wait counters", "Ranks x counters, really rendered."),
    Bench("widgets", "Screens", "CPU time of the thread that paints."),
    Bench("bytes", "What the terminal is sent", "Over a slow line small numbers are what one feels."),
    Bench("looks", "Looks that are kept", "A job looked at again and again.", ("--looks", "20")),
    Bench("diff", "Difference of two looks", "By number of ranks."),
    Bench("bundle", "Bundle", "Writing an incident file and opening it."),
    Bench("recorder_trace", "Trace for Perfetto", "The flight recorders of all ranks as one trace."),
    Bench("profiles", "Profiler traces", "A trace of 1 GB summed up."),
    Bench("dask", "Dumps read by others", "The same dumps read here, by processes, by a Dask cluster on this machine."),
    Bench("dispatch", "Operator runs", "A run against a sink on the loopback."),
    Bench("comparison", "Comparing outputs", "Two float32 arrays of 512 MiB each."),
    Bench("result", "A result looked at", "Outputs of 512 MiB each."),
)


def run_once(bench: Bench) -> tuple[list[Figure], float]:
    """Figures of one run in a fresh process, and the seconds that it took; what it prints is passed on.

    Raises:
        RuntimeError: the benchmark failed or recorded nothing.
    """
    with tempfile.TemporaryDirectory(prefix="xpudbg-bench-") as folder:
        path = Path(folder) / "figures"
        began = time.perf_counter()
        ran = subprocess.run(
            [sys.executable, "-m", f"benchmarks.bench_{bench.name}", *bench.arguments],
            cwd=ROOT,
            env=os.environ | {VARIABLE: str(path), "TEXTUAL_ANIMATIONS": "none"},
            stdin=subprocess.DEVNULL,
            check=False,
        )
        took = time.perf_counter() - began
        figures = read_figures(path)
    if ran.returncode:
        raise RuntimeError(f"benchmarks.bench_{bench.name} ended with {ran.returncode}")
    if not figures:
        raise RuntimeError(f"benchmarks.bench_{bench.name} has recorded no figure")
    return figures, took


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [bench.name for bench in BENCHES]
    parser.add_argument("--only", nargs="*", choices=names, help="these alone; prints the page instead of writing it")
    parser.add_argument("--repeats", type=int, default=3, help="runs of a short benchmark")
    parser.add_argument("--minutes", type=float, default=25, help="after so long nothing is repeated")
    parser.add_argument("-o", "--output", type=Path, default=PAGE)
    chosen = parser.parse_args()
    benches = [bench for bench in BENCHES if chosen.only is None or bench.name in chosen.only]
    began = time.perf_counter()
    made: list[tuple[Bench, Runs]] = []
    for bench in benches:
        print(f"\n== {bench.title} (bench_{bench.name})", flush=True)
        figures, took = run_once(bench)
        runs = Runs()
        runs.add(figures)
        while took <= LONG_S and runs.count < chosen.repeats and time.perf_counter() - began < chosen.minutes * 60:
            runs.add(run_once(bench)[0])
        made.append((bench, runs))
    page = render(made, machine(), versions(), datetime.now(UTC).date().isoformat(), time.perf_counter() - began)
    if chosen.only is None:
        chosen.output.write_text(page, encoding="utf-8")
        print(f"\nwritten: {chosen.output}")
    else:
        print(f"\n{page}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
