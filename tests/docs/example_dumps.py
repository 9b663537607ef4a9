"""The small dumps in docs/reference/examples: a folder for each kind of finding that no scenario of the demo shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.fakes.flight_recorder_jobs import START_NS, Call, FakeGroup, FakeJob, Fault

__all__ = ["EXAMPLES", "example_files"]

EXAMPLES = Path(__file__).parents[2] / "docs" / "reference" / "examples"

_MS = 1_000_000
_WORLD = FakeGroup("0", "default_pg", (0, 1, 2, 3))
_TP = FakeGroup("1", "tp", (0, 1))
_PP = FakeGroup("2", "pp", (0, 1))
_WRONG = Call("0", "all_reduce", ((512,),), ((512,),))


def example_files() -> dict[str, bytes]:
    """Content by name below `EXAMPLES`; the same bytes each time."""
    files: dict[str, bytes] = {}
    mismatch = FakeJob(4, [_WORLD], [Call("0")] * 3, faults=[Fault(2, 2, "wrong", _WRONG)])
    files |= _dumps("mismatch", {rank: mismatch.dump(rank) for rank in range(4)})
    crossing = FakeJob(4, [_WORLD, _TP], [Call("1"), Call("0")] * 2, faults=[Fault(1, 2, "swaps")])
    files |= _dumps("deadlock", {rank: crossing.dump(rank) for rank in range(4)})
    stuck = FakeJob(4, [_WORLD], [Call("0")] * 3, faults=[Fault(2, 2, "device")])
    files |= _dumps("device_stuck", {rank: stuck.dump(rank) for rank in range(4)})
    sends = [Call("2", pairs=((0, 1),), batched=False)] * 3
    unmatched = FakeJob(2, [_PP], sends, faults=[Fault(1, 2, "stops")])
    files |= _dumps("p2p_unmatched", {rank: unmatched.dump(rank) for rank in range(2)})
    absent = FakeJob(4, [_WORLD], [Call("0")] * 3, faults=[Fault(2, 2, "stops")])
    files |= _dumps("no_dump", {rank: absent.dump(rank) for rank in (0, 1, 3)})
    files |= _dumps("aborted", _aborted())
    files |= _dumps("slow_rank", _slow())
    for time in ("020000", "020005"):
        files[f"wait_counter/wait_counters_20261201_{time}.txt"] = _counters()
    return files


def _dumps(kind: str, dumps: dict[int, dict[str, Any]]) -> dict[str, bytes]:
    return {f"{kind}/rank_{rank}.json": (json.dumps(dump) + "\n").encode() for rank, dump in dumps.items()}


def _aborted() -> dict[int, dict[str, Any]]:
    """All ranks made the last call; it ended 10 minutes later, when its watchdog gave it up."""
    job = FakeJob(3, [FakeGroup("0", "default_pg", (0, 1, 2))], [Call("0")] * 3)
    dumps = {rank: job.dump(rank) for rank in range(3)}
    for dump in dumps.values():
        last = dump["entries"][-1]
        last["time_discovered_completed_ns"] = last["time_created_ns"] + 600_400 * _MS
        last.pop("duration_ms", None)
    return dumps


def _slow() -> dict[int, dict[str, Any]]:
    """Rank 2 comes to each collective 50 ms after the others."""
    job = FakeJob(3, [FakeGroup("0", "default_pg", (0, 1, 2))], [Call("0")] * 24)
    dumps = {rank: job.dump(rank) for rank in range(3)}
    for rank, dump in dumps.items():
        for place, entry in enumerate(dump["entries"]):
            begin = START_NS + place * 200 * _MS
            made = begin + (100 + rank + (50 if rank == 2 else 0)) * _MS
            ended = begin + 155 * _MS
            entry |= {
                "time_created_ns": made,
                "time_discovered_completed_ns": ended,
                "duration_ms": (ended - made) / _MS,
            }
            entry["time_discovered_started_ns"] = made + 200_000
    return dumps


def _counters() -> bytes:
    waits = {
        "TCPStore__wait": {"active_count": 1, "total_calls": 12, "total_time_us": 4_000_000, "max_time_us": 900_000}
    }
    parts = []
    for rank in range(2):
        parts += [
            f"=== Rank {rank}: http://node-0:{40000 + rank}/handler/wait_counter_values? ===",
            json.dumps(waits),
            "",
        ]
    return "\n".join(parts).encode()
