"""Dumps of a job read here, by processes of this machine, and by the workers of a real local Dask cluster.

Each side opens the folder as `xpudbg report` does, in a fresh process: seconds from the command to the verdict, starts
and connections included, and the peak memory of that process alone. The verdicts must be the same.

    python -m benchmarks.bench_dask [--ranks 64 256] [--entries 2000] [--workers 2]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tabulate import tabulate

from .bench_flight_recorder import write_dumps
from .figures import record

if TYPE_CHECKING:
    from collections.abc import Iterator

TIME_LIMIT_S = 600
HERE, PROCESSES = "here, one process", "here, a pool of processes"


def run(folder: Path, side: str) -> None:
    """Open the folder in this process; prints seconds, peak memory in MB and the verdict."""
    from xpudbg.services import events
    from xpudbg.services.artifacts import reading_pool
    from xpudbg.services.attach_options import AttachOptions
    from xpudbg.services.engine import Engine
    from xpudbg.services.session import Session
    from xpudbg.services.targets import FilesTarget

    if side in (HERE, PROCESSES):
        reading_pool.LEAST_BYTES = 0 if side == PROCESSES else 1 << 60
    executor = "" if side in (HERE, PROCESSES) else side
    began = time.perf_counter()
    session = Session()
    with Engine() as engine:
        engine.attach(FilesTarget((folder,)), AttachOptions(executor=executor))
        while session.latest is None:
            event = engine.events.get(timeout=TIME_LIMIT_S)
            session.apply(event)
            if isinstance(event, events.TargetFailed | events.EngineFailed):
                raise RuntimeError(str(event))
        took = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([took, peak, session.verdict.summary]))


def measured(folder: Path, side: str) -> tuple[float, float, str]:
    command = [sys.executable, "-m", "benchmarks.bench_dask", "--run", str(folder), "--side", side]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIME_LIMIT_S)
    if ran.returncode:
        raise RuntimeError(ran.stderr)
    took, peak, summary = json.loads(ran.stdout)
    return took, peak, summary


@contextmanager
def started(*arguments: str, says: str) -> Iterator[str]:
    """A process of dask; gives what it has written where `says` has its group."""
    environment = os.environ | {"DASK_DISTRIBUTED__WORKER__DAEMON": "False"}
    command = [sys.executable, "-m", *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True
    ) as process:
        try:
            assert process.stderr is not None
            yield next(found[1] for line in process.stderr if (found := re.search(says, line)))
        finally:
            os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def cluster(workers: int) -> Iterator[str]:
    """A scheduler with workers of one thread each; gives its address."""
    quiet = ("--no-dashboard", "--host", "127.0.0.1")
    with ExitStack() as stack:
        address = stack.enter_context(
            started("distributed.cli.dask_scheduler", "--port", "0", *quiet, says=r"Scheduler at:\s+(tcp://\S+)")
        )
        for _ in range(workers):
            worker = ("distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny", *quiet)
            stack.enter_context(started(*worker, says=r"Registered to:\s+(tcp://\S+)"))
        yield address


def compare(ranks: int, entries: int, workers: int) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    with tempfile.TemporaryDirectory(prefix="xpudbg-bench-") as name, cluster(workers) as address:
        folder = Path(name)
        size = write_dumps(folder, ranks, entries, frames=False)
        summaries = set()
        here: float | None = None
        measured(folder, address)  # the workers import what they need once
        for side in (HERE, PROCESSES, address):
            took, peak, summary = min(measured(folder, side) for _ in range(3))
            summaries.add(summary)
            shown = side if side in (HERE, PROCESSES) else f"Dask, {workers} workers"
            record(f"{ranks} dumps, {shown}", took, "s", peer=here, against="" if here is None else HERE)
            record(f"{ranks} dumps, {shown}: peak memory", peak, "MB")
            here = took if side == HERE else here
            rows.append((ranks, f"{size / 1e6:,.0f} MB", shown, f"{took:.2f} s", f"{peak:,.0f} MB"))
        if len(summaries) != 1:
            raise RuntimeError(f"different verdicts: {summaries}")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, nargs="*", default=[64, 256])
    parser.add_argument("--entries", type=int, default=2000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--side", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run is not None:
        run(arguments.run, arguments.side)
        return
    rows = [row for ranks in arguments.ranks for row in compare(ranks, arguments.entries, arguments.workers)]
    print(tabulate(rows, headers=("dumps", "size", "read by", "to the verdict", "peak memory"), tablefmt="github"))


if __name__ == "__main__":
    main()
