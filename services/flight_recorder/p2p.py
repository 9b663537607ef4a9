"""Sends and receives: which rank an open one is for, and whether that rank has posted the other half.

Names give group-local ranks and may lack them. Each rank counts its own P2P calls in a group, so the two halves have
the same p2p_seq_id only where the two have had the same number of such calls: in a group of two, or where many halves
that both rings still have agree. Where both rings go back to the start the halves are counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .operations import Kind
from .positions import Unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .job import Job
    from .match import Matched
    from .positions import Positions

__all__ = ["Exchanges", "Half", "Posted"]

_FEWEST_SHARED = 8
"""Halves with equal numbers at both ends that make it no chance."""


@dataclass(frozen=True, slots=True)
class Half:
    """One send or receive of one rank."""

    rank: int
    peer: int | None
    """Global rank of the other end; None when the name does not say it."""
    sends: bool
    group: int
    seq: int
    """p2p_seq_id."""
    row: int
    """Row of the job's columns."""
    ended: bool
    call: int = -1
    """The matched call that it belongs to."""
    over: int = 0
    """When it, or the batch that it belongs to, was found completed, ns since the epoch; 0 = unknown."""


@dataclass(frozen=True, slots=True)
class Posted:
    """Whether the other half has been called."""

    there: bool
    sure: bool
    """False when it is concluded from what the peer is doing, not from matched counters."""
    half: Half | None = None
    """The other half, when it is in the peer's ring."""
    lost: bool = False
    """The ring of the peer has nothing of these exchanges any more: that it was not called is a guess."""


class Exchanges:
    """The sends and receives of each rank, looked up on demand."""

    def __init__(self, job: Job, matched: Matched, positions: Positions) -> None:
        self._job = job
        self._matched = matched
        self._positions = positions
        self._halves: dict[tuple[int, int], list[Half]] = {}
        self._part_of_row: NDArray[np.int64] | None = None
        self._spans = {dump.rank: index for index, dump in enumerate(job.dumps)}

    def of_part(self, part: int) -> list[Half]:
        """The halves of one part (several in a batch)."""
        rows = {int(row) for row in self._matched.rows_of(part)}
        group = int(self._matched.call_group[self._matched.part_call[part]])
        return [half for half in self.of_rank(int(self._matched.part_rank[part]), group) if half.row in rows]

    def of_rank(self, rank: int, group: int) -> list[Half]:
        """All sends and receives that a rank's ring has in a group, in the order of recording."""
        known = self._halves.get((rank, group))
        if known is None:
            known = self._halves[rank, group] = self._read(rank, group)
        return known

    def _read(self, rank: int, group: int) -> list[Half]:
        columns, matched, job = self._job.columns, self._matched, self._job
        index = self._spans.get(rank)
        if index is None:
            return []
        low, high = np.searchsorted(columns.dump, [index, index + 1])
        rows = np.flatnonzero((columns.group[low:high] == group) & columns.current[low:high]) + low
        if self._part_of_row is None:
            self._part_of_row = np.full(len(columns), -1, dtype=np.int64)
            self._part_of_row[matched.order] = np.repeat(np.arange(len(matched.part_rank)), np.diff(matched.part_start))
        members = job.groups[group]
        found = []
        for row in map(int, rows):
            op = job.operations[columns.operation[row]]
            if op.kind not in (Kind.SEND, Kind.RECV):
                continue
            sends = op.kind is Kind.SEND
            peer = members.global_rank(op.target if sends else op.source)
            if peer is None and op.target is None and len(members.ranks) == members.size == 2 and not members.inferred:
                peer = next((other for other in members.ranks if other != rank), None)
            part = int(self._part_of_row[row])
            ended = part < 0 or bool(matched.ended[part])
            call = int(matched.part_call[part]) if part >= 0 else -1
            over = int(columns.completed[matched.part_row[part]]) if part >= 0 else int(columns.completed[row])
            found.append(Half(rank, peer, sends, group, int(columns.p2p_seq[row]), row, ended, call, over))
        return found

    def posted(self, half: Half) -> Posted | None:
        """Whether the peer has called the other half; None when the peer is not named or has no dump."""
        if half.peer is None or half.peer not in self._spans:
            return None
        mine = [one for one in self.of_rank(half.rank, half.group) if one.peer == half.peer and one.sends == half.sends]
        theirs = [
            one for one in self.of_rank(half.peer, half.group) if one.peer == half.rank and one.sends != half.sends
        ]
        if self._whole(half.rank) and self._whole(half.peer):
            place = next(place for place, one in enumerate(mine) if one.row == half.row)
            return Posted(place < len(theirs), True, theirs[place] if place < len(theirs) else None)
        if self._in_step(half, mine, theirs):
            return self._by_number(half, mine, theirs)
        return self._guess(half, mine, theirs)

    def _by_number(self, half: Half, mine: list[Half], theirs: list[Half]) -> Posted:
        """Both ends count alike: the other half has the same number, and of several in a batch the same place."""
        place = [one.row for one in mine if one.seq == half.seq].index(half.row)
        same = [one for one in theirs if one.seq == half.seq]
        last = self._positions.at(half.peer, half.group) if half.peer is not None else None
        newest = last.p2p_enqueued if last else None
        if same:
            return Posted(True, place < len(same), same[place] if place < len(same) else None)
        if newest is not None and newest < half.seq:
            told = last is not None and (not last.filtered or last.unit is Unit.P2P)
            return Posted(False, told)  # entries that are left out may be newer
        if newest is not None and (last is None or last.filtered or not theirs or theirs[0].seq > half.seq):
            return Posted(True, False)
        return Posted(False, newest is not None, lost=newest is None and not theirs)

    def _guess(self, half: Half, mine: list[Half], theirs: list[Half]) -> Posted:
        """Counters do not tell: the other half is one that is open, one made after our last was over, or one that was
        over only after ours was made."""
        waiting = next((one for one in theirs if not one.ended), None)
        if waiting is not None or not theirs:
            whole = self._whole(half.peer) if half.peer is not None else False
            return Posted(waiting is not None, whole, waiting, lost=waiting is None and not whole)
        newest = theirs[-1]
        before = next((one for one in reversed(mine) if one.row < half.row and one.ended), None)
        if before is None:
            return Posted(True, False, newest)
        created = self._job.columns.created
        there = int(created[newest.row]) > (before.over or int(created[before.row]))
        there |= newest.over > int(created[half.row]) > 0
        return Posted(there, False, newest if there else None)

    def _in_step(self, half: Half, mine: list[Half], theirs: list[Half]) -> bool:
        """Whether the two ends count alike, so that both halves have one sequence number.

        In a larger group a few equal numbers may be chance.
        """
        pair = self._job.groups[half.group].size == 2
        one, other = {half.seq for half in mine}, {half.seq for half in theirs}
        if not one or not other:
            return pair
        low, high = max(min(one), min(other)), min(max(one), max(other))
        shared = {seq for seq in one if low <= seq <= high}
        if shared != {seq for seq in other if low <= seq <= high}:
            return False
        return pair or len(shared) >= _FEWEST_SHARED

    def _whole(self, rank: int) -> bool:
        """Whether a dump has all calls since the rank's first."""
        if rank in self._positions.filtered:
            return False
        entries = self._job.dumps[self._spans[rank]].entries
        return bool(len(entries)) and int(entries.record_id[0]) == 0
