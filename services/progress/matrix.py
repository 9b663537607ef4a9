"""How far each rank is in each process group: the rank x group progress matrix. Pure.

One row a rank, one column for each set of groups that split the ranks among them (`progress_columns`). The numbers
stand flat, one place for each rank and group (a cell); a matrix leads to them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..ranksets import RankSet
from .cells import BIGGEST, PACES, UNKNOWN, RecorderCells
from .columns import GroupColumn, collapse

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from ..flight_recorder.diagnosis import Diagnosis
    from ..flight_recorder.groups import JobGroup
    from ..flight_recorder.motion import Pace
    from ..looks.recorders import SlowIn

__all__ = ["EMPTY", "LAG", "PACES", "RANK", "UNKNOWN", "Progress", "ProgressCell", "progress_of"]

LAG, RANK = -1, -2
"""Sort keys of `Progress.order` beside the numbers of the columns."""


@dataclass(frozen=True, slots=True)
class ProgressCell:
    """One rank in one group; None = not known."""

    rank: int
    source: str
    group: JobGroup
    position: int | None
    """The newest collective called, 0 when there was none; the newest P2P call where `p2p` is set."""
    completed: int | None
    """Calls up to this one are over."""
    lag: int | None
    """Calls behind the newest known position of the group's members."""
    made: int | None
    """Calls made since the look before."""
    pace: Pace | None
    p2p: bool
    inside: bool
    """It is inside a call of this group, or has one queued."""
    silent: bool
    """Its dump has nothing about the group."""


@dataclass(frozen=True, slots=True, eq=False)
class Progress:
    """The matrix. Immutable. R ranks, C columns, N cells; `UNKNOWN` where a number is not known."""

    ranks: NDArray[np.int64]
    """(R,), ascending: every rank that is known to belong to the job."""
    columns: tuple[GroupColumn, ...]
    """Groups that findings name first, then those with the greatest lag that does not pass, then the largest."""
    cells: NDArray[np.int32]
    """(R, C): the cell of each rank in each column."""
    groups: tuple[JobGroup, ...]
    group: NDArray[np.int32]
    """(N,): index into `groups`."""
    position: NDArray[np.int64]
    completed: NDArray[np.int64]
    lag: NDArray[np.int64]
    made: NDArray[np.int64]
    pace: NDArray[np.int8]
    """(N,): codes, see `PACES`."""
    p2p: NDArray[np.bool_]
    inside: NDArray[np.bool_]
    silent: NDArray[np.bool_]
    row_lag: NDArray[np.int64]
    """(R,): the greatest lag of each rank."""
    compared: bool
    """There was a look before, so paces are known."""
    unused: int
    """Groups that no rank has recorded anything about; they have no column."""

    def __bool__(self) -> bool:
        return bool(self.columns)

    def row_of(self, rank: int | None) -> int | None:
        """The row of a rank."""
        if rank is None:
            return None
        row = int(np.searchsorted(self.ranks, rank))
        return row if row < len(self.ranks) and self.ranks[row] == rank else None

    def column_of(self, key: tuple[str, str] | None) -> int | None:
        """The column with this `GroupColumn.key`."""
        return next((number for number, column in enumerate(self.columns) if column.key == key), None)

    def cell(self, row: int, column: int) -> ProgressCell | None:
        """What is known of a rank in the group it has in a column; None when it has none."""
        at = int(self.cells[row, column])
        if at < 0:
            return None

        def known(numbers: NDArray[np.int64]) -> int | None:
            return int(numbers[at]) if numbers[at] >= 0 else None

        return ProgressCell(
            rank=int(self.ranks[row]),
            source=self.columns[column].source,
            group=self.groups[self.group[at]],
            position=known(self.position),
            completed=known(self.completed),
            lag=known(self.lag),
            made=known(self.made),
            pace=PACES[self.pace[at]],
            p2p=bool(self.p2p[at]),
            inside=bool(self.inside[at]),
            silent=bool(self.silent[at]),
        )

    def order(
        self,
        by: int = LAG,
        *,
        descending: bool = False,
        shown: RankSet | None = None,
        first: RankSet | None = None,
    ) -> NDArray[np.intp]:
        """The rows in order.

        Args:
            by: `LAG` (greatest first), `RANK`, or the number of a column: the greatest lag there first, then the
                lowest position; ranks without one come last.
            descending: the other way round.
            shown: the ranks to show, None for all.
            first: ranks that stand before all others when sorted by lag.
        """
        rows = np.arange(len(self.ranks), dtype=np.intp)
        if shown is not None:
            rows = rows[np.isin(self.ranks, list(shown))]
        if by == RANK:
            return rows[::-1] if descending else rows
        if by == LAG:
            lags = self.row_lag[rows]
            lags = np.where(lags < 0, BIGGEST, lags) if descending else -lags
            late = ~np.isin(self.ranks[rows], list(first or ()))
            return rows[np.lexsort((rows, lags, late))]
        at = self.cells[rows, by]
        position, lag = self.position[at], self.lag[at]
        turn = -1 if descending else 1
        unknown = (at < 0) | (position < 0)
        return rows[np.lexsort((rows, turn * position, -turn * lag, unknown))]


