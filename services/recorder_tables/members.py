"""How far each member of each group is, in columns, and from that: which members have not come to a call."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ranksets import RankSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..flight_recorder.analysis import Analysis
    from ..flight_recorder.positions import Position

__all__ = ["Members"]

_NOWHERE = -1
"""Index of no group: what is known there of a rank holds wherever it has recorded nothing."""


class Members:
    """One row for each known member of each group: by group, then by rank. Shapes (members,) unless said otherwise."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.groups = analysis.job.groups

    def __len__(self) -> int:
        return int(self.starts[-1])

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The first row of each group, one more at the end: shape (groups + 1,)."""
        return np.append(0, np.cumsum([len(group.ranks) for group in self.groups])).astype(np.int64)

    @cached_property
    def group(self) -> NDArray[np.int32]:
        return np.repeat(np.arange(len(self.groups), dtype=np.int32), np.diff(self.starts))

    @cached_property
    def rank(self) -> NDArray[np.int32]:
        ranks = [np.array(group.ranks, dtype=np.int32) for group in self.groups]
        return np.concatenate(ranks) if ranks else np.empty(0, np.int32)

    def position(self, row: int) -> Position | None:
        """Everything known of one member; None when it has no dump."""
        return self.analysis.positions.at(int(self.rank[row]), int(self.group[row]))

    def row_of(self, group: int, rank: int) -> int | None:
        """The row of a member, None when the rank is none."""
        low, high = int(self.starts[group]), int(self.starts[group + 1])
        row = low + int(np.searchsorted(self.rank[low:high], rank))
        return row if row < high and int(self.rank[row]) == rank else None

    def rows_of(self, group: int) -> NDArray[np.intp]:
        return np.arange(self.starts[group], self.starts[group + 1])

    # positions ------------------------------------------------------------------------------------------------

    @cached_property
    def with_dump(self) -> NDArray[np.bool_]:
        """Whether the rank has a dump."""
        return self._by_rank(set(self.analysis.job.ranks), np.bool_)[self._clipped]

    @cached_property
    def enqueued(self) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
        """The newest collective that it has called, and whether that is known."""
        return self._column("enqueued")

    @cached_property
    def completed(self) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
        return self._column("completed")

    @cached_property
    def p2p_enqueued(self) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
        return self._column("p2p_enqueued")

    @cached_property
    def p2p_completed(self) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
        return self._column("p2p_completed")

    @cached_property
    def lag(self) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
        """Collectives by which it is behind the foremost member of its group, and whether that is known."""
        newest, known = self.enqueued
        lags = np.zeros(len(self), dtype=np.uint64)
        for index in range(len(self.groups)):
            low, high = int(self.starts[index]), int(self.starts[index + 1])
            here = known[low:high]
            if here.any():
                lags[low:high] = np.where(here, newest[low:high][here].max() - newest[low:high], np.uint64(0))
        return lags, known

    @cached_property
    def _clipped(self) -> NDArray[np.int64]:
        """The rank as index into tables by rank of `_by_rank`."""
        return self.rank.astype(np.int64)

    def _by_rank(self, ranks: set[int], kind: Any) -> NDArray[Any]:
        size = max(int(self.rank.max()) + 1 if len(self.rank) else 0, max(ranks, default=-1) + 1)
        table = np.zeros(size, dtype=kind)
        table[list(ranks)] = 1
        return table

    @cached_property
    def _recorded(self) -> tuple[NDArray[np.int64], list[Position]]:
        """Rows of which something is recorded, and what."""
        found = self.analysis.positions.items()
        slots = (int(self.rank.max()) if len(self.rank) else 0) + 1
        mine = self.group.astype(np.int64) * slots + self.rank
        wanted = np.array([group * slots + rank if rank < slots else -1 for (rank, group), _ in found], dtype=np.int64)
        rows = np.searchsorted(mine, wanted)
        fits = np.zeros(len(wanted), dtype=np.bool_)
        inside = rows < len(mine)
        fits[inside] = mine[rows[inside]] == wanted[inside]
        return rows[fits], [at for (_, at), fit in zip(found, fits, strict=True) if fit]

    def _column(self, name: str) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
        values = np.zeros(len(self), dtype=np.uint64)
        known = np.zeros(len(self), dtype=np.bool_)
        silent = set()
        for dump in self.analysis.job.dumps:
            at = self.analysis.positions.at(dump.rank, _NOWHERE)
            if at is not None and getattr(at, name) == 0:
                silent.add(dump.rank)
        known |= self._by_rank(silent, np.bool_)[self._clipped]
        rows, positions = self._recorded
        told = [getattr(at, name) for at in positions]
        known[rows] = [value is not None for value in told]
        values[rows] = np.array([value or 0 for value in told], dtype=np.uint64)
        return values, known

    # calls ----------------------------------------------------------------------------------------------------

    def missing_in(self, group: int, sequence: int, *, p2p: bool) -> RankSet:
        """Members with a dump that have not come to a call; what their ring has lost, they have called.

        Of sends and receives it is told in groups of two, where both ends count alike.
        """
        if p2p and self.groups[group].size > 2:
            return RankSet()
        ranks, newest = self._reached(group, p2p)
        return RankSet(ranks[newest < np.uint64(sequence)].tolist())

    def missing_counts(
        self, groups: NDArray[np.int32], sequences: NDArray[np.uint64], p2p: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        """How many ranks `missing_in` has for each of many calls, shape (calls,)."""
        counts = np.zeros(len(groups), dtype=np.int64)
        lanes = groups.astype(np.int64) * 2 + p2p
        along = np.argsort(lanes, kind="stable")
        starts = np.flatnonzero(np.diff(lanes[along], prepend=-1))
        for calls in np.split(along, starts[1:]) if len(along) else ():
            group, lane = int(groups[calls[0]]), bool(p2p[calls[0]])
            if lane and self.groups[group].size > 2:
                continue
            newest = np.sort(self._reached(group, lane)[1])
            counts[calls] = np.searchsorted(newest, sequences[calls], side="left")
        return counts

    def _reached(self, group: int, p2p: bool) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
        """The members whose position is known and their newest call of a lane; no P2P call recorded counts as none."""
        low, high = int(self.starts[group]), int(self.starts[group + 1])
        values, known = self.p2p_enqueued if p2p else self.enqueued
        here = self.with_dump[low:high] if p2p else known[low:high]
        return self.rank[low:high][here], np.where(known[low:high], values[low:high], np.uint64(0))[here]
