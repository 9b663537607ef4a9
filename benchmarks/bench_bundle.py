"""What an incident bundle costs: writing it as replies come, its size, the time until the first screen has its ranks.

Beside it: the same answers by zipfile and json alone, a member for each answer, read whole when opened.
Prints a table. Run: python benchmarks/bench_bundle.py [ranks [entries of a recorder]]
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tabulate import tabulate

from benchmarks.figures import record
from xpudbg.services import events
from xpudbg.services.bundle.recording import BundleRecording
from xpudbg.services.bundle.redaction import Redaction
from xpudbg.services.bundle.replay import Replay
from xpudbg.services.bundle.writer import BundleWriter
from xpudbg.services.looks.recorders import RecorderLook
from xpudbg.services.looks.stacks import StackLook
from xpudbg.services.ranksets import RankSet
from xpudbg.services.session import Session
from xpudbg.services.snapshot import LookContext, Outcome, RankAddress, RankReply
from xpudbg.services.spool import Spool

SECOND = 1_000_000_000
START = 1_760_000_000 * SECOND
LOOKS = 2
PLAIN = "zipfile + json"


def dump(rank: int, look: int, entries: int) -> bytes:
    """A recorder's answer as torch writes it, calls of one group with a stack each."""
    frames = [{"name": f"step_{n}", "filename": f"/opt/job/trainer/part_{n}.py", "line": 10 * n} for n in range(8)]
    made = [
        {
            "frames": frames,
            "record_id": number,
            "pg_id": 0,
            "process_group": ["0", "default_pg"],
            "collective_seq_id": number + 1,
            "p2p_seq_id": 0,
            "op_id": number + 1,
            "profiling_name": "gloo:all_reduce",
            "time_created_ns": START + (look * entries + number) * 5_000_000 + rank * 977,
            "duration_ms": 0.2 + (number * 7919 + rank) % 1000 / 1000,
            "input_sizes": [[4096, 1024]],
            "input_dtypes": ["Float"],
            "output_sizes": [[4096, 1024]],
            "output_dtypes": ["Float"],
            "state": "completed",
            "time_discovered_started_ns": None,
            "time_discovered_completed_ns": START + (look * entries + number) * 5_000_000 + rank * 977 + 1_000_000,
            "retired": True,
            "timeout_ms": 600_000,
            "is_p2p": False,
        }
        for number in range(entries)
    ]
    return json.dumps({"version": "2.10", "entries": made}).encode()


def stack(rank: int, look: int) -> bytes:
    """A traceback of 60 threads with 12 frames each."""
    threads = [
        f"Thread 0x{0x7F0000000000 + rank * 65536 + number:016x} (most recent call first):\n"
        + "".join(f'  File "/opt/job/trainer/part_{n}.py", line {100 * n + look} in step_{n}\n' for n in range(12))
        for number in range(60)
    ]
    return "\n".join(threads).encode()


def counters(rank: int, look: int) -> bytes:
    return json.dumps(
        {
            f"pytorch.wait_counter.part{number}.wait": {
                "active_count": 0,
                "max_time_us": 1_000 + rank,
                "total_calls": 100 * (look + 1),
                "total_time_us": 1_000_000 * number + rank,
            }
            for number in range(40)
        }
    ).encode()


HANDLERS = json.dumps([f"handler_{number}" for number in range(20)]).encode()


def answers(ranks: int, entries: int, look: int) -> Iterator[tuple[int, str, bytes]]:
    for rank in range(ranks):
        yield rank, "ping", b"pong"
        yield rank, "handlers", HANDLERS
        yield rank, "wait_counter_values", counters(rank, look)
        yield rank, "dump_traceback", stack(rank, look)
        yield rank, "fr_trace_json", dump(rank, look, entries)


def looks(ranks: int, entries: int, spool: Spool) -> list[events.Event]:
    """The events of the looks, large bodies in the spool as in a live job."""
    hosts = [f"node-{rank // 8:03d}" for rank in range(ranks)]
    addresses = tuple(
        RankAddress(rank, f"http://{host}:{25000 + rank % 8}", f"http://{host}:{25000 + rank % 8}", host)
        for rank, host in enumerate(hosts)
    )
    said: list[events.Event] = [events.TargetOpened("store head-0:29500", ranks, addresses, store="head-0:29500")]
    for look in range(LOOKS):
        at = START + look * 10 * SECOND
        said.append(events.LookStarted(look + 1, at, RankSet.full(ranks)))
        for rank, source, data in answers(ranks, entries, look):
            reply = RankReply(rank, source, "", Outcome.OK, 200, spool.put(data), "", at, 0.01)
            said.append(events.ReplyArrived(look + 1, reply))
        said.append(events.Analysed(look + 1, StackLook(0), RecorderLook(0)))
        context = LookContext(may_wait=RankSet())
        said.append(events.LookClosed(look + 1, at + SECOND, context=context))
    return said


