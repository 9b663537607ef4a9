"""The flight recorder engine against torch's own analyzer (its load and build_db) on the same dumps, in one run.

Each rank has three groups, called in turn, and a full ring. Both sides run in a fresh process that reads the files, so
that time (CPU seconds of one thread, imports left out) and peak memory are theirs alone. torch's side needs an
interpreter with torch (XPUDBG_TORCH_PYTHON, or --torch) and is left out without one; it gets a time limit, since it can
loop for ever.

    python -m benchmarks.bench_flight_recorder [--ranks 8 64 1024] [--entries 2000] [--compare 64] [--pickles 64]
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.figures import record

TIME_LIMIT_S = 900
START_NS = 1_796_046_929_000_000_000
DEPTH = 12
"""Frames of a stack."""

_TORCH_SIDE = """
import argparse, gc, json, logging, pickle, resource, sys, time
from pathlib import Path
from torch.distributed.flight_recorder.components.builder import build_db
logging.disable(logging.CRITICAL)
gc.disable()
began = time.process_time()
details = {}
for path in sorted(Path(sys.argv[1]).iterdir()):
    data = path.read_bytes()
    dump = pickle.loads(data) if data[:1] == b"\\x80" else json.loads(data)
    details[path.name] = {"host_name": path.name, "rank": int(path.name.rpartition("_")[2]), **dump}
