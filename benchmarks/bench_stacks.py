"""Reading and merging the stacks of many ranks, medians over several rounds.

python -m benchmarks.bench_stacks [--ranks 4096] [--frames 40] [--rounds 5]
"""

from __future__ import annotations

import argparse
import re
import statistics
import time
import tracemalloc
from collections.abc import Callable

from benchmarks.figures import record
from xpudbg.services.stacks import faulthandler, looks
from xpudbg.services.stacks.export import to_collapsed, to_speedscope
from xpudbg.services.stacks.model import StackSource
from xpudbg.services.stacks.reading import StackReader
from xpudbg.services.stacks.stuck import find_stuck
from xpudbg.services.stacks.tree import merge

HELPERS = 3
"""Threads of a rank besides the main one."""
PLACES = 12
"""Different main stacks of a usual job."""
GOALS = {"usual": 1.0, "all stacks distinct": 3.0, "all frames distinct": 3.0}
"""Seconds that reading and merging may take."""

_HELPER = """Thread 0x{id:016x} (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 327 in wait
  File "/usr/lib/python3.11/queue.py", line 180 in get
  File "/usr/lib/python3.11/threading.py", line 982 in run
  File "/usr/lib/python3.11/threading.py", line 1045 in _bootstrap_inner
  File "/usr/lib/python3.11/threading.py", line 1002 in _bootstrap

"""


def main_frames(kind: str, rank: int, frames: int) -> list[str]:
    """The lines of a main stack, innermost first."""
    if kind == "all frames distinct":
        return [f'  File "/job/part{rank}/layer{depth}.py", line {depth} in f{rank}_{depth}' for depth in range(frames)]
    place = rank if kind == "all stacks distinct" else rank % PLACES
    lines = [
        '  File "/venv/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py", line 3252 in all_reduce'
    ]
    lines += [
        f'  File "/job/model/layer{depth}.py", line {100 + (place >> depth)} in forward' for depth in range(frames - 2)
    ]
    return [*lines, '  File "/job/train.py", line 300 in <module>']


def dump(kind: str, rank: int, frames: int) -> bytes:
    """What dump_traceback of a rank answers; thread ids differ on every rank, as they do in a job."""
    base = 0x7F0000000000 + rank * 0x100000
    helpers = "".join(_HELPER.format(id=base + number * 0x1000) for number in range(HELPERS))
    return (
        f"Current thread 0x{base + 0x90000:016x} (most recent call first):\n  <no Python frame>\n\n{helpers}"
        f"Thread 0x{base + 0xF0000:016x} (most recent call first):\n"
        + "\n".join(main_frames(kind, rank, frames))
        + "\n"
    ).encode()


def pyspy_dump(kind: str, rank: int, frames: int) -> bytes:
    """The same main stack as py-spy writes it: paths shortened, classes before the names."""
    lines = [f"Process {rank}: python train.py", "Python v3.11.7 (/usr/bin/python3.11)", ""]
    lines.append(f'Thread {rank} (idle): "MainThread"')
    for line in main_frames(kind, rank, frames):
        _, file, number, function = re.split(r'  File "(?:/job/|.*site-packages/)|", line | in ', line)
        lines.append(f"    Module.{function} ({file}:{number})")
    return ("\n".join(lines) + "\n").encode()


def mixed(kind: str, ranks: int, frames: int, rounds: int) -> None:
    """Every second rank read through py-spy: both notations have to be brought together."""
    texts = [
        (rank, StackSource.PYSPY, pyspy_dump(kind, rank, frames), True)
        if rank % 2
        else (rank, StackSource.FAULTHANDLER, dump(kind, rank, frames), True)
        for rank in range(ranks)
    ]
    total = median(rounds, lambda: merge(StackReader().read(texts)))
    record(f"{kind}, every second rank from py-spy: read and merge", total, "s", at_most=GOALS[kind])
    print(f"  every second rank from py-spy: read + merge {total:.3f} s ({against(total, GOALS[kind])})")


def many_threads(threads: int) -> bytes:
    """One dump with that many threads."""
    helpers = "".join(_HELPER.format(id=0x7F0000000000 + number * 0x1000) for number in range(threads - 1))
    return (
        helpers + "Thread 0x00007fff00000000 (most recent call first):\n" + '  File "/job/t.py", line 1 in f\n'
    ).encode()


def median(rounds: int, work: Callable[[], object]) -> float:
    """Seconds."""
    took = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        took.append(time.perf_counter() - began)
    return statistics.median(took)


def against(took: float, goal: float) -> str:
    return f"goal {goal} s: {'met' if took <= goal else 'MISSED'}"


def measure(kind: str, ranks: int, frames: int, rounds: int) -> None:
    texts = [(rank, StackSource.FAULTHANDLER, dump(kind, rank, frames), True) for rank in range(ranks)]
    reading = median(rounds, lambda: StackReader().read(texts))
    reader = StackReader()
    tracemalloc.start()
    dumps = reader.read(texts)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    again = median(rounds, lambda: reader.read(texts))
    merging = median(rounds, lambda: merge(dumps))
    merged = merge(dumps)
    walking = median(rounds, lambda: sum(1 for _ in merged.root.walk()))
    nodes = sum(1 for _ in merged.root.walk())
    first = looks.follow({}, dumps, 1)
    following = median(rounds, lambda: looks.follow(first, dumps, 2))
    second = looks.follow(first, dumps, 2)
    judging = median(rounds, lambda: find_stuck(dumps, second))
    exporting = median(rounds, lambda: (to_speedscope(merged, "bench"), to_collapsed(merged)))
    total = reading + merging
    goal = GOALS[kind]
    record(f"{kind}, {ranks:,} ranks x {frames} frames: read and merge", total, "s", at_most=goal)
    record(f"{kind}: the same texts again", again, "s")
    record(f"{kind}: find who is stuck", judging, "s")
    print(f"{kind}: {ranks} ranks x {frames} frames, {len(merged.classes)} distinct stacks, {nodes} nodes")
    print(f"  read {reading:.3f} s + merge {merging:.3f} s = {total:.3f} s ({against(total, goal)})")
    print(f"  the same texts again {again:.3f} s; the whole tree {walking:.3f} s; follow {following:.3f} s;", end=" ")
    print(f"find stuck {judging:.3f} s; export {exporting:.3f} s; held {held / 1e6:.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--ranks", type=int, default=4096)
    parser.add_argument("--frames", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    for kind in GOALS:
        measure(kind, options.ranks, options.frames, options.rounds)
        mixed(kind, options.ranks, options.frames, options.rounds)
    text = many_threads(5000)
    took = median(options.rounds, lambda: faulthandler.parse(text))
    record("one dump of 5,000 threads", took, "s", at_most=1.0)
    print(f"one dump of 5000 threads ({len(text) / 1e6:.1f} MB): {took:.3f} s ({against(took, 1.0)})")


if __name__ == "__main__":
    main()
