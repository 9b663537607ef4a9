"""Whether a job moves: two looks some seconds apart, compared by rank and group.

Frozen: inside a call, and nothing has changed. Idle: inside no call, and nothing has changed. Crawling: it has got on,
but with less than a tenth of the calls that its usual rate would have given. Moving: everything else.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from ..ranksets import RankSet

if TYPE_CHECKING:
    from collections.abc import Hashable

    from .analysis import Analysis
    from .positions import Position
    from .waits import OpenCall

__all__ = ["Motion", "Pace", "group_key"]

SLOWDOWN = 10
"""A rank that makes fewer than one in so many of its usual calls is crawling."""


class Pace(StrEnum):
    """How a rank gets on between two looks."""

    FROZEN = "frozen"
    CRAWLING = "crawling"
    MOVING = "moving"
    IDLE = "idle"


class Motion:
    """What has changed between two looks."""

    def __init__(self, before: Analysis, now: Analysis) -> None:
        self._before = before
        self._now = now
        self._older = {group_key(before, group.index): group.index for group in before.job.groups}
        self.made: dict[tuple[int, int], int] = {}
        """Calls made in between, by (rank, group index of the later look), where both looks tell."""
        self.by_group = self._paces()
        """By (rank, group index of the later look)."""
        self.by_rank: dict[int, Pace] = {}
        """The liveliest pace of each rank: a rank that gets on anywhere is not frozen."""
        order = [Pace.IDLE, Pace.FROZEN, Pace.CRAWLING, Pace.MOVING]
        for (rank, _), pace in self.by_group.items():
            known = self.by_rank.get(rank, Pace.IDLE)
            self.by_rank[rank] = max(known, pace, key=order.index)

    def still_inside(self, call: OpenCall) -> RankSet:
        """Those inside a call that were inside the same call at the earlier look."""
        key = _call_key(self._now, call)
        earlier = self._before.waits
        places = earlier.current | earlier.hidden
        return RankSet(
            rank
            for rank in call.inside | call.hidden
            if rank in places and _call_key(self._before, earlier.calls[places[rank]]) == key
        )

    def moved(self, rank: int) -> bool:
        """Whether a rank has made or ended any call in between."""
        return self.by_rank.get(rank) in (Pace.MOVING, Pace.CRAWLING)

    def _paces(self) -> dict[tuple[int, int], Pace]:
        now, before = self._now, self._before
        looked_again = {dump.rank for dump in before.job.dumps} & {dump.rank for dump in now.job.dumps}
        inside = {(rank, now.waits.calls[call].group) for rank, call in now.waits.current.items()}
        inside |= {(rank, queued.group) for queued in now.waits.queued for rank in queued.ranks}
        found = {}
        for (rank, group), at in now.positions.items():
            if rank not in looked_again:
                continue
            older = self._older.get(group_key(now, group))
            was = None if older is None else before.positions.at(rank, older)
            calls = None if was is None else _calls_between(was, at)
            if calls is not None:
                self.made[rank, group] = calls
            counters, counted = now.job.counters.get(rank, {}).get(group), None
            if older is not None:
                counted = before.job.counters.get(rank, {}).get(older)
            same = (
                was is not None
                and (was.enqueued, was.completed, was.p2p_enqueued, was.p2p_completed)
                == (at.enqueued, at.completed, at.p2p_enqueued, at.p2p_completed)
                and (counters and counters.status) == (counted and counted.status)
            )
            if same:
                found[rank, group] = Pace.FROZEN if (rank, group) in inside else Pace.IDLE
            else:
                made = (at.enqueued or 0) - ((was.enqueued if was else None) or 0)
                found[rank, group] = Pace.CRAWLING if self._crawls(rank, group, made) else Pace.MOVING
        return found

    def _crawls(self, rank: int, group: int, made: int) -> bool:
        before, now = self._before.job.dump_of(rank), self._now.job.dump_of(rank)
        if before is None or now is None or before.taken_at is None or now.taken_at is None or made < 1:
            return False
        entries = now.entries
        labels = np.array(self._now.job.group_map.of_label[rank], dtype=np.int64)
        created = entries.created[labels[entries.group] == group] if len(entries) else entries.created
        gaps = np.diff(created[created > 0])
        earlier = gaps[: max(len(gaps) - made, 0)]
        if len(earlier) < SLOWDOWN or float(np.median(earlier)) <= 0:
            return False
        usual = (now.taken_at - before.taken_at) / float(np.median(earlier))
        return usual >= SLOWDOWN and made * SLOWDOWN < usual


def _calls_between(was: Position, at: Position) -> int | None:
    """Collectives and P2P calls made from one position to the other; None where a count is unknown or went back."""
    if was.enqueued is None or at.enqueued is None:
        return None
    made = at.enqueued - was.enqueued + (at.p2p_enqueued or 0) - (was.p2p_enqueued or 0)
    return made if made >= 0 else None


def group_key(look: Analysis, index: int) -> Hashable:
    """A group across looks: its members change with those who use it where they are inferred."""
    group = look.job.groups[index]
    return group.name, None if group.inferred else group.members


def _call_key(look: Analysis, call: OpenCall) -> Hashable:
    return group_key(look, call.group), call.p2p, call.seq
