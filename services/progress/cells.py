"""The cells of the progress matrix that one flight recorder fills: position, lag and pace of each rank in each group.

The lag of a rank in a group is the newest position known of the members, less its own. A rank whose dump has nothing
about the group lags by the calls that are open and that the others' dumps still have. Where a group has only sends and
receives there is a position and no lag: the ranks of a pipeline make different numbers of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..flight_recorder.motion import Pace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from ..flight_recorder.diagnosis import Diagnosis, FlightFinding
    from ..flight_recorder.groups import JobGroup
    from .columns import GroupColumn

__all__ = ["BIGGEST", "PACES", "UNKNOWN", "RecorderCells"]

UNKNOWN = -1
"""Stands for a number that is not known, and for the cell of a rank that is in no group of a column."""
PACES: tuple[Pace | None, ...] = (None, Pace.IDLE, Pace.FROZEN, Pace.CRAWLING, Pace.MOVING)
"""What the codes of paces mean; 0 for a rank that was not looked at twice."""
BIGGEST = 2**62
"""Sequence numbers beyond it are taken for it."""


class RecorderCells:
    """The cells of one recorder: those of each group together, in ascending order of rank."""

    def __init__(self, source: str, diagnosis: Diagnosis, ranks: NDArray[np.int64]) -> None:
        self.source = source
        self._diagnosis = diagnosis
        self.groups = [group for group in diagnosis.analysis.job.groups if group.ranks]
        sizes = np.array([len(group.ranks) for group in self.groups], dtype=np.int64)
        self._starts = np.cumsum(sizes) - sizes
        self._spans = {
            group.index: (int(start), int(size))
            for group, start, size in zip(self.groups, self._starts, sizes, strict=True)
        }
        members = np.concatenate([np.array(group.ranks, dtype=np.int64) for group in self.groups] or [ranks[:0]])
        self.row = np.searchsorted(ranks, members)
        self.group = np.repeat(np.arange(len(self.groups), dtype=np.int32), sizes)
        self._stride = (int(ranks[-1]) if len(ranks) else 0) + 1
        indices = np.array([group.index for group in self.groups], dtype=np.int64)
        self._keys = np.repeat(indices, sizes) * self._stride + members
        self.position: NDArray[np.int64]
        self.completed: NDArray[np.int64]
        self.lag: NDArray[np.int64]
        self._read_positions(ranks)
        self.pace = np.zeros(len(members), np.int8)
        self.made = np.full(len(members), UNKNOWN, np.int64)
        self.inside = np.zeros(len(members), np.bool_)
        self._read_motion()
        used = np.maximum.reduceat(self.position, self._starts) > 0 if self.groups else sizes > 0
        self.lag = np.where(used[self.group], self.lag, UNKNOWN)
        self.silent &= used[self.group]
        self.used = [group for group, is_used in zip(self.groups, used.tolist(), strict=True) if is_used]

    def _find(self, pairs: Iterable[tuple[int, int]]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """The cells of (rank, group index) pairs, and which of these pairs have one."""
        wanted = np.array([group * self._stride + rank for rank, group in pairs], dtype=np.int64)
        at = np.minimum(np.searchsorted(self._keys, wanted), max(len(self._keys) - 1, 0))
        there = self._keys[at] == wanted if len(self._keys) else np.zeros(len(wanted), np.bool_)
        return at[there], there

    def _read_positions(self, ranks: NDArray[np.int64]) -> None:
        positions = self._diagnosis.analysis.positions
        # What holds for a rank in a group that it has recorded nothing about is the same for all groups.
        blank = [positions.at(rank, -1) for rank in ranks.tolist()]
        start = np.array([UNKNOWN if at is None else _number(at.enqueued) for at in blank], dtype=np.int64)
        has_dump = np.array([at is not None for at in blank], dtype=np.bool_)
        known = positions.items()
        at, there = self._find(pair for pair, _ in known)
        told = [one for (_, one), is_there in zip(known, there.tolist(), strict=True) if is_there]
        self.position = start[self.row]
        self.completed = np.full(len(self.row), UNKNOWN, np.int64)
        self.silent = has_dump[self.row]
        self.p2p = np.zeros(len(self.row), np.bool_)
        if not len(self.row):
            self.lag = self.completed.copy()
            return
        self.position[at] = [_number(one.enqueued) for one in told]
        self.completed[at] = [_number(one.completed) for one in told]
        self.silent[at] = [one.silent and one.p2p_enqueued is None for one in told]
        sent = np.full(len(self.row), UNKNOWN, np.int64)
        sent[at] = [_number(one.p2p_enqueued) for one in told]
        over = np.full(len(self.row), UNKNOWN, np.int64)
        over[at] = [_number(one.p2p_completed) for one in told]
        begun = np.full(len(self.row), BIGGEST, np.int64)
        begun[at] = [_number(one.first) if one.first else BIGGEST for one in told]
        newest = np.maximum.reduceat(self.position, self._starts)
        only_p2p = (newest <= 0) & (np.maximum.reduceat(sent, self._starts) > 0)
        self.p2p = only_p2p[self.group]
        nothing = np.where(self.position == 0, 0, UNKNOWN)
        self.position = np.where(self.p2p, np.where(sent < 0, nothing, sent), self.position)
        self.completed = np.where(self.p2p, over, self.completed)
        # Of a rank with nothing about the group: it has missed no call from before the oldest one that the others still
        # have, nor one that has ended anywhere.
        oldest = np.minimum.reduceat(begun, self._starts)
        missed_none = np.where(oldest == BIGGEST, 0, oldest - 1)
        missed_none = np.maximum(missed_none, np.maximum.reduceat(self.completed, self._starts))
        own = np.where(self.silent, np.minimum(missed_none, newest)[self.group], self.position)
        lag = np.where(self.position < 0, UNKNOWN, newest[self.group] - own)
        self.lag = np.where(self.p2p, UNKNOWN, lag)

    def _read_motion(self) -> None:
        waits, motion = self._diagnosis.analysis.waits, self._diagnosis.motion
        inside = [(rank, waits.calls[call].group) for rank, call in waits.current.items()]
        inside += [(rank, queued.group) for queued in waits.queued for rank in queued.ranks]
        self.inside[self._find(inside)[0]] = True
        if motion is None:
            return
        at, there = self._find(motion.by_group)
        self.pace[at] = np.array([PACES.index(pace) for pace in motion.by_group.values()], np.int8)[there]
        at, there = self._find(motion.made)
        self.made[at] = np.array([_number(made) for made in motion.made.values()], np.int64)[there]

    def cells_of(self, column: GroupColumn) -> NDArray[np.int32]:
        """The cells of a column, the number of each."""
        spans = [self._spans[group.index] for group in column.groups]
        return np.concatenate([np.arange(start, start + size, dtype=np.int32) for start, size in spans])

    def standing_lag(self, cells: NDArray[np.int32]) -> int:
        """The greatest lag among ranks that don't get on: in a job that moves someone is always a call behind."""
        gets_on = np.isin(self.pace[cells], (PACES.index(Pace.MOVING), PACES.index(Pace.CRAWLING)))
        return int(np.max(self.lag[cells][~gets_on], initial=0))

    def named(self, slow: set[int]) -> dict[int, int]:
        """By group index: the place of the first finding that names the group."""
        found: dict[int, int] = {}
        for place, finding in enumerate(self._diagnosis.findings):
            for group in _groups_in(finding):
                found.setdefault(group.index, place)
        for group in self.groups:
            if id(group) in slow:
                found.setdefault(group.index, len(self._diagnosis.findings))
        return found


def _groups_in(finding: FlightFinding) -> Iterator[JobGroup]:
    if finding.group is not None:
        yield finding.group
    yield from (step.group for step in finding.cycle)


def _number(known: int | None) -> int:
    return UNKNOWN if known is None else min(known, BIGGEST)
