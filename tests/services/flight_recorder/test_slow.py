"""The rank that is always last: found by local waits or by arrivals, with clocks that disagree."""

from __future__ import annotations

import random
from typing import Any

import pytest

from xpudbg.services.flight_recorder.analysis import Analysis, analyse
from xpudbg.services.flight_recorder.slow import Statistic, find_slow

from .recorded import dump_of, entry

MS = 1_000_000
RANKS = "[0, 1, 2, 3]"


def job(
    *,
    slow_ms: float = 0,
    jitter_ms: float = 1,
    clocks_ms: tuple[int, ...] = (0, 0, 0, 0),
    ends: bool = True,
    steps: int = 40,
) -> Analysis:
    """Four ranks; a step has a long stretch of work, in which rank 2 is slower, then two collectives in a row."""
    chance = random.Random(7)
    clock = [0.0] * 4
    rows: list[list[dict[str, Any]]] = [[] for _ in range(4)]
    seq = 0
    for _ in range(steps):
        for work in (100.0, 0.1):
            seq += 1
            calls = []
            for rank in range(4):
                clock[rank] += work + chance.uniform(0, jitter_ms if work > 1 else 0.05)
                clock[rank] += slow_ms if rank == 2 and work > 1 else 0
                calls.append(clock[rank])
            end = max(calls) + 2
            clock = [end + chance.uniform(0, 0.05) for _ in range(4)]
            for rank in range(4):
                ahead = 10**18 + clocks_ms[rank] * MS
                made = {"time_created_ns": ahead + int(calls[rank] * MS), "op_id": seq}
                if ends:
                    made["time_discovered_completed_ns"] = ahead + int(clock[rank] * MS)
                rows[rank].append(entry("nccl:all_reduce" if ends else "gloo:all_reduce", seq, **made))
    return analyse(dump_of(rank, rows[rank], RANKS) for rank in range(4))


@pytest.mark.parametrize("clocks", [(0, 0, 0, 0), (5000, -3000, 0, 800)])
def test_waits_need_no_common_clock(clocks: tuple[int, ...]) -> None:
    # Every other call follows at once: there the slow rank is not last, so only every second one counts against it.
    assert find_slow(job(slow_ms=50, clocks_ms=clocks)) == ()
    look = _every_second(slow_ms=50, clocks_ms=clocks)
    (slow,) = find_slow(look)
    assert (slow.rank, slow.statistic, str(slow.waiting)) == (2, Statistic.WAITS, "0-1,3")
    assert 0.045 < slow.margin_s < 0.055
    assert slow.share == 1


def _every_second(**options: Any) -> Analysis:
    """The same job with the quick calls in another group."""
    dumps = []
    for dump in job(**options).job.dumps:
        entries = dump.entries
        rows = []
        for place in range(len(entries)):
            quick = place % 2
            rows.append(
                entry(
                    "nccl:all_reduce",
                    place // 2 + 1,
                    record_id=place,
                    pg_id=quick,
                    process_group=["1", "quick"] if quick else ["0", "default_pg"],
                    time_created_ns=int(entries.created[place]),
                    time_discovered_completed_ns=int(entries.completed[place]),
                )
            )
        config = {name: {"name": name, "desc": "", "ranks": RANKS} for name in ("0", "1")}
        dumps.append(dump_of(dump.rank, rows, RANKS, pg_config=config))
    return analyse(dumps)


@pytest.mark.parametrize("ends", [True, False])
@pytest.mark.parametrize("clocks", [(0, 0, 0, 0), (5000, -3000, 0, 800)])
def test_a_job_in_step_has_no_slow_rank(ends: bool, clocks: tuple[int, ...]) -> None:
    assert find_slow(job(ends=ends, clocks_ms=clocks)) == ()


def test_a_small_or_changing_lead_is_none() -> None:
    assert find_slow(_every_second(slow_ms=5)) == ()
    assert find_slow(_every_second(slow_ms=30, jitter_ms=60)) == ()


def test_arrivals_where_there_are_no_ends() -> None:
    rows = [
        [
            entry("gloo:barrier", seq, time_created_ns=10**18 + (seq * 100 + 50 * (rank == 2)) * MS)
            for seq in range(1, 41)
        ]
        for rank in range(4)
    ]
    look = analyse(dump_of(rank, mine, RANKS) for rank, mine in enumerate(rows))
    hosts = dict.fromkeys(range(4), "one")
    (slow,) = find_slow(look, hosts)
    assert (slow.rank, slow.statistic, round(slow.margin_s, 3), slow.offsets_s) == (2, Statistic.ARRIVALS, 0.05, {})
    # On four hosts the same times may as well be a clock that is ahead: nothing is said.
    assert find_slow(look) == ()


def test_clock_offsets_are_estimated_from_calls_in_a_row() -> None:
    rows = []
    for rank in range(4):
        mine, at = [], 10**18
        for seq in range(1, 81):
            at += (1 if seq % 10 == 0 else 100) * MS
            late = 60 * MS if rank == 2 and seq % 10 else 0
            mine.append(entry("gloo:barrier", seq, time_created_ns=at + late + (900 * MS if rank == 1 else 0)))
        rows.append(mine)
    (slow,) = find_slow(analyse(dump_of(rank, mine, RANKS) for rank, mine in enumerate(rows)))
    assert (slow.rank, round(slow.margin_s, 3)) == (2, 0.06)
    assert {rank: round(offset, 1) for rank, offset in slow.offsets_s.items()} == {1: 0.9}


def test_too_few_calls_say_nothing() -> None:
    assert find_slow(_every_second(slow_ms=50, steps=15)) == ()
