"""A job that comes to a stand: looks that differ in ranks, stacks, recorders and counters, all of them analysed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fakes.counter_answers import replies as counter_replies
from xpudbg.services import events
from xpudbg.services.looks.analysis import LookAnalyst, LookMaterial
from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import LookContext

from .counter_scripts import trained
from .recorder_scripts import dump_reply, stuck, train
from .scripted import NOW, SECOND, look, opened
from .stack_scripts import LOAD, PIN, TRAIN, WAIT, reply, traceback

if TYPE_CHECKING:
    from tests.fakes.flight_recorder_jobs import FakeJob
    from xpudbg.services.snapshot import RankReply

__all__ = ["RANKS", "standing_job"]

RANKS = 8


def standing_job(looks: int = 4) -> list[events.Event]:
    """A job opened and looked at every ten seconds, the last time at NOW.

    It trains at the first two looks; at the third rank 5 loads data while the others wait for it in a collective, at
    the fourth rank 7 is stopped besides. After that nothing changes.
    """
    jobs = [train(RANKS, 2), train(RANKS, 4), stuck(RANKS)]
    counters = trained(RANKS, looks=looks)
    analyst = LookAnalyst()
    script: list[events.Event] = [events.TargetOpening("store head-0:29500"), opened(RANKS)]
    for number in range(looks):
        at = NOW - (looks - 1 - number) * 10 * SECOND
        job = jobs[min(number, 2)]
        sick = {7: "stopped"} if number >= 3 else {}
        script += _look(number + 1, job, sick, list(counter_replies(counters[number], at).values()), analyst, at)
    return script


def _look(
    look_id: int, job: FakeJob, sick: dict[int, str], counters: list[RankReply], analyst: LookAnalyst, at: int
) -> list[events.Event]:
    said = look(look_id, RANKS, sick, at=at, closed=False)
    for rank in range(RANKS):
        if rank in sick:
            continue
        where = TRAIN if look_id < 3 else LOAD if rank == 5 else WAIT
        text = reply(rank, traceback(PIN, where), at=at)
        said += [events.ReplyArrived(look_id, one) for one in (dump_reply(job, rank, at=at), text, counters[rank])]
    replies = {(e.reply.rank, e.reply.source): e.reply for e in said if isinstance(e, events.ReplyArrived)}
    context = LookContext(may_wait=RankSet())
    asked = RankSet.full(RANKS)
    hosts = dict.fromkeys(range(RANKS), "node-000")
    found = analyst.analyse(LookMaterial(look_id, at - 4 * SECOND, replies, RANKS, asked, hosts, context))
    analysed = events.Analysed(look_id, found.stacks, found.recorder, counters=found.counters)
    return [*said, analysed, events.LookClosed(look_id, at, context=context)]
