"""Ranks that a wait points at, though they may just as well be held up themselves: naming them is a hint, no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .hidden_calls import counted_inside
from .positions import CHANCE, Unit

if TYPE_CHECKING:
    from .analysis import Analysis
    from .waits import OpenCall

__all__ = ["guessed", "may_have_older"]


def guessed(now: Analysis, rank: int, call: OpenCall) -> bool:
    """Whether it takes more than one inference to name a rank that has not called a call.

    So it is when others hold up the exchange that the rank is inside of, and when it is concluded that the rank has not
    called this one while it may be inside something that its entries do not show, or may have called it in an entry
    that is gone.
    """
    waits, dump = now.waits, now.job.dump_of(rank)
    inside = waits.calls[waits.current[rank]] if rank in waits.current else None
    if inside is not None and call.p2p and (inside.blockers or _with_others(now, inside, call)):
        return True
    if dump is None:
        return False
    if rank in call.lost:
        return True
    if rank not in waits.current and counted_inside(now.job, rank):
        return True
    if not call.p2p:
        return rank in now.positions.filtered and _left_in_p2p(now, rank)
    if rank not in call.unsure:
        return False
    counted = any(status.enqueued != status.completed for status in dump.statuses.values())
    held_up = inside is not None or counted or now.positions.inside_something(rank)
    return held_up or rank in now.positions.filtered or not _goes_back(now, rank, call.created)


def _with_others(now: Analysis, inside: OpenCall, call: OpenCall) -> bool:
    """Whether others than those who wait in a call have part in the one that a rank is inside of."""
    ours = {half.peer for half in inside.halves} if inside.p2p else set(now.job.groups[inside.group].ranks)
    return not ours or bool(ours - set(call.inside | inside.inside | inside.hidden))


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


def may_have_older(now: Analysis, rank: int, call: OpenCall) -> bool:
    """Whether a rank may be held up by an older call of the group than the one that its entries show it to be inside.

    So it may where its ring begins with that call and no counter says which are over, and where ended calls are left
    out and sends and receives lie before it, of which nothing tells whether they are over.
    """
    row = call.rows.get(rank)
    at = now.positions.at(rank, call.group)
    columns = now.job.columns
    if row is None or at is None:
        return False
    start = row - int(columns.row[row])
    if rank in now.positions.filtered:
        before = slice(start, row)  # sends and receives of which it can't be told whether they are over
        return bool(np.any((columns.group[before] == call.group) & columns.is_p2p[before]))
    if at.ends_counted and not columns.p2p_seq[row]:
        return False
    if int(now.job.dumps[columns.dump[row]].entries.record_id[0]) == 0:
        return False
    seq = columns.p2p_seq if call.p2p else columns.collective_seq
    mine = slice(start, row + 1)
    own = np.flatnonzero((columns.group[mine] == call.group) & (seq[mine] == call.seq))
    return not bool(np.any(columns.group[start : start + int(own[0])] == call.group))