loaded = time.process_time()
arguments = argparse.Namespace(verbose=False, just_print_entries=False, allow_incomplete_ranks=True, mismatch_cap=10)
database = build_db(details, arguments, "2.10")
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([loaded - began, time.process_time() - loaded, peak, len(database.collectives)]))
"""


def dump_of(rank: int, world: int, entries: int, *, frames: bool) -> dict[str, Any]:
    """A dump as torch writes it: the world, a group of 8 neighbours, and one across the nodes."""
    width = min(8, world)
    node, local = divmod(rank, width)
    groups = [
        ("0", "default_pg", list(range(world)), "nccl:all_reduce", [[1048576]], [[1048576]]),
        (
            str(1 + node),
            "TENSOR_MODEL_PARALLEL_GROUP",
            list(range(node * width, (node + 1) * width)),
            "nccl:_all_gather_base",
            [[4096, 5120]],
            [[4096 * width, 5120]],
        ),
        (
            str(100_000 + local),
            "DATA_PARALLEL_GROUP",
            list(range(local, world, width)),
            "nccl:all_reduce",
            [[120]],
            [[120]],
        ),
    ]
    stacks = [
        [
            {"name": f"function_{depth}_{kind}", "filename": f"/job/lib/module_{depth}.py", "line": 10 * depth + kind}
            for depth in range(DEPTH)
        ]
        for kind in range(20)
    ]
    sequence = [0, 0, 0]
    rows = []
    for number in range(entries):
        index = (1, 2, 0)[number % 3]
        sequence[index] += 1
        name, desc, _, op, inputs, outputs = groups[index]
        created = START_NS + number * 5_000_000 + rank * 1000
        row: dict[str, Any] = {
            "record_id": number,
            "pg_id": index,
            "process_group": [name, desc],
            "collective_seq_id": sequence[index],
            "p2p_seq_id": 0,
            "op_id": sequence[index],
            "profiling_name": op,
            "time_created_ns": created,
            "input_sizes": [list(shape) for shape in inputs],
            "input_dtypes": ["BFloat16"],
            "output_sizes": [list(shape) for shape in outputs],
            "output_dtypes": ["BFloat16"],
            "state": "completed",
            "time_discovered_started_ns": created + 1_000_000,
            "time_discovered_completed_ns": created + 3_000_000,
            "retired": True,
            "timeout_ms": 600000,
            "is_p2p": False,
            "thread_id": "140525802212224",
            "thread_name": "pt_main_thread",
            "duration_ms": 1.25,
        }
        if frames:
            row["frames"] = stacks[number % len(stacks)]
            row["process_group"] = (name, desc)
        rows.append(row)
    return {
        "version": "2.10",
        "pg_config": {name: {"name": name, "desc": desc, "ranks": str(ranks)} for name, desc, ranks, *_ in groups},
        "pg_status": {
            str(index): {
                f"last_{what}_collective": str(sequence[index]) for what in ("enqueued", "started", "completed")
            }
            for index, last in enumerate(sequence)
        },
        "entries": rows,
        "nccl_comm_state": {},
        "comm_lib_version": "2.27.5",
    }


def write_dumps(folder: Path, ranks: int, entries: int, *, frames: bool) -> int:
    """The dumps of a whole job; their size in bytes."""
    size = 0
    for rank in range(ranks):
        dump = dump_of(rank, ranks, entries, frames=frames)
        data = pickle.dumps(dump, protocol=2) if frames else json.dumps(dump).encode()
        size += (folder / f"nccl_trace_rank_{rank}").write_bytes(data)
    return size


def run_ours(folder: Path) -> None:
    """Load and analyse a folder in this process; prints seconds, peak memory and the number of calls."""
    from xpudbg.services.artifacts.gathering import gather
    from xpudbg.services.artifacts.intake import take_in
    from xpudbg.services.flight_recorder.analysis import analyse
    from xpudbg.services.flight_recorder.diagnosis import diagnose
    from xpudbg.services.spool import Spool

    began = time.process_time()
    spool = Spool()
    loaded = gather(take_in([folder], recursive=False, spool=spool), spool)
    read = time.process_time()
    analysis = analyse(loaded.dumps, unreadable=loaded.unreadable)
    diagnosis = diagnose(analysis)
    done = time.process_time()
    if diagnosis.findings:
        raise RuntimeError(f"findings in a healthy job: {diagnosis.findings}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([read - began, done - read, peak, len(analysis.matched.call_seq)]))


def measured(command: list[str]) -> list[float] | None:
    """Seconds of load and build, peak MB and number of calls; None past the time limit."""
    try:
        ran = subprocess.run(command, capture_output=True, text=True, check=True, timeout=TIME_LIMIT_S)
    except subprocess.TimeoutExpired:
        return None
    except subprocess.CalledProcessError as error:
        raise RuntimeError(error.stderr) from None
    figures: list[float] = json.loads(ran.stdout)
    return figures


def compare(ranks: int, entries: int, torch: str, *, frames: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="xpudbg-bench-") as name:
        folder = Path(name)
        size = write_dumps(folder, ranks, entries, frames=frames)
        kind = "pickles with frames" if frames else "JSON without frames"
        print(f"{ranks} ranks x {entries:,} entries, {kind}, {size / 1e6:,.0f} MB")
        ours = measured([sys.executable, "-m", "benchmarks.bench_flight_recorder", "--run", name])
        if ours is None:
            raise RuntimeError("over the time limit")
        print(f"  xpudbg {_line(ours)}")
        name_of = f"{ranks:,} ranks x {entries:,} entries, {kind}"
        record(f"{name_of}: peak memory", ours[2], "MB", at_most=1000 if ranks == 1024 else None)
        theirs: list[float] | None = None
        if torch:
            theirs = measured([torch, "-c", _TORCH_SIDE, name])
            if theirs is None:
                print(f"  torch  more than {TIME_LIMIT_S} s")
            else:
                print(f"  torch  {_line(theirs)}")
                print(f"  ratio  {(theirs[0] + theirs[1]) / (ours[0] + ours[1]):.1f} times faster")
        record(
            f"{name_of}: read and analyse",
            ours[0] + ours[1],
            "s CPU",
            peer=None if theirs is None else theirs[0] + theirs[1],
            against="" if theirs is None else "torch's load and build_db",
            at_most=15 if ranks == 1024 else None,
            times_at_most=1 / (10 if frames else 25) if ranks == 64 else None,
        )


def _line(figures: list[float]) -> str:
    load, build, peak, calls = figures
    whole = f"load {load:7.2f} s  build {build:7.2f} s  all {load + build:7.2f} s"
    return f"{whole}  peak {peak:6,.0f} MB  {int(calls):,} calls"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, nargs="*", default=[8, 64, 256, 1024])
    parser.add_argument("--entries", type=int, default=2000)
    parser.add_argument("--compare", type=int, nargs="*", default=[8, 64], help="ranks at which torch runs too (JSON)")
    parser.add_argument("--pickles", type=int, nargs="*", default=[64], help="ranks of pickles with frames")
    parser.add_argument("--torch", default=os.environ.get("XPUDBG_TORCH_PYTHON", ""), help="interpreter with torch")
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    arguments = _arguments()
    if arguments.run is not None:
        run_ours(arguments.run)
        return
    for ranks in arguments.ranks:
        compare(ranks, arguments.entries, arguments.torch if ranks in arguments.compare else "", frames=False)
    for ranks in arguments.pickles:
        compare(ranks, arguments.entries, arguments.torch, frames=True)


if __name__ == "__main__":
    main()
