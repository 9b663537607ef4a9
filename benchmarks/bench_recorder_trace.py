"""What a trace of the flight recorders costs: time, memory beside the dumps, bytes. Prints a table.

A healthy job whose last call of all ranks one of them has not made; every rank has the same number of entries.

Run: python -m benchmarks.bench_recorder_trace [--ranks 1024] [--entries 2000]
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tabulate import tabulate

from benchmarks.figures import record
from tests.fakes.big_flight_recorder import big_dumps
from xpudbg.services.looks.recorders import RecorderAnalyst, RecorderLook
from xpudbg.services.recorder_trace.writing import write_recorder_trace

_PAGE = 4096


def resident() -> int:
    """Bytes of this process in memory now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE


def measured(look: RecorderLook, path: Path, *, one_clock: bool) -> tuple[float, int, int]:
    """Seconds, bytes of memory more at most than before, bytes on the disk."""
    before, most, over = resident(), 0, threading.Event()

    def watch() -> None:
        nonlocal most
        while not over.wait(0.05):
            most = max(most, resident() - before)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    begun = time.perf_counter()
    write_recorder_trace(look, path, one_clock=one_clock)
    took = time.perf_counter() - begun
    over.set()
    watcher.join()
    return took, most, path.stat().st_size


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--ranks", type=int, default=1024)
    options.add_argument("--entries", type=int, default=2000)
    chosen = options.parse_args()
    dumps = big_dumps(chosen.ranks, chosen.entries, late=(5,))
    look = RecorderAnalyst(()).judge_files(1, dumps[0].taken_at or 0, dumps, chosen.ranks, {})
    rows = []
    with TemporaryDirectory() as folder:
        for name, one_clock in (("trace.json.gz", False), ("trace.json", False), ("one-clock.json.gz", True)):
            took, memory, size = measured(look, Path(folder) / name, one_clock=one_clock)
            rows.append((name, took, memory / 1e6, size / 1e6))
            record(f"{name}: written", took, "s")
            record(f"{name}: memory beside the dumps", memory / 1e6, "MB")
            record(f"{name}: size", size / 1e6, "MB")
    title = f"{chosen.ranks:,} ranks x {chosen.entries:,} entries"
    print(tabulate(rows, [title, "s", "MB memory", "MB file"], floatfmt=".1f"))


if __name__ == "__main__":
    main()
