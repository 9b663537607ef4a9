"""Random jobs with one fault each, seen through small rings, dumps of active calls, clocks apart and empty recorders.

What is seen may be too little to name anybody. Nobody innocent is ever accused for certain, and a recorder that was off
never; and most of those at fault are named all the same.
"""

from __future__ import annotations

import random
from dataclasses import replace

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from xpudbg.services.findings import Confidence
from xpudbg.services.flight_recorder.analysis import analyse
from xpudbg.services.flight_recorder.decode import decode
from xpudbg.services.flight_recorder.diagnosis import FlightFinding, diagnose

EMPTY = b'{"version": "2.10", "entries": []}'
JOBS = 400


def program_of(chance: random.Random, groups: list[FakeGroup]) -> list[Call]:
    """A step of a few calls again and again."""
    step = []
    for _ in range(chance.randint(1, 6)):
        group, share = chance.choice(groups), chance.randint(1, 100)
        if chance.random() < 0.2:
            step.append(Call(group.name, "ALLGATHER_coalesced", inner=(("_broadcast_oop", share),) * 2))
            continue
        op = chance.choice(["all_reduce", "barrier", "broadcast", "reduce", "all_to_all"])
        sizes = () if op == "barrier" else ((share,),)
        step.append(Call(group.name, op, sizes, sizes))
    return step * chance.randint(1, 8)


def layout(chance: random.Random) -> tuple[int, list[FakeGroup]]:
    columns, rows = chance.randint(1, 4), chance.randint(2, 3)
    world = columns * rows
    sets = [tuple(range(world))]
    sets += [tuple(range(row * columns, (row + 1) * columns)) for row in range(rows)]
    sets += [tuple(range(column, world, columns)) for column in range(columns)]
    return world, [FakeGroup(str(place), "default_pg" if not place else "", ranks) for place, ranks in enumerate(sets)]


def judged(seed: int) -> tuple[set[int], list[FlightFinding], set[int]]:
    """Who is at fault (nobody where nothing hangs), what is said, and whose recorder was off."""
    chance = random.Random(seed)
    world, groups = layout(chance)
    program = program_of(chance, groups)
    guilty = chance.randrange(world)
    members = {group.name: group.ranks for group in groups}
    own = [call for call in program if guilty in members[call.group]]
    at = chance.randrange(max(len(own), 1))
    kind = chance.choice(["stops", "device", "wrong", "swaps"])
    if at >= len(own) - 1 and kind in ("wrong", "swaps"):
        kind = "stops"
    job = FakeJob(
        world,
        groups,
        program,
        backend=chance.choice(["nccl", "nccl", "gloo"]),
        faults=[Fault(guilty, at, kind, Call(own[at].group, "all_reduce", ((977,),), ((977,),)) if own else None)],
        run_ahead=chance.choice([1, 2, 4]),
        rings={rank: chance.choice([0, 1, 2, 5, 10]) for rank in range(world) if chance.random() < 0.4},
        timing=chance.random() < 0.5,
    )
    off = {rank for rank in range(world) if rank != guilty and chance.random() < 0.1}
    only_active = not job.gloo and chance.random() < 0.3
    dumps = []
    for rank in range(world):
        dump = decode(EMPTY if rank in off else job.as_json(rank, only_active=only_active), rank)
        dumps.append(replace(dump, taken_at=job.start_ns + 10**12 + chance.randint(-300, 300) * 10**9))
    return {guilty} if job.open_ranks else set(), list(diagnose(analyse(dumps, world_size=world)).findings), off


def test_nobody_innocent_is_accused_for_certain_and_most_at_fault_are_named() -> None:
    hung = named = told = 0
    for seed in range(JOBS):
        guilty, findings, off = judged(seed)
        for one in findings:
            innocent = set(one.culprits) - guilty
            assert not innocent or one.confidence is not Confidence.CERTAIN, (seed, one.kind, innocent)
            assert not innocent & off, (seed, one.kind, innocent)
        hung += bool(guilty)
        told += bool(guilty and findings)
        named += any(guilty & set(one.culprits) for one in findings)
    assert hung > JOBS / 2
    assert told > 0.9 * hung
    assert named > 0.6 * hung
