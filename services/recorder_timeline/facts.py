"""What is known of one call, and of one rank in it, which may not have come to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..ranksets import RankSet
from .segments import CallState

if TYPE_CHECKING:
    from .timelines import Timelines

__all__ = ["CallFacts", "facts_of"]


@dataclass(frozen=True, slots=True)
class CallFacts:
    """One call as one rank knows it, and how the ranks of its group came to it."""

    rank: int
    group: int
    """Index into the groups of the job."""
    seq: int
    p2p: bool
    op: str
    """As this rank recorded it; one that has not come to it: as the first that has."""
    inner: int
    """Entries under the sequence number, more than one for a coalesced call."""
    state: CallState | None
    """None = the rank has not made the call."""
    open: bool
    created: int
    """When this rank made it, ns by its own clock; 0 = unknown."""
    took_s: float | None
    """From then to its end, None while it is open or where no end was recorded."""
    waited_s: float | None
    """While it is open: from then until the dump was taken, None = not known."""
    came: RankSet
    """Ranks that made the call."""
    size: int
    """Members of the group."""
    missing: RankSet
    """Members that have not come, by their own records. Empty for P2P calls."""
    unknown: RankSet
    """Members that have not recorded it, and of which it is not known whether they came."""
    spread_s: float | None
    """From the first arrival to the last one; None = not known, and for P2P calls."""
    first: int | None
    last: int | None
    """Rank that came first, last; None where two did, or it is not known."""
    late_s: float | None
    """How far this rank is behind the median."""


def facts_of(timelines: Timelines, rank: int, call: int) -> CallFacts | None:
    """A rank in a call of `Matched`; None when the rank has no lane in its group."""
    analysis = timelines.diagnosis.analysis
    job, matched = analysis.job, analysis.matched
    index = int(matched.call_group[call])
    made = timelines.of_group(index)
    lane = made.lane_of(rank)
    if lane is None:
        return None
    own = made.timeline.segments(lane)
    at = np.flatnonzero(own.call == call)
    here = int(at[0]) if len(at) else None
    part = int(matched.call_start[call]) if here is None else int(own.part[here])
    seq, p2p = int(matched.call_seq[call]), bool(matched.call_p2p[call])
    came = RankSet(matched.part_rank[matched.call_start[call] : matched.call_start[call + 1]].tolist())
    row = call - made.first_call
    missing: list[int] = []
    unknown: list[int] = []
    for member in RankSet() if p2p else job.groups[index].members - came:
        place = made.lane_of(member)
        missing_from = None if place is None else made.timeline.lanes[place].missing_from
        (unknown if missing_from is None or row < missing_from else missing).append(member)
    found = made.arrivals
    told = not p2p and found.timed[row] > 1
    first, last = int(found.first_lane[row]), int(found.last_lane[row])
    late, took, waited, created = float("nan"), None, None, 0
    if here is not None:
        late, created = float(own.late_s[here]), int(job.columns.created[matched.part_first[part]])
        if own.completed[here] and own.created[here]:
            took = float(own.completed[here] - own.created[here]) / 1e9
        dump = job.dump_of(rank)
        if own.open[here] and created and dump is not None and dump.taken_at is not None:
            waited = max(dump.taken_at - created, 0) / 1e9
    entry = int(matched.part_row[part])
    return CallFacts(
        rank=rank,
        group=index,
        seq=seq,
        p2p=p2p,
        op=job.operations[job.columns.operation[entry]].recorded,
        inner=len(matched.rows_of(part)),
        state=None if here is None else CallState(int(own.state[here])),
        open=here is not None and bool(own.open[here]),
        created=created,
        took_s=took,
        waited_s=waited,
        came=came,
        size=job.groups[index].size,
        missing=RankSet(missing),
        unknown=RankSet(unknown),
        spread_s=float(found.last[row] - found.first[row]) / 1e9 if told else None,
        first=made.ranks[first] if told and first >= 0 else None,
        last=made.ranks[last] if told and last >= 0 else None,
        late_s=None if late != late else late,
    )
