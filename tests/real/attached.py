"""An engine on a target with the session its events make, driven by a test."""

from __future__ import annotations

import time

from tests.real.job import RealJob
from xpudbg.services import events
from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.engine import Engine
from xpudbg.services.flight_recorder.diagnosis import SOON_S
from xpudbg.services.judging.history import APART_S
from xpudbg.services.session import Session
from xpudbg.services.snapshot import RankClass
from xpudbg.services.targets import Target, parse_target

__all__ = ["TIMEOUT_S", "Attached", "store_of"]

TIMEOUT_S = 1.0


def store_of(job: RealJob) -> Target:
    """The target that names the store of a job."""
    target = parse_target([job.store], {})
    assert target is not None
    return target


class Attached:
    """An engine with its session, driven from the test."""

    def __init__(self, engine: Engine, target: Target, options: AttachOptions | None = None) -> None:
        self.engine = engine
        self.session = Session()
        engine.attach(target, options or AttachOptions(timeout_s=TIMEOUT_S))
        self._until_closed()

    def look(self) -> None:
        self.engine.look()
        self._until_closed()

    def look_apart(self) -> None:
        """A look far enough from the one before to be compared with it."""
        time.sleep(APART_S * 1.2)
        self.look()

    def look_later(self) -> None:
        """A look after which a wait is too long for a step of some seconds."""
        time.sleep(SOON_S * 1.1)
        self.look()

    def classes(self) -> dict[int, RankClass]:
        return {rank: state.rank_class for rank, state in self.session.ranks.items()}

    def until_late(self, rank: int) -> None:
        """Wait until a request that the rank left unanswered has come back."""
        while True:
            event = self.engine.events.get(timeout=30)
            self.session.apply(event)
            if isinstance(event, events.LateReply) and event.reply.rank == rank:
                return

    def _until_closed(self) -> None:
        while True:
            event = self.engine.events.get(timeout=60)
            self.session.apply(event)
            if isinstance(event, events.LookClosed | events.TargetFailed):
                assert not self.session.faults, self.session.faults
                return
