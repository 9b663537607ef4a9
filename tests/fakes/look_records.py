"""Looks with their analyses, as a session has them when they close."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xpudbg.services.counters.look import NO_COUNTERS
from xpudbg.services.events import LookClosed
from xpudbg.services.looks.record import LookRecord
from xpudbg.services.looks.recorders import RecorderLook
from xpudbg.services.looks.stacks import StackLook
from xpudbg.services.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xpudbg.services.events import Event

__all__ = ["look_records"]


def look_records(script: Iterable[Event]) -> list[LookRecord]:
    """The looks that these events bring, oldest first."""
    session, made = Session(), []
    for event in script:
        session.apply(event)
        if isinstance(event, LookClosed) and session.latest is not None:
            made.append(
                LookRecord(
                    session.latest,
                    session.verdict,
                    session.stacks if session.stacks.look_id == event.look_id else StackLook(0),
                    session.recorder if session.recorder.look_id == event.look_id else RecorderLook(0),
                    session.counters if session.counters.look_id == event.look_id else NO_COUNTERS,
                    session.recorded_stacks,
                )
            )
    return made
