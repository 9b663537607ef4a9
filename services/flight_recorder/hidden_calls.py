"""Ranks that are inside a call which their entries do not show: the ring has lost it, its counters know of it.

A ring of a rank that has called far ahead begins after the oldest open call, and the ring of a damaged or foreign
recorder may be empty. By its entries such a rank is outside all calls, and looks free.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection

    from .job import Job
    from .match import Matched
    from .positions import Positions

__all__ = ["counted_inside", "hidden_calls"]


def hidden_calls(matched: Matched, positions: Positions, inside: Collection[int]) -> dict[int, tuple[int, int]]:
    """By rank: group index and sequence number of the collective that it is inside by its counters.

    Args:
        matched: the calls of the look.
        positions: how far each rank is.
        inside: ranks whose entries show the call they are inside.
    """
    counted: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for (rank, group), at in positions.items():
        if rank not in inside and at.ends_counted and (at.enqueued or 0) > (at.completed or 0):
            counted[rank].append((group, (at.completed or 0) + 1))
    if not counted:
        return {}
    wanted = {place for places in counted.values() for place in places}
    calls = np.flatnonzero(np.isin(matched.call_group, [group for group, _ in wanted]) & ~matched.call_p2p)
    shown = {
        (int(matched.part_rank[part]), *place)
        for call in map(int, calls)
        if (place := (int(matched.call_group[call]), int(matched.call_seq[call]))) in wanted
        for part in matched.parts_of(call)
    }
    left = {rank: [place for place in places if (rank, *place) not in shown] for rank, places in counted.items()}
    return {rank: places[0] for rank, places in left.items() if places}


def counted_inside(job: Job, rank: int) -> bool:
    """Whether a ring that has lost entries may have lost an open call: counters know of one that is not over."""
    dump = job.dump_of(rank)
    if dump is None or (len(dump.entries) and int(dump.entries.record_id[0]) == 0):
        return False
    return any(status.enqueued is not None and status.enqueued != status.completed for status in dump.statuses.values())
