"""Memory and times of the looks that a session keeps, on a big job that is looked at again and again.

Each look brings a traceback, wait counters and a small flight recorder dump of every rank, and is analysed as the
engine does. Printed after every tenth look: resident memory, what the session counts itself, looks kept, those with
analyses; at the end how long the screen's thread is held by a look that closes and by going to another look, and how
long an older look takes to be analysed again (beside the screen).

    python -m benchmarks.bench_looks [--ranks 4096] [--looks 50] [--entries 10] [--plain]
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import time
from pathlib import Path

from benchmarks.bench_flight_recorder import dump_of
from benchmarks.bench_stacks import dump as traceback_of
from benchmarks.figures import record
from xpudbg.services import events
from xpudbg.services.engine import Engine
from xpudbg.services.looks.analysis import LookAnalyst, LookMaterial
from xpudbg.services.looks.work import analysed_again
from xpudbg.services.ranksets import RankSet
from xpudbg.services.session import Session
from xpudbg.services.snapshot import LookContext, Outcome, RankAddress, RankReply
from xpudbg.services.spool import Spool

RECORDER = "dump_nccl_trace_json"
START_NS = 1_796_046_929_000_000_000
MIB = 1024 * 1024


def resident() -> int:
    """Bytes of this process in memory now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()


def bodies_of(rank: int, ranks: int, entries: int, look: int) -> dict[str, bytes]:
    """What a rank answers; stacks and counters differ from look to look."""
    bodies = {"ping": b"pong", "dump_traceback": traceback_of("usual", rank + look, 30)}
    if entries:
        counter = {"active_count": rank % 2, "max_time_us": 9, "total_calls": look, "total_time_us": 1000 * look + rank}
        names = ("TCPStore__wait", "TCPStore__set", "c10d.init_process_group", "data.next_batch")
        bodies["wait_counter_values"] = json.dumps({f"pytorch.wait_counter.{name}": counter for name in names}).encode()
        bodies[RECORDER] = json.dumps(dump_of(rank, ranks, entries, frames=False)).encode()
    return bodies


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=4096)
    parser.add_argument("--looks", type=int, default=50)
    parser.add_argument("--entries", type=int, default=10, help="of each flight recorder; 0: no recorders, no counters")
    parser.add_argument("--plain", action="store_true", help="do not pack the bodies of older looks")
    wanted = parser.parse_args()
    ranks = RankSet.full(wanted.ranks)
    spool, analyst, session = Spool(), LookAnalyst(), Session()
    addresses = tuple(
        RankAddress(rank, f"http://h{rank // 8}:1", f"http://h{rank // 8}:1", f"h{rank // 8}") for rank in ranks
    )
    session.apply(events.TargetOpened("store h0:1", wanted.ranks, addresses))
    closing: list[float] = []
    with Engine(spool=spool) as engine:
        print(f"{'look':>5} {'resident':>9} {'looks':>9} {'analyses':>9} {'kept':>5} {'with analyses':>14}  (MiB)")
        for look in range(1, wanted.looks + 1):
            at = START_NS + look * 10_000_000_000
            session.apply(events.LookStarted(look, at, ranks))
            replies = {}
            for rank in ranks:
                for source, data in bodies_of(rank, wanted.ranks, wanted.entries, look).items():
                    reply = RankReply(rank, source, "", Outcome.OK, 200, spool.put(data), "", at, 0.01)
                    replies[rank, source] = reply
                    session.apply(events.ReplyArrived(look, reply))
            context = LookContext(may_wait=RankSet())
            found = analyst.analyse(LookMaterial(look, at, replies, wanted.ranks, ranks, context=context))
            session.apply(events.Analysed(look, found.stacks, found.recorder, counters=found.counters))
            del replies, found
            began = time.process_time()
            session.apply(events.LookClosed(look, at, context=context))
            closing.append(time.process_time() - began)
            while not wanted.plain and (due := session.book.due_for_packing()) is not None:
                engine.pack(due)
                session.apply(engine.events.get(timeout=60))
            if look % 10 == 0 or look == 1:
                book = session.book
                analysed = sum(not one.dropped for one in book.records)
                sizes = (resident() // MIB, book.memory // MIB, book.memory_of_analyses // MIB)
                print(f"{look:5} {sizes[0]:9,} {sizes[1]:9,} {sizes[2]:9,} {len(book):5} {analysed:14}", flush=True)
        began = time.perf_counter()
        oldest = session.looks[0]
        session.apply(events.LookShown(oldest.id))
        shown = time.perf_counter() - began
        began = time.perf_counter()
        analysed_again(session.looks[1], oldest)
        again = time.perf_counter() - began
    usual, most = statistics.median(closing) * 1e3, max(closing) * 1e3
    where = f"{wanted.ranks:,} ranks"
    record(f"{where}: a look closes, at most", most, "ms CPU")
    record(f"{where}: going to another look", shown * 1e3, "ms")
    record(f"{where}: an older look analysed again, beside the screen", again, "s")
    record(f"{where}: resident memory after {wanted.looks} looks", resident() / MIB, "MiB")
    print(f"a look closes: {usual:.0f} ms of CPU time (median), {most:.0f} ms at most")
    print(f"going to another look: {shown * 1e3:.2f} ms")
    print(f"analysed again beside the screen, with the look before: {again:.2f} s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
