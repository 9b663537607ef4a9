"""Entries of all ranks matched by (group, sequence number), in columns; never by record_id.

The two counters of a group are two lanes. Several entries of one rank with one sequence number are a coalesced call:
one part, whose state is that of the entry that closes it. One sort over all entries, everything else runs along it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .columns import State
from .job import of_kind
from .operations import Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .job import Job

__all__ = ["Matched", "match"]


@dataclass(frozen=True, slots=True, eq=False)
class Matched:
    """Calls (one row for each group, lane and sequence number) made of parts (one row for each rank in a call).

    Parts of a call stand together, by rank; entries of a part too, in the order of recording.
    """

    order: NDArray[np.int64]
    """Rows of the job's columns in the order of the parts."""
    part_start: NDArray[np.int64]
    """Where each part begins in `order`; one more at the end."""
    part_call: NDArray[np.int64]
    """The call of each part."""
    part_rank: NDArray[np.int32]
    part_row: NDArray[np.int64]
    """The entry that speaks for the part: the one that closes the batch, or the first."""
    part_first: NDArray[np.int64]
    """The first entry of the part."""
    ended: NDArray[np.bool_]
    """The part is over, whatever its state says (retired; closed by its batch; overtaken in its stream)."""
    late: NDArray[np.bool_]
    """It ended after its timeout: an abort lets stuck calls end as "completed"."""
    call_start: NDArray[np.int64]
    """Where each call begins among the parts; one more at the end."""
    call_group: NDArray[np.int32]
    call_p2p: NDArray[np.bool_]
    call_seq: NDArray[np.uint64]

    def parts_of(self, call: int) -> range:
        return range(int(self.call_start[call]), int(self.call_start[call + 1]))

    def rows_of(self, part: int) -> NDArray[np.int64]:
        """The entries of a part, as rows of the job's columns."""
        return self.order[self.part_start[part] : self.part_start[part + 1]]


def match(job: Job) -> Matched:
    """Bring the entries of a job together."""
    columns = job.columns
    rows = np.flatnonzero(columns.current)
    closes = of_kind(job.operations, Kind.BATCH_END)[columns.operation] if len(columns) else np.empty(0, np.bool_)
    p2p = _p2p_lane(job, closes)[rows]
    seq = np.where(p2p, columns.p2p_seq[rows], columns.collective_seq[rows])
    lane = columns.group[rows].astype(np.int64) * 2 + p2p
    key = _packed(lane, seq)
    along = np.argsort(key, kind="stable")
    rows, key, seq, lane = rows[along], key[along], seq[along], lane[along]
    rank = columns.rank[rows]
    new_call = _changes(key)
    new_part = new_call | _changes(rank)
    part_start = np.flatnonzero(new_part)
    call_first = np.flatnonzero(new_call)
    part_call = (np.cumsum(new_call) - 1)[part_start]
    ended_row = (columns.state == State.COMPLETED) | columns.retired | (columns.completed > 0)
    late_row = (
        (columns.timeout_ms > 0)
        & (columns.completed > 0)
        & ((columns.completed - columns.created) / 1e6 > columns.timeout_ms)
    )
    closing = closes[rows]
    size = len(rows)
    # The last closing entry of a part speaks for it; where there is none, the first entry does.
    spot = _reduce(np.maximum, np.where(closing, np.arange(size), -1), part_start)
    closed = spot >= 0
    spot = np.where(closed, spot, part_start)
    part_row = rows[spot]
    ended = np.where(closed, ended_row[part_row], _reduce(np.maximum, ended_row[rows], part_start))
    late = np.where(closed, late_row[part_row], _reduce(np.maximum, late_row[rows], part_start))
    made = Matched(
        order=rows,
        part_start=np.append(part_start, size),
        part_call=part_call,
        part_rank=rank[part_start],
        part_row=part_row,
        part_first=rows[part_start],
        ended=ended.astype(np.bool_),
        late=late.astype(np.bool_),
        call_start=np.append(np.searchsorted(part_start, call_first), len(part_start)),
        call_group=(lane[call_first] >> 1).astype(np.int32),
        call_p2p=(lane[call_first] & 1).astype(np.bool_),
        call_seq=seq[call_first],
    )
    _end_overtaken(job, made)
    return made


def _p2p_lane(job: Job, closes: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether an entry counts by p2p_seq_id. The end of a batch of sends may say that it is none of them."""
    columns = job.columns
    if not len(columns):
        return np.empty(0, np.bool_)
    p2p = columns.is_p2p | of_kind(job.operations, Kind.SEND, Kind.RECV)[columns.operation]
    unsure = closes & ~p2p & (columns.p2p_seq > 0)
    if not unsure.any():
        return p2p
    pair = columns.rank.astype(np.int64) * (len(job.groups) + 1) + columns.group
    order = np.argsort(pair, kind="stable")
    before = np.full(len(columns), -1, dtype=np.int64)
    follows = ~_changes(pair[order])
    before[order[follows]] = order[np.flatnonzero(follows) - 1]
    doubtful = np.flatnonzero(unsure & (before >= 0))
    previous = before[doubtful]
    belongs = p2p[previous] & (columns.p2p_seq[previous] == columns.p2p_seq[doubtful])
    p2p[doubtful[belongs]] = True
    return p2p


def _end_overtaken(job: Job, matched: Matched) -> None:
    """Collectives of a group end in the order of their calls on a rank; not on Gloo, which has several threads."""
    if not len(matched.ended):
        return
    columns = job.columns
    gloo = np.array([op.backend == "gloo" for op in job.operations], dtype=np.bool_)
    ordered = ~matched.call_p2p[matched.part_call] & ~gloo[columns.operation[matched.part_row]]
    slots = int(matched.part_rank.max()) + 1
    pair = matched.call_group[matched.part_call].astype(np.int64) * slots + matched.part_rank
    if len(job.groups) * slots > 2 * len(pair) + 1_000_000:
        pair = np.unique(pair, return_inverse=True)[1]
    seq = matched.call_seq[matched.part_call]
    done = np.zeros(int(pair.max()) + 1, dtype=np.uint64)
    sure = ordered & matched.ended
    np.maximum.at(done, pair[sure], seq[sure])
    matched.ended[ordered & (seq < done[pair])] = True


def _packed(lane: NDArray[np.int64], seq: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Lane and sequence number as one sortable number."""
    if not len(seq):
        return np.empty(0, np.int64)
    low = seq.min()
    width = int(seq.max() - low).bit_length()
    if width + int(lane.max()).bit_length() > 62:
        numbers: NDArray[np.int64] = np.unique(seq, return_inverse=True)[1].astype(np.int64)
        return lane * (int(numbers.max()) + 1) + numbers
    return np.asarray((lane << width) | (seq - low).astype(np.int64), dtype=np.int64)


def _changes(column: NDArray[np.int64] | NDArray[np.int32]) -> NDArray[np.bool_]:
    """True where a value differs from the one before; the first always."""
    changed = np.ones(len(column), dtype=np.bool_)
    changed[1:] = column[1:] != column[:-1]
    return changed


def _reduce(
    with_: np.ufunc, values: NDArray[np.int64] | NDArray[np.bool_], starts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The values from each start to the next brought together."""
    if not len(values):
        return np.empty(0, np.int64)
    reduced: NDArray[np.int64] = with_.reduceat(values.astype(np.int64), starts)
    return reduced
