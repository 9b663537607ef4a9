"""The one way from the engine to the screens: events are drained, applied, and told in one replaceable message."""

from __future__ import annotations

import queue
from time import perf_counter
from typing import TYPE_CHECKING, Protocol

from textual.message import Message

if TYPE_CHECKING:
    from ..services.events import Event

__all__ = ["SLICE_S", "TICK_S", "Applies", "SessionChanged", "drain"]

TICK_S = 0.1
"""Seconds between two looks into the queue of the engine."""
SLICE_S = 0.025
"""Longest time that one tick spends on applying events; the rest waits for the next, and keys come between."""


class Applies(Protocol):
    """Who takes the events: a session, or what stands before one."""

    def apply(self, event: Event) -> None: ...


class SessionChanged(Message):
    """The session is not what it was. A newer one replaces an older one that no screen has handled yet."""

    def __init__(self, revision: int) -> None:
        super().__init__()
        self.revision = revision

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, SessionChanged)


def drain(waiting: queue.SimpleQueue[Event], session: Applies, slice_s: float = SLICE_S) -> int:
    """Apply what the engine has sent, for at most about `slice_s` seconds.

    Returns:
        How many events were applied.
    """
    end = perf_counter() + slice_s
    applied = 0
    while perf_counter() < end:
        try:
            event = waiting.get_nowait()
        except queue.Empty:
            break
        session.apply(event)
        applied += 1
    return applied
