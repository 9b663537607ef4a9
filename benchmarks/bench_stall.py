"""How long the user interface's event loop stands still while a look at a large job is analysed.

An asyncio loop ticks every 5 ms in the main thread, as Textual's does, while the analysis of flight recorders and
stacks runs on the engine's analysis thread. Wanted (design): stalls of at most 50 ms at the 99th percentile and 150 ms
at worst, on 2 cores.

    python -m benchmarks.bench_stall [--ranks 256] [--entries 2000]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time

from benchmarks.bench_flight_recorder import dump_of
from benchmarks.figures import record
from xpudbg.services.daemon_threads import DaemonThreads
from xpudbg.services.looks.recorders import RecorderAnalyst
from xpudbg.services.looks.stacks import StackAnalyst
from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import Outcome, RankReply
from xpudbg.services.spool import Spool

TICK_S = 0.005
SOURCE = "dump_nccl_trace_json"


def replies_of(ranks: int, entries: int, spool: Spool) -> dict[tuple[int, str], RankReply]:
    made: dict[tuple[int, str], RankReply] = {}
    for rank in range(ranks):
        dump = json.dumps(dump_of(rank, ranks, entries, frames=False), separators=(",", ":")).encode()
        frames = "".join(f'  File "/job/m{depth}.py", line {depth + rank % 7} in f{depth}\n' for depth in range(40))
        stack = f"Thread 0x01 (most recent call first):\n{frames}".encode()
        for source, data in ((SOURCE, dump), ("dump_traceback", stack)):
            body = spool.put(data)
            made[rank, source] = RankReply(rank, source, "", Outcome.OK, 200, body, "", time.time_ns(), 0.01)
    return made


async def measure(ranks: int, entries: int) -> None:
    spool = Spool()
    replies = replies_of(ranks, entries, spool)
    recorder, stacks = RecorderAnalyst((SOURCE,)), StackAnalyst()
    everyone = RankSet.full(ranks)

    def analyse() -> float:
        began = time.perf_counter()
        looked = recorder.analyse(1, time.time_ns(), replies, ranks, everyone)
        stacks.analyse(1, time.time_ns(), replies, everyone, stood=looked.stood, moved=looked.moved)
        return time.perf_counter() - began

    threads = DaemonThreads(1, "analysis")
    working = asyncio.get_running_loop().run_in_executor(threads, analyse)
    stalls: list[float] = []
    while not working.done():
        before = time.perf_counter()
        await asyncio.sleep(TICK_S)
        stalls.append(max(time.perf_counter() - before - TICK_S, 0.0))
    took = await working
    threads.shutdown()
    spool.close()
    ordered = sorted(stalls)
    figures = (statistics.median(stalls), ordered[len(ordered) * 99 // 100], ordered[-1])
    median, p99, worst = (1e3 * figure for figure in figures)
    where = f"{ranks:,} ranks x {entries:,} entries analysed: stalls of the event loop"
    record(f"{where}, 99th percentile", p99, "ms", at_most=50)
    record(f"{where}, worst", worst, "ms", at_most=150)
    print(
        f"{ranks} ranks x {entries} entries: analysis {took:.2f} s, {len(stalls)} ticks, stalls "
        f"median {median:.1f} ms, 99th percentile {p99:.1f} ms, worst {worst:.1f} ms"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=256)
    parser.add_argument("--entries", type=int, default=2000)
    chosen = parser.parse_args()
    asyncio.run(measure(chosen.ranks, chosen.entries))
