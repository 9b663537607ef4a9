"""Dumps that are not of the same moment as the others, told by what they contradict.

A collective such as all_reduce ends on no rank before every member has called it. A dump that ends before a call which
another rank has completed was therefore taken earlier (an older file left in the folder, an earlier run). What its rank
did since is not known: nothing may be concluded from it.

The same holds of times: what has ended on one rank before another called it was not one call, though both count it
under one number. That tells files of an earlier run of the same program.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from .groups import DEFAULT_DESC
from .operations import Rule

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .job import Job
    from .match import Matched
    from .positions import Positions

__all__ = ["last_ends", "of_another_time"]

_NEEDS_ALL = frozenset((Rule.SAME, Rule.ALL_GATHER, Rule.REDUCE_SCATTER, Rule.ALL_TO_ALL))
_MINUTE_NS = 60 * 10**9
_CLOCKS_APART_NS = 10 * _MINUTE_NS
"""What clocks of two hosts may differ by. It is torch's timeout: a run that hung before another is older than that."""
_EPOCH_NS = (10**18, 4 * 10**18)
"""Instants outside (2001 to 2096) are of a clock that each host counts from its own start, or of none."""
_LONGEST_TIMEOUT_MS = 10**11


def of_another_time(job: Job, matched: Matched, positions: Positions) -> dict[int, str]:
    """Ranks whose dump contradicts the others, and why, one plain line.

    Of two sides that contradict each other the smaller one is set aside, of equal ones the older.
    """
    needing = _needing_all(job, matched)
    if by_time := _smaller(*_called_after_the_end(job, matched, _needing_all(job, matched, numbered=True))):
        return by_time
    older: dict[int, str] = {}
    newer: dict[int, str] = {}
    for group, ended in _ended(matched, needing & matched.ended).items():
        at_group = job.groups[group]
        last = max(ended.values())
        ahead = next(rank for rank, seq in ended.items() if seq == last)
        behind = []
        for rank in at_group.ranks:
            at = positions.at(rank, group)
            if at is None or at.enqueued is None or at.silent or at.borrowed or at.enqueued >= last:
                continue
            behind.append(at.enqueued)
            older.setdefault(
                rank,
                f"its dump is older than the others: it ends at #{at.enqueued} of {at_group.label}, and rank {ahead} "
                f"has completed #{last}, in which it took part",
            )
        for rank, seq in ended.items():
            if behind and seq > min(behind):
                newer.setdefault(
                    rank,
                    f"its dump is newer than the others: it has completed #{seq} of {at_group.label}, which other "
                    "dumps end before",
                )
    return _smaller(older, newer)


def last_ends(job: Job, matched: Matched) -> dict[int, dict[int, int]]:
    """By group index and rank: the last collective that is over there and that no rank ends without all others."""
    return _ended(matched, _needing_all(job, matched) & matched.ended)


def _smaller(older: dict[int, str], newer: dict[int, str]) -> dict[int, str]:
    return older if len(older) <= len(newer) else newer


def _needing_all(job: Job, matched: Matched, *, numbered: bool = False) -> NDArray[np.bool_]:
    """By part: a collective that no rank can end without all others.

    Ranks on which a call of the group ended after its timeout are left out: an abort ends what nobody has joined.
    Groups of one name may be several where members are concluded; only the one of the whole job is one for certain.
    Those that are named by a number are several only when the dumps are of several runs: all ranks of a job count
    them alike. They are taken with `numbered`.
    """
    if not len(matched.ended):
        return np.zeros(0, dtype=np.bool_)
    needs_all = np.array(
        [op.base == "barrier" or (op.rule in _NEEDS_ALL and not op.rooted) for op in job.operations], dtype=np.bool_
    )
    one_group = np.array(
        [
            not group.inferred or group.desc == DEFAULT_DESC or (numbered and group.name.isdecimal())
            for group in job.groups
        ],
        dtype=np.bool_,
    )
    group = matched.call_group[matched.part_call]
    slots = int(matched.part_rank.max()) + 1
    pair = group.astype(np.int64) * slots + matched.part_rank
    found = ~matched.call_p2p[matched.part_call] & one_group[group] & ~np.isin(pair, np.unique(pair[matched.late]))
    return np.asarray(found & needs_all[job.columns.operation[matched.part_row]])


def _ended(matched: Matched, sure: NDArray[np.bool_]) -> dict[int, dict[int, int]]:
    """By group and rank: the last of the calls that are sure."""
    if not sure.any():
        return {}
    found: dict[int, dict[int, int]] = defaultdict(dict)
    slots = int(matched.part_rank.max()) + 1
    pair = matched.call_group[matched.part_call].astype(np.int64) * slots + matched.part_rank
    keys, place = np.unique(pair[sure], return_inverse=True)
    last = np.zeros(len(keys), dtype=np.uint64)
    np.maximum.at(last, place, matched.call_seq[matched.part_call][sure])
    for key, newest in zip(keys, last, strict=True):
        found[int(key) // slots][int(key) % slots] = int(newest)
    return found


def _called_after_the_end(
    job: Job, matched: Matched, needing: NDArray[np.bool_]
) -> tuple[dict[int, str], dict[int, str]]:
    """Ranks on which a call had ended long before others called it, and ranks that called it long after that.

    Where no end is recorded (Gloo, a call that hangs), it is taken to have come at the timeout of the call.
    """
    columns, row, call, rank = job.columns, matched.part_row, matched.part_call, matched.part_rank
    called, completed = columns.created[matched.part_first], columns.completed[row]
    collective = ~matched.call_p2p[call] & (called > _EPOCH_NS[0]) & (called < _EPOCH_NS[1])
    limit = np.clip(columns.timeout_ms[row], 0, _LONGEST_TIMEOUT_MS) * 1_000_000
    end = np.where(completed > 0, completed, called + limit)
    ended = needing & collective & ((completed >= called) | ((completed <= 0) & (limit > 0)))
    if not ended.any():
        return {}, {}
    begin = matched.call_start[:-1]
    first_end = np.minimum.reduceat(np.where(ended, end, _EPOCH_NS[1]), begin)
    last_called = np.maximum.reduceat(np.where(collective, called, 0), begin)
    # A rank calls the collectives of a group in their order: what is over, all before it are over too.
    for lane in np.split(np.arange(len(begin)), np.flatnonzero(np.diff(matched.call_group)) + 1):
        first_end[lane] = np.minimum.accumulate(first_end[lane][::-1])[::-1]
        last_called[lane] = np.maximum.accumulate(last_called[lane])
    first_end, last_called = first_end[call], last_called[call]
    before = np.flatnonzero(ended & (last_called - _CLOCKS_APART_NS > end))
    after = np.flatnonzero(collective & (called - _CLOCKS_APART_NS > first_end))

    def named(part: np.int64) -> str:
        return f"#{matched.call_seq[call[part]]} of {job.groups[int(matched.call_group[call[part]])].label}"

    return (
        {
            int(one): f"its dump is older than the others: {named(part)} was over there "
            f"{(last_called[part] - end[part]) // _MINUTE_NS:,} minutes before another rank had called it"
            for one, part in zip(rank[before], before, strict=True)
        },
        {
            int(one): f"its dump is newer than the others: it called {named(part)} "
            f"{(called[part] - first_end[part]) // _MINUTE_NS:,} minutes after that was over on another rank"
            for one, part in zip(rank[after], after, strict=True)
        },
    )
