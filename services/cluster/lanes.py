"""Who may send now: a fast lane for requests just sent, a slow lane for those that have not answered at once.

A request that has not answered after `PATIENCE_S` gives its fast slot back and waits in the slow lane, so that
hundreds of stopped ranks can't starve the live ones.
"""

from __future__ import annotations

import asyncio
import heapq
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["FAST_SLOTS", "PATIENCE_S", "Lane", "Lanes", "Slot"]

FAST_SLOTS = 128
"""Requests in the fast lane; more gains nothing on 2 cores and costs connections."""
PATIENCE_S = 0.25
"""Seconds a request may keep its fast slot."""


class Lane:
    """A semaphore whose waiters are served by priority (lowest first), then in the order of coming."""

    def __init__(self, slots: int) -> None:
        self._free = slots
        self._queue: list[tuple[int, int, asyncio.Future[None]]] = []
        self._arrivals = 0

    @property
    def free(self) -> int:
        return self._free

    async def enter(self, priority: int = 0) -> Slot:
        """Wait for a slot. Cancelling the wait gives nothing away."""
        if self._free > 0 and not self._queue:
            self._free -= 1
            return Slot(self)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._arrivals += 1
        heapq.heappush(self._queue, (priority, self._arrivals, turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._leave()
            raise
        return Slot(self)

    def _leave(self) -> None:
        while self._queue:
            _, _, turn = heapq.heappop(self._queue)
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1


class Slot:
    """A place in a lane; leaving it twice is harmless."""

    __slots__ = ("_lane",)

    def __init__(self, lane: Lane) -> None:
        self._lane: Lane | None = lane

    def leave(self) -> None:
        lane, self._lane = self._lane, None
        if lane is not None:
            lane._leave()

    async def __aenter__(self) -> Slot:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.leave()


class Lanes:
    """The two lanes of an attachment and the number of connections this process may hold."""

    def __init__(self, *, connections: int, fast_slots: int = FAST_SLOTS) -> None:
        """
        Args:
            connections: most connections open at one time, those of unanswered requests included.
            fast_slots: size of the fast lane.
        """
        self.connections = connections
        fast_slots = max(min(fast_slots, connections // 2), 1)
        self.fast = Lane(fast_slots)
        self.slow = Lane(max(connections - 2 * fast_slots, 1))
        self.open = 0
        """Connections held now."""

    @property
    def full(self) -> bool:
        return self.open >= self.connections
