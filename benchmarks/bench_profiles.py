"""Summing up a large profiler trace: time and memory, beside the standard library's json on a smaller one.

python -m benchmarks.bench_profiles [--size 1000] [--json-size 100] [--packed]
"""

from __future__ import annotations

import argparse
import gzip
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.figures import record
from tests.fakes.traces import write_big_trace

GOAL_S, GOAL_MB = 30.0, 500.0
"""For 1 GB of trace."""

_SUMMARY = """
import resource, sys, time
from pathlib import Path
from xpudbg.services.profiles.summary import summarise
began = time.perf_counter()
events = summarise(Path(sys.argv[1])).events
print(time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, events)
"""
_JSON = """
import json, resource, sys, time
began = time.perf_counter()
with open(sys.argv[1]) as file:
    events = len(json.load(file)["traceEvents"])
print(time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, events)
"""


def measured(program: str, path: Path) -> tuple[float, float, int]:
    """Seconds, MiB at the most, and events, of a program of its own."""
    links = Path(__file__).parent.parent / ".links"
    run = subprocess.run(
        [sys.executable, "-c", program, str(path)], cwd=links, capture_output=True, text=True, check=True
    )
    seconds, megabytes, events = run.stdout.split()
    return float(seconds), float(megabytes), int(events)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=1_000, help="MB of the trace")
    parser.add_argument("--json-size", type=int, default=100, help="MB of the one that json.load reads")
    parser.add_argument("--packed", action="store_true", help="read it as gzip")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="xpudbg-bench-") as folder:
        path = Path(folder) / "trace.json"
        began = time.perf_counter()
        timed = write_big_trace(path, chosen.size * 1_000_000)
        print(f"a trace of {chosen.size:,} MB with {timed:,} timed events, made in {time.perf_counter() - began:.0f} s")
        if chosen.packed:
            packed = path.with_suffix(".json.gz")
            with path.open("rb") as plain, gzip.open(packed, "wb", compresslevel=1) as file:
                shutil.copyfileobj(plain, file, 1 << 20)
            path.unlink()
            path = packed
        seconds, megabytes, events = measured(_SUMMARY, path)
        assert events == timed, f"{events:,} events were read"
        factor = chosen.size / 1_000
        good = seconds <= GOAL_S * max(factor, 0.1) and megabytes <= GOAL_MB
        said = "ok" if good else "TOO SLOW OR TOO LARGE"
        print(f"summary: {seconds:.1f} s, {megabytes:,.0f} MiB ({events / seconds:,.0f} events a second)  {said}")
        ours = seconds, megabytes
        path.unlink()
        small = Path(folder) / "small.json"
        write_big_trace(small, chosen.json_size * 1_000_000)
        seconds, megabytes, _ = measured(_JSON, small)
        scale = chosen.size / chosen.json_size
        name = f"summary of {chosen.size:,} MB"
        record(name, ours[0], "s", peer=seconds * scale, against="json.load alone, scaled", at_most=GOAL_S)
        record(f"{name}: memory", ours[1], "MiB", peer=megabytes * scale, against="json.load, scaled", at_most=GOAL_MB)
        print(
            f"json.load alone of {chosen.json_size:,} MB: {seconds:.1f} s, {megabytes:,.0f} MiB; "
            f"scaled to {chosen.size:,} MB: {seconds * scale:.0f} s, {megabytes * scale:,.0f} MiB"
        )


if __name__ == "__main__":
    main()
