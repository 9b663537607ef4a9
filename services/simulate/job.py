"""The simulated training job: one process group whose collectives advance with time, or stand still.

`RATE` collectives a second. While every rank takes part the job moves: ranks are caught up to one collective apart,
as on a real job. When a rank stops taking part, the others join the next collective and wait there. Sequence numbers
and times of a rank never go back.
"""

from __future__ import annotations

import time
import zlib
from bisect import bisect_left
from dataclasses import dataclass
from enum import Enum, auto

__all__ = ["RATE", "Activity", "Job", "Position", "noise"]

RATE = 20.0
"""Collectives a second."""
_RAN_BEFORE_S = 1800.0
"""The job has been running for so long when the demo starts."""
_STUCK_BEFORE_S = 95.0
"""A job that is held up from the start has been so for so long."""


def noise(rank: int, salt: str) -> float:
    """A number from 0 up to 1 that is always the same for a rank and a salt."""
    return zlib.crc32(f"{salt}/{rank}".encode()) / 2**32


class Activity(Enum):
    """What the main thread of a rank does."""

    COMPUTING = auto()
    WAITING = auto()
    """Inside the collective `Position.enqueued`."""
    LOADING = auto()
    """Asleep in its data loader."""
    HOLDING_GIL = auto()
    """Inside a C extension that keeps the GIL."""


@dataclass(frozen=True, slots=True)
class Position:
    """Where one rank is: sequence numbers count from 1, 0 is none."""

    rank: int
    enqueued: int
    completed: int
    activity: Activity


class Job:
    """The progress of all ranks, as a function of the clock."""

    def __init__(
        self,
        world_size: int,
        *,
        held_up_by: set[int],
        holding_gil: set[int],
        loading: set[int] | None = None,
        idle: bool = False,
        recorder: bool = True,
        torchcomms: bool = False,
    ) -> None:
        """
        Args:
            held_up_by: ranks that take part in no further collective.
            holding_gil: those of them that stand inside a C extension.
            loading: those of them that are asleep in their data loader.
            idle: the job rests between two collectives.
            recorder: whether the flight recorder is switched on (TORCH_FR_BUFFER_SIZE).
            torchcomms: whether the ranks have the handlers of that library.
        """
        self.torchcomms = torchcomms
        self.recorder = recorder
        now = time.time_ns()
        began = now - int(_RAN_BEFORE_S * 1e9)
        self.world_size = world_size
        self.idle = idle
        self.held_up_by = set(held_up_by)
        self.holding_gil = set(holding_gil)
        self.loading = set(loading or ())
        self._moves = [(0.0, began)]
        """Stretches in which the job moved: collectives completed and ns since the epoch at the start of each."""
        self._ends: list[int] = []
        """Ends of these stretches, ns since the epoch; the one under way has none."""
        self._frozen_at: int | None = None
        if held_up_by or idle:
            self._frozen_at = int((_RAN_BEFORE_S - _STUCK_BEFORE_S) * RATE)
            self._ends.append(now - int(_STUCK_BEFORE_S * 1e9) + int(1e9 / RATE))  # all but one have joined by then

    def hold_up(self, rank: int) -> None:
        """From now on this rank takes part in no collective."""
        if self._frozen_at is None:
            now = time.time_ns()
            self._frozen_at = int(self._progress(now)) + 1
            self._ends.append(now)
        self.held_up_by.add(rank)

    def let_go(self, rank: int) -> None:
        """This rank goes on; the job does too unless another one holds it up."""
        self.held_up_by.discard(rank)
        self.holding_gil.discard(rank)
        self.loading.discard(rank)
        if self._frozen_at is not None and not self.held_up_by and not self.idle:
            self._moves.append((float(self._frozen_at + 1), time.time_ns()))
            self._frozen_at = None

    @property
    def is_moving(self) -> bool:
        """Whether collectives are completed."""
        return self._frozen_at is None

    def position(self, rank: int) -> Position:
        """Where a rank is now."""
        if self._frozen_at is not None:
            done = self._frozen_at
            if self.idle:
                return Position(rank, done, done, Activity.LOADING)
            if rank in self.held_up_by:
                return Position(rank, done, done, self._held_in(rank))
            return Position(rank, done + 1, done, Activity.WAITING)
        progress = self._progress(time.time_ns())
        done = int(progress)
        enqueued = done + (progress >= done + 1 - _lead(rank, done + 1))
        return Position(rank, enqueued, done, Activity.WAITING if enqueued > done else Activity.COMPUTING)

    def _held_in(self, rank: int) -> Activity:
        if rank in self.holding_gil:
            return Activity.HOLDING_GIL
        return Activity.LOADING if rank in self.loading else Activity.COMPUTING

    def entered_at(self, rank: int, seq: int) -> int:
        """When a rank joined a collective, ns since the epoch."""
        wanted = seq - _lead(rank, seq)
        index = max(bisect_left(self._moves, (float(seq), 0)) - 1, 0)
        start, at = self._moves[index]
        entered = at + int((wanted - start) / RATE * 1e9)
        return min(entered, self._ends[index]) if index < len(self._ends) else entered

    def _progress(self, now: int) -> float:
        start, at = self._moves[-1]
        return start + (now - at) / 1e9 * RATE


def _lead(rank: int, seq: int) -> float:
    """How long before its end a rank joins a collective, in collectives; another rank is last each time."""
    mixed = rank * 0x9E3779B1 ^ seq * 0x85EBCA77  # of neighbours a checksum alone makes patterns
    return noise((mixed ^ mixed >> 15) * 0x2C1B3C6D % 2**32, "lead") * 0.9
