"""Looks at an attached target followed to their end, and the one under way ended when the person wants to go."""

from __future__ import annotations

import contextlib
import queue
import time
from typing import TYPE_CHECKING

from .interrupts import take_event

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...services.engine import Engine
    from ...services.events import LookClosed
    from ...services.session import Session

__all__ = ["end_look", "follow_looks"]

SILENCE_S = 1.0
"""After a cancel an engine that says nothing for so long has no look under way."""


def follow_looks(
    engine: Engine,
    session: Session,
    looks: int = 1,
    interval_s: float = 0.0,
    closed: Callable[[LookClosed], object] | None = None,
) -> bool:
    """Follow looks to the last one. A living job is looked at so often; files and bundles hold what they hold.

    Args:
        looks: how many.
        interval_s: seconds between two of them.
        closed: told of each that has closed.

    Returns:
        False when the target could not be opened.

    Raises:
        KeyboardInterrupt: a signal came; the session has all that was taken before it.
    """
    from ...services import events
    from ...services.session import Phase

    while True:
        event = take_event(engine.events, session.apply)
        match event:
            case events.TargetFailed():
                return False
            case events.EngineFailed() if session.phase is not Phase.OPEN:
                return False
            case events.LookClosed():
                if closed is not None:
                    closed(event)
                if event.more:
                    continue
                if not session.asks or session.looks[-1].id >= looks:
                    return True
                time.sleep(interval_s)
                engine.look()


def end_look(engine: Engine, session: Session) -> None:
    """End the look under way and take in what has come of it; a signal meanwhile leaves it at that."""
    engine.cancel()
    with contextlib.suppress(KeyboardInterrupt):
        _until_closed(engine, session)


def _until_closed(engine: Engine, session: Session) -> None:
    """Apply what the engine still says of a look that was cancelled. That it began may be still to be heard."""
    from ...services import events

    while True:
        try:
            silence_s = None if session.under_way is not None else SILENCE_S
            event = take_event(engine.events, session.apply, silence_s)
        except queue.Empty:
            return
        reading = isinstance(event, events.TargetProgress) and session.under_way is None
        if reading or isinstance(event, events.LookClosed):
            return
