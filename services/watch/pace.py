"""How a job gets on from look to look: whether anybody moved, and how many calls ended a minute. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from ..flight_recorder.motion import group_key
from ..ranksets import RankSet
from ..stacks.looks import Change

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ..flight_recorder.analysis import Analysis
    from ..looks.record import LookRecord
    from ..looks.recorders import RecorderLook

__all__ = ["JobPace", "LookMotion", "motion_of"]

_ELSEWHERE = frozenset((Change.LINE, Change.MOVED))


class JobPace(StrEnum):
    """How a job gets on."""

    UNKNOWN = "unknown"
    """The looks do not tell: there is one only, or neither stacks nor flight recorders."""
    MOVING = "moving"
    SLOW = "slow"
    """It moves, much slower than it usually does."""
    IDLE = "idle"
    """Nothing moved, and nobody is inside a collective: between two phases, at its end, at a prompt."""
    STANDING = "standing"
    """Nothing moved, and ranks are inside collectives."""


@dataclass(frozen=True, slots=True)
class LookMotion:
    """What one look says of the time since the look before."""

    taken_at: int
    """ns since the epoch."""
    known: bool
    """Whether it can be told if anybody moved."""
    moved: RankSet = field(default_factory=RankSet)
    """Ranks that began or ended a call, or whose main thread is elsewhere."""
    inside: RankSet = field(default_factory=RankSet)
    """Ranks inside a collective, by their recorder or their stack."""
    ended_per_minute: float | None = None
    """Calls that the median rank ended; None where no recorder tells."""


def motion_of(before: LookRecord | None, now: LookRecord) -> LookMotion:
    """What a look says of the time since the one before.

    Args:
        before: None for the first look.
    """
    standings = now.stacks.standings.values()
    moved = now.recorder.moved | RankSet(one.rank for one in standings if one.change in _ELSEWHERE)
    known = bool(moved or now.recorder.stood) or any(one.change is Change.SAME for one in standings)
    return LookMotion(
        taken_at=now.snapshot.taken_at,
        known=known,
        moved=moved,
        inside=now.recorder.inside | now.stacks.in_calls,
        ended_per_minute=None if before is None else _ended_per_minute(before, now),
    )


def _ended_per_minute(before: LookRecord, now: LookRecord) -> float | None:
    minutes = (now.snapshot.taken_at - before.snapshot.taken_at) / 60e9
    if minutes <= 0:
        return None
    was, is_ = _ended(before.recorder), _ended(now.recorder)
    gained: dict[int, int] = {}
    for key, ended in is_.items():
        earlier = was.get(key)
        if earlier is not None and ended >= earlier:
            rank = key[0]
            gained[rank] = gained.get(rank, 0) + ended - earlier
    return float(np.median(list(gained.values()))) / minutes if gained else None


def _ended(look: RecorderLook) -> dict[tuple[int, str, Hashable], int]:
    """Collectives that are over, by rank, recorder and group; those called where it is not known how many are over."""
    return {
        (rank, source, key): count
        for source, one in look.diagnoses.items()
        for rank, key, count in _counts(one.analysis)
    }


def _counts(analysis: Analysis) -> list[tuple[int, Hashable, int]]:
    keys = [group_key(analysis, group.index) for group in analysis.job.groups]
    made = []
    for (rank, group), at in analysis.positions.items():
        count = at.completed if at.completed is not None else at.enqueued
        if count is not None:
            made.append((rank, keys[group], count))
    return made
