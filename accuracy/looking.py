"""A target looked at with the whole program but its screens, and what its ranks answered."""

from __future__ import annotations

import time
from collections.abc import Mapping

from xpudbg.services import events
from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.engine import Engine
from xpudbg.services.flight_recorder.diagnosis import SOON_S
from xpudbg.services.session import Session
from xpudbg.services.snapshot import Outcome
from xpudbg.services.targets import Target

__all__ = ["RECORDERS", "looked_at", "recorder_answers"]

RECORDERS = ("dump_nccl_trace_json", "torchcomms_fr_trace_json", "fr_trace_json")
"""Handlers that answer with a flight recorder."""
_TIMEOUT_S = 1.0


def looked_at(target: Target, looks: int = 2) -> Session:
    """The session after some looks, far enough apart that what stands still is told from what moves.

    Raises:
        RuntimeError: the target can't be read, or the engine failed.
    """
    session = Session()
    with Engine() as engine:
        engine.attach(target, AttachOptions(timeout_s=_TIMEOUT_S))
        _until_closed(engine, session)
        for _ in range(looks - 1):
            time.sleep(SOON_S * 1.1)
            engine.look()
            _until_closed(engine, session)
    return session


def _until_closed(engine: Engine, session: Session) -> None:
    while True:
        event = engine.events.get(timeout=120)
        session.apply(event)
        if isinstance(event, events.TargetFailed | events.EngineFailed):
            raise RuntimeError(str(event))
        if isinstance(event, events.LookClosed) and not event.more:
            return


def recorder_answers(session: Session) -> Mapping[int, bytes]:
    """What the recorders of the newest look answered, by rank; the first recorder of the list that any rank has."""
    look = session.latest
    if look is None:
        return {}
    for source in RECORDERS:
        found = {
            rank: reply.body.read()
            for (rank, name), reply in sorted(look.replies.items())
            if name == source and reply.outcome is Outcome.OK
        }
        if found:
            return found
    return {}
