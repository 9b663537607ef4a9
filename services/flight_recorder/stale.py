"""Dumps that are not of the same moment as the others, told by what they contradict.

A collective such as all_reduce ends on no rank before every member has called it. A dump that ends before a call which
another rank has completed was therefore taken earlier (an older file left in the folder, an earlier run). What its rank
did since is not known: nothing may be concluded from it.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from .groups import DEFAULT_DESC
from .operations import Rule

if TYPE_CHECKING:
    from .job import Job
    from .match import Matched
    from .positions import Positions

__all__ = ["of_another_time"]

_NEEDS_ALL = frozenset((Rule.SAME, Rule.ALL_GATHER, Rule.REDUCE_SCATTER, Rule.ALL_TO_ALL))


def of_another_time(job: Job, matched: Matched, positions: Positions) -> dict[int, str]:
    """Ranks whose dump contradicts the others, and why, one plain line.

    Of two sides that contradict each other the smaller one is set aside, of equal ones the older.
    """
    older: dict[int, str] = {}
    newer: dict[int, str] = {}
    for group, ended in _ended(job, matched).items():
        at_group = job.groups[group]
        if at_group.inferred and at_group.desc != DEFAULT_DESC:
            continue  # groups of one name may be several; only the one of the whole job is one for certain
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
    return older if len(older) <= len(newer) else newer


def _ended(job: Job, matched: Matched) -> dict[int, dict[int, int]]:
    """By group and rank: the last collective that has ended there and that no rank can end without all others.

    Ranks on which a call of the group ended after its timeout are left out: an abort ends what nobody has joined.
    """
    if not len(matched.ended):
        return {}
    needs_all = np.array(
        [op.base == "barrier" or (op.rule in _NEEDS_ALL and not op.rooted) for op in job.operations], dtype=np.bool_
    )
    collective = ~matched.call_p2p[matched.part_call]
    group = matched.call_group[matched.part_call].astype(np.int64)
    seq = matched.call_seq[matched.part_call]
    slots = int(matched.part_rank.max()) + 1
    pair = group * slots + matched.part_rank
    aborted = np.unique(pair[matched.late])
    sure = collective & matched.ended & ~matched.late & needs_all[job.columns.operation[matched.part_row]]
    sure &= ~np.isin(pair, aborted)
    found: dict[int, dict[int, int]] = defaultdict(dict)
    keys, place = np.unique(pair[sure], return_inverse=True)
    last = np.zeros(len(keys), dtype=np.uint64)
    np.maximum.at(last, place, seq[sure])
    for key, newest in zip(keys, last, strict=True):
        found[int(key) // slots][int(key) % slots] = int(newest)
    return found
