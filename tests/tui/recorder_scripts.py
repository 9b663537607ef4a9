"""Looks that brought flight recorder dumps, and what the analysis made of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.fakes.flight_recorder_jobs import START_NS, Call, FakeGroup, FakeJob, Fault
from xpudbg.services import events
from xpudbg.services.looks.recorders import RecorderAnalyst
from xpudbg.services.looks.stacks import StackAnalyst
from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import Outcome, RankReply
from xpudbg.services.spool import Body

from .scripted import NOW, SECOND, look, opened
from .stack_scripts import hung
from .stack_scripts import reply as stack_reply

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

NCCL, CPU = "dump_nccl_trace_json", "fr_trace_json"
BEGUN = NOW - 60 * SECOND
"""When the first call of a job was made."""
HOSTILE = "tp[/]\x1b[31m\u202e節点"


def train(world: int = 8, steps: int = 6, *, tp: str = "tp", wide: int = 4, **more: Any) -> FakeJob:
    """Each step an all_gather in tp groups of `wide` ranks, then an all_reduce of all."""
    tps = [
        FakeGroup(f"{10 + first}", f"{tp}{first // wide}", tuple(range(first, first + wide)))
        for first in range(0, world, wide)
    ]
    world_group = FakeGroup("0", "default_pg", tuple(range(world)))
    gathers = [Call(group.name, "all_gather", ((512, 64),), ((512 * wide, 64),), "BFloat16") for group in tps]
    return FakeJob(world, [world_group, *tps], [*gathers, Call("0")] * steps, **more)


def stuck(world: int = 8, rank: int = 5, **more: Any) -> FakeJob:
    """A job in which one rank never makes its seventh call."""
    return train(world, faults=(Fault(rank, 6, "stops"),), **more)


def dump_reply(job: FakeJob, rank: int, source: str = NCCL, at: int = NOW) -> RankReply:
    """The answer of a rank with its dump; the job's times moved to before NOW."""
    dump = job.dump(rank)
    times = "time_created_ns", "time_discovered_started_ns", "time_discovered_completed_ns"
    dump["entries"] = [
        entry | {name: entry[name] + BEGUN - START_NS for name in times if entry[name]} for entry in dump["entries"]
    ]
    data = json.dumps(dump).encode()
    return RankReply(rank, source, "", Outcome.OK, 200, Body(len(data), data), "", at - SECOND, 0.01)


def recorded(
    look_id: int,
    world: int,
    replies: Sequence[RankReply],
    *,
    analyst: RecorderAnalyst,
    texts: Mapping[int, str] | None = None,
    sick: Mapping[int, str] | None = None,
    at: int = NOW,
    closed: bool = True,
) -> list[events.Event]:
    """A whole look that brought dumps, and the tracebacks of `texts`."""
    said = look(look_id, world, sick, at=at, closed=False)
    handlers = Body(2, b"{}")
    came = [RankReply(r, "handlers", "", Outcome.OK, 200, handlers, "", at - SECOND, 0.01) for r in range(world)]
    came += [*replies, *(stack_reply(rank, text, at=at) for rank, text in (texts or {}).items())]
    said += [events.ReplyArrived(look_id, one) for one in came]
    known = {(e.reply.rank, e.reply.source): e.reply for e in said if isinstance(e, events.ReplyArrived)}
    stacks = StackAnalyst().analyse(look_id, at - 4 * SECOND, known, RankSet.full(world))
    recorder = analyst.analyse(look_id, at - 4 * SECOND, known, world, RankSet.full(world))
    said.append(events.Analysed(look_id, stacks, recorder))
    return [*said, events.LookClosed(look_id, at)] if closed else said


def recorder_job(
    jobs: Mapping[str, FakeJob] | FakeJob,
    *,
    looks: int = 2,
    without: Iterable[int] = (),
    loading: Iterable[int] = (5,),
    stacks: bool = True,
) -> list[events.Event]:
    """A job opened and looked at, its dumps the same each time; the looks are ten seconds apart, the last at NOW.

    Args:
        jobs: by source; one alone is NCCL's.
        without: ranks that give no dump.
        loading: ranks whose stack is in the loader.
        stacks: whether tracebacks came too.
    """
    by_source = {NCCL: jobs} if isinstance(jobs, FakeJob) else jobs
    world = max(job.world for job in by_source.values())
    left_out = set(without)
    analyst = RecorderAnalyst((NCCL, CPU))
    said: list[events.Event] = [events.TargetOpening("store head-0:29500"), opened(world)]
    for number in range(looks):
        at = NOW - (looks - 1 - number) * 10 * SECOND
        replies = [
            dump_reply(job, rank, source, at)
            for source, job in by_source.items()
            for rank in range(job.world)
            if rank not in left_out
        ]
        texts = hung(world, loading, left_out) if stacks else {}
        said += recorded(number + 1, world, replies, analyst=analyst, texts=texts, at=at)
    return said
