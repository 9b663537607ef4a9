"""Looks that brought flight recorder dumps of a made-up job, as the analysis makes them of the dumps of its ranks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from xpudbg.services import events
from xpudbg.services.flight_recorder.decode import decode
from xpudbg.services.looks.recorders import RecorderAnalyst
from xpudbg.services.looks.stacks import StackAnalyst
from xpudbg.services.ranksets import RankSet

from .scripted import NOW, SECOND, look, opened
from .stack_scripts import reply

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from xpudbg.services.looks.recorders import RecorderLook

NCCL = "dump_nccl_trace_json"


def mesh(world: int, width: int = 4, names: tuple[str, str] = ("mesh_tp", "mesh_dp")) -> list[FakeGroup]:
    """The whole job, rows of `width` ranks and columns across them."""
    groups = [FakeGroup("0", "default_pg", tuple(range(world)))]
    groups += [
        FakeGroup(f"{1 + row}", names[0], tuple(range(row * width, (row + 1) * width))) for row in range(world // width)
    ]
    groups += [FakeGroup(f"{1000 + one}", names[1], tuple(range(one, world, width))) for one in range(width)]
    return groups


def job_of(groups: Sequence[FakeGroup], steps: int = 4, faults: Sequence[Fault] = (), world: int = 16) -> FakeJob:
    """Each step is one call in each group, the one of all ranks last."""
    program = [Call(group.name) for group in (*groups[1:], groups[0])] * steps
    return FakeJob(world, groups, program, faults=faults)


def recorder_looks(jobs: Sequence[FakeJob], absent: Iterable[int] = ()) -> list[RecorderLook]:
    """The jobs as looks ten seconds apart, the last at NOW, each compared with the one before."""
    analyst, left_out = RecorderAnalyst([NCCL]), set(absent)
    made = []
    for number, job in enumerate(jobs):
        at = NOW - (len(jobs) - 1 - number) * 10 * SECOND
        dumps = [
            replace(decode(job.as_json(rank), rank), taken_at=at) for rank in range(job.world) if rank not in left_out
        ]
        missing = dict.fromkeys(left_out, "it was not asked")
        made.append(analyst.judge_files(number + 1, at, dumps, job.world, missing))
    return made


def recorder_job(
    jobs: Sequence[FakeJob],
    sick: Mapping[int, str] | None = None,
    *,
    texts: Mapping[int, str] | None = None,
    absent: Iterable[int] = (),
    hosts: Mapping[int, str] | None = None,
) -> list[events.Event]:
    """A job opened and looked at as often as there are `jobs`.

    Args:
        sick: class of ranks that are not alive.
        texts: traceback by rank.
        absent: ranks without a dump.
        hosts: names of hosts that are not the usual ones.
    """
    size = jobs[0].world
    said: list[events.Event] = [events.TargetOpening("store head-0:29500"), opened(size, hosts=hosts)]
    stacks = StackAnalyst()
    for number, recorder in enumerate(recorder_looks(jobs, absent), 1):
        at = NOW - (len(jobs) - number) * 10 * SECOND
        said += look(number, size, sick, at=at, closed=False)
        said += [events.ReplyArrived(number, reply(rank, text, at=at)) for rank, text in (texts or {}).items()]
        known = {
            (e.reply.rank, e.reply.source): e.reply
            for e in said
            if isinstance(e, events.ReplyArrived) and e.look_id == number
        }
        stack = stacks.analyse(number, at - 4 * SECOND, known, RankSet.full(size))
        said += [events.Analysed(number, stack, recorder), events.LookClosed(number, at)]
    return said


def stopped_job(rank: int = 9, at: int = 6, world: int = 16) -> list[FakeJob]:
    """Two equal looks of a job in which one rank does not make the n-th of its calls."""
    job = job_of(mesh(world), faults=[Fault(rank, at, "stops")], world=world)
    return [job, job]