def write(path: Path, said: Iterable[events.Event], redact: Iterable[str] = ()) -> float:
    """Seconds that writing all of it takes."""
    begun = time.perf_counter()
    with BundleWriter(path, force=True) as writer:
        recording = BundleRecording(writer, Redaction(redact))
        for event in said:
            recording.apply(event)
        recording.finish(None, (), {}, "")
    return time.perf_counter() - begun


def opened(path: Path) -> tuple[float, float, float]:
    """Seconds until the target is open, until the first look's replies are in the session, until it is judged."""
    session = Session()
    begun = time.perf_counter()
    at: dict[str, float] = {}

    judged = asyncio.Event()

    def emit(event: events.Event) -> None:
        session.apply(event)
        if isinstance(event, events.TargetOpened):
            at.setdefault("open", time.perf_counter() - begun)
        elif isinstance(event, events.ReplyArrived) and event.look_id == 1:
            at["replies"] = time.perf_counter() - begun
        elif isinstance(event, events.LookClosed):
            at.setdefault("judged", time.perf_counter() - begun)
            judged.set()

    async def run(executor: ThreadPoolExecutor) -> None:
        replay = Replay(path, emit=emit, analyses=executor)
        await replay.open()
        looking = asyncio.create_task(replay.look())
        await judged.wait()
        looking.cancel()
        await asyncio.wait([looking])
        await replay.close()

    with ThreadPoolExecutor(1) as executor:
        asyncio.run(run(executor))
    return at["open"], at["replies"], at["judged"]


def write_plain(path: Path, said: Iterable[events.Event]) -> float:
    begun = time.perf_counter()
    listed = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, event in enumerate(said):
            if isinstance(event, events.ReplyArrived):
                reply = event.reply
                archive.writestr(f"{number}", reply.body.read())
                listed.append([event.look_id, reply.rank, reply.source, reply.outcome, reply.started_at, number])
        archive.writestr("replies.json", json.dumps(listed))
    return time.perf_counter() - begun


def opened_plain(path: Path) -> float:
    """Seconds until the answers of the first look are there."""
    begun = time.perf_counter()
    with zipfile.ZipFile(path) as archive:
        listed = json.loads(archive.read("replies.json"))
        bodies = [archive.read(str(number)) for look_id, *_, number in listed if look_id == 1]
    assert bodies
    return time.perf_counter() - begun


def main(ranks: int, entries: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        spool = Spool(Path(folder))
        said = looks(ranks, entries, spool)
        bodies = [event.reply.body.size for event in said if isinstance(event, events.ReplyArrived)]
        path, plain = Path(folder) / "a.xpudbg", Path(folder) / "plain.zip"
        wrote, wrote_plain = write(path, said), write_plain(plain, said)
        until_open, until_replies, until_judged = opened(path)
        rows = [
            ("write, s", wrote, wrote_plain),
            ("size, MB", path.stat().st_size / 1e6, plain.stat().st_size / 1e6),
            ("open: target known, s", until_open, None),
            ("open: ranks and answers of the first look, s", until_replies, opened_plain(plain)),
            ("open: first look judged, s", until_judged, None),
        ]
        few = [event for event in said if not isinstance(event, events.ReplyArrived) or event.reply.rank < 32]
        rows.append(("write with hosts and paths redacted, 32 ranks, s", write(path, few, ("hosts", "paths")), None))
        spool.close()
    for name, ours, plain_one in rows:
        goal = 1.0 if "first look judged" in name else None
        record(name.rpartition(",")[0], ours, name.rpartition(" ")[2], peer=plain_one, against=PLAIN, at_most=goal)
    total = sum(bodies) / 1e6
    print(f"{ranks:,} ranks, {LOOKS} looks, {len(bodies):,} answers, {total:,.0f} MB of them")
    print(tabulate(rows, headers=("", "bundle", PLAIN), floatfmt=".2f", tablefmt="plain"))


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]), *(1024, 500)[len(sys.argv) - 1 :])