def progress_of(diagnoses: Mapping[str, Diagnosis], slow: Iterable[SlowIn] = ()) -> Progress:
    """The progress of a job by what its flight recorders say.

    Args:
        diagnoses: by handler.
        slow: ranks found to be slow; their groups come before those that nothing is said about.
    """
    world = RankSet()
    for one in diagnoses.values():
        world |= one.analysis.job.world
    ranks = np.array(list(world), dtype=np.int64)
    parts = [RecorderCells(source, diagnosis, ranks) for source, diagnosis in diagnoses.items()]
    parts = [part for part in parts if part.groups]
    if not parts:
        return EMPTY
    slow_groups = {id(one.group) for one in slow}
    placed: list[tuple[tuple[int, int, int, int], GroupColumn, NDArray[np.int32]]] = []
    groups: list[JobGroup] = []
    start, unused = 0, 0
    for part in parts:
        order = part.named(slow_groups)
        for column in collapse(part.source, part.used):
            of_it = part.cells_of(column)
            numbers = np.full(len(ranks), UNKNOWN, np.int32)
            numbers[part.row[of_it]] = of_it + start
            named = min(order.get(group.index, BIGGEST) for group in column.groups)
            size = max(group.size for group in column.groups)
            placed.append(((named, -part.standing_lag(of_it), -size, len(placed)), column, numbers))
        unused += len(part.groups) - len(part.used)
        part.group += len(groups)
        groups += part.groups
        start += len(part.row)
    placed.sort(key=lambda one: one[0])
    lag = np.concatenate([part.lag for part in parts])
    row_lag = np.full(len(ranks), UNKNOWN, np.int64)
    np.maximum.at(row_lag, np.concatenate([part.row for part in parts]), lag)
    return Progress(
        ranks=ranks,
        columns=tuple(column for _, column, _ in placed),
        cells=np.stack([numbers for _, _, numbers in placed], axis=1)
        if placed
        else np.empty((len(ranks), 0), np.int32),
        groups=tuple(groups),
        group=np.concatenate([part.group for part in parts]),
        position=np.concatenate([part.position for part in parts]),
        completed=np.concatenate([part.completed for part in parts]),
        lag=lag,
        made=np.concatenate([part.made for part in parts]),
        pace=np.concatenate([part.pace for part in parts]),
        p2p=np.concatenate([part.p2p for part in parts]),
        inside=np.concatenate([part.inside for part in parts]),
        silent=np.concatenate([part.silent for part in parts]),
        row_lag=row_lag,
        compared=any(diagnosis.motion is not None for diagnosis in diagnoses.values()),
        unused=unused,
    )


EMPTY: Progress = Progress(
    ranks=np.empty(0, np.int64),
    columns=(),
    cells=np.empty((0, 0), np.int32),
    groups=(),
    group=np.empty(0, np.int32),
    position=np.empty(0, np.int64),
    completed=np.empty(0, np.int64),
    lag=np.empty(0, np.int64),
    made=np.empty(0, np.int64),
    pace=np.empty(0, np.int8),
    p2p=np.empty(0, np.bool_),
    inside=np.empty(0, np.bool_),
    silent=np.empty(0, np.bool_),
    row_lag=np.empty(0, np.int64),
    compared=False,
    unused=0,
)
"""No flight recorder has anything."""
