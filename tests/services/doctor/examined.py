"""Sessions that have taken one look, built by hand, for the doctor to examine."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.tui.recorder_scripts import NCCL, dump_reply
from tests.tui.scripted import NOW, look, opened
from xpudbg.services import events
from xpudbg.services.doctor.examine import examine
from xpudbg.services.looks.recorders import RecorderAnalyst
from xpudbg.services.ranksets import RankSet
from xpudbg.services.session import Session
from xpudbg.services.snapshot import Outcome, RankReply
from xpudbg.services.spool import Body

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tests.fakes.flight_recorder_jobs import FakeJob
    from xpudbg.services.doctor.check import Check
    from xpudbg.services.doctor.recorder_checks import FramesSeen

HANDLERS = ("dump_traceback", "fr_trace_json", "ping", "pyspy_dump", "torch_profile", "wait_counter_values")


def answer(
    rank: int, source: str, data: bytes, *, outcome: Outcome = Outcome.OK, error: str = "", query: str = ""
) -> RankReply:
    status = 200 if outcome is Outcome.OK else 500
    return RankReply(rank, source, query, outcome, status, Body(len(data), data), error, NOW, 0.01)


def session_of(
    world: int,
    *,
    sick: Mapping[int, str] | None = None,
    handlers: Callable[[int], Sequence[str]] = lambda _rank: HANDLERS,
    dumps: Mapping[str, FakeJob] | None = None,
    replies: Iterable[RankReply] = (),
    store: str = "head-0:29500",
    opening: events.TargetOpened | None = None,
    closed: bool = True,
) -> Session:
    """A session after one look.

    Args:
        sick: class by rank of those that are not well.
        handlers: names of the handlers of a rank.
        dumps: made-up jobs by recorder.
        replies: more replies.
    """
    session = Session()
    session.apply(events.TargetOpening("store head-0:29500"))
    session.apply(replace(opening or opened(world), store=store))
    out = set(sick or {})
    came = [
        answer(rank, "handlers", json.dumps(list(handlers(rank))).encode()) for rank in range(world) if rank not in out
    ]
    for source, job in (dumps or {}).items():
        came += [dump_reply(job, rank, source) for rank in range(world) if rank not in out]
    came += replies
    for event in look(1, world, sick, closed=False):
        session.apply(event)
    for reply in came:
        session.apply(events.ReplyArrived(1, reply))
    assert session.under_way is not None
    recorder = RecorderAnalyst((NCCL, "fr_trace_json")).analyse(
        1, NOW, session.under_way.replies, world, RankSet.full(world), hosts=dict.fromkeys(range(world), "one")
    )
    session.apply(events.Analysed(1, session.stacks, recorder))
    if closed:
        session.apply(events.LookClosed(1, NOW))
    return session


def checks_of(session: Session, frames: FramesSeen | None = None) -> dict[str, Check]:
    """The checks by name; a name is there once."""
    made = examine(session, frames)
    by_name = {check.name: check for check in made}
    assert len(by_name) == len(made)
    return by_name
