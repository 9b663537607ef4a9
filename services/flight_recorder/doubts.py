"""Ranks that a wait points at, though they may just as well be held up themselves: naming them is a hint, no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .hidden_calls import counted_inside
from .positions import CHANCE, Unit

if TYPE_CHECKING:
    from .analysis import Analysis
    from .waits import OpenCall

__all__ = ["guessed"]


def guessed(now: Analysis, rank: int, call: OpenCall) -> bool:
    """Whether it takes more than one inference to name a rank that has not called a call.

    So it is when others hold up the exchange that the rank is inside of, and when it is concluded that the rank has not
    called this one while it may be inside something that its entries do not show, or may have called it in an entry
    that is gone.
    """
    waits, dump = now.waits, now.job.dump_of(rank)
    inside = waits.calls[waits.current[rank]] if rank in waits.current else None
    if inside is not None and call.p2p and inside.blockers:
        return True
    if dump is None:
        return False
    if rank not in waits.current and counted_inside(now.job, rank):
        return True
    if not call.p2p:
        return rank in now.positions.filtered and _left_in_p2p(now, rank)
    if rank not in call.unsure:
        return False
    counted = any(status.enqueued != status.completed for status in dump.statuses.values())
    held_up = inside is not None or counted or now.positions.inside_something(rank)
    return held_up or rank in now.positions.filtered or not _goes_back(now, rank, call.created)


def _left_in_p2p(now: Analysis, rank: int) -> bool:
    """Whether what a dump of active calls has left of sends and receives may be open, or over: nothing tells where the
    newest call of a group is one, and the number last completed may be as well that of a collective."""
    columns = now.job.columns
    left = np.unique(columns.group[(columns.rank == rank) & columns.is_p2p])
    places = [now.positions.at(rank, int(group)) for group in left]
    return any(at is not None and at.unit is Unit.P2P and (at.p2p_enqueued or 0) <= CHANCE for at in places)


def _goes_back(now: Analysis, rank: int, instant: int) -> bool:
    """Whether a ring has what the rank called at an instant: it keeps an older entry, or has not wrapped."""
    columns = now.job.columns
    mine = np.flatnonzero(columns.rank == rank)
    dump = now.job.dump_of(rank)
    whole = dump is not None and bool(len(dump.entries)) and int(dump.entries.record_id[0]) == 0
    return whole or not len(mine) or int(columns.created[mine].min()) < instant
