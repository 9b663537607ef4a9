"""The wait counters of all ranks at one look, as columns of numpy."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from .decode import ABSENT, FIELDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from .decode import Counters

__all__ = ["EMPTY_TABLE", "CounterTable", "table_of"]

PREFIX = "pytorch.wait_counter."
"""What torch puts before the names of its own counters; left out where they are shown."""
MOST_CELLS = 4_000_000
"""Cells (ranks x counters) that are kept."""
MOST_COLUMNS = 1_024
LEAST_COLUMNS = 64


@dataclass(frozen=True, slots=True, eq=False)
class CounterTable:
    """A row for each rank that gave counters, a column for each counter. Immutable."""

    ranks: NDArray[np.int64]
    """Ascending."""
    names: tuple[str, ...]
    """As the ranks sent them, ascending."""
    values: NDArray[np.int64]
    """Shape (fields, ranks, counters), in the order of `FIELDS`; microseconds and counts, `ABSENT` where not known."""
    at: NDArray[np.int64]
    """When each rank's answer was complete, ns since the epoch."""
    left_out: int = 0
    """Counters that few ranks have and for which there was no room."""
    _columns: dict[str, int] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self._columns.update({name: number for number, name in enumerate(self.names)})
        for array in (self.ranks, self.values, self.at):
            array.flags.writeable = False

    @property
    def active(self) -> NDArray[np.int64]:
        """How many threads of a rank wait in a counter now, shape (ranks, counters)."""
        active: NDArray[np.int64] = self.values[0]
        return active

    @property
    def nbytes(self) -> int:
        return int(self.values.nbytes + self.ranks.nbytes + self.at.nbytes)

    def row_of(self, rank: int | None) -> int | None:
        """The row of a rank, None when it gave no counters."""
        if rank is None:
            return None
        row = int(np.searchsorted(self.ranks, rank))
        return row if row < len(self.ranks) and self.ranks[row] == rank else None

    def column_of(self, name: str) -> int | None:
        """The column of a counter, None when no rank has it."""
        return self._columns.get(name)

    def title(self, column: int) -> str:
        """A counter's name without what all names of torch begin with. Not made plain."""
        name = self.names[column]
        return name.removeprefix(PREFIX) or name

    def only(self, rank: int, name: str) -> CounterTable:
        """The table of one cell; without a row or a column where this one has none."""
        row, column = self.row_of(rank), self.column_of(name)
        rows, columns = (slice(0, 0) if at is None else slice(at, at + 1) for at in (row, column))
        names = self.names[columns]
        return CounterTable(self.ranks[rows], names, self.values[:, rows, columns], self.at[rows])

    def seen_from(self, other: CounterTable) -> NDArray[np.int64]:
        """The values of `other` in the rows and columns of this table, `ABSENT` where it has none."""
        if other.names == self.names and np.array_equal(other.ranks, self.ranks):
            return other.values
        made = np.full(self.values.shape, ABSENT, np.int64)
        shared = [name for name in self.names if other.column_of(name) is not None]
        _, rows_here, rows_there = np.intersect1d(self.ranks, other.ranks, return_indices=True)
        here = np.array([self._columns[name] for name in shared], np.intp)
        there = np.array([other._columns[name] for name in shared], np.intp)
        for number in range(len(FIELDS)):
            made[number][np.ix_(rows_here, here)] = other.values[number][np.ix_(rows_there, there)]
        return made


def table_of(counters: Mapping[int, Counters], at: Mapping[int, int]) -> CounterTable:
    """The counters of ranks side by side; where there are too many, those that most ranks have are kept.

    Args:
        counters: by rank.
        at: when each rank's answer was complete, ns since the epoch.
    """
    ranks = sorted(counters)
    having: Counter[str] = Counter()
    for one in counters.values():
        having.update(one.keys())
    room = min(max(MOST_CELLS // max(len(ranks), 1), LEAST_COLUMNS), MOST_COLUMNS)
    kept = sorted(having, key=lambda name: (-having[name], name))[:room]
    names = tuple(sorted(kept))
    columns = {name: number for number, name in enumerate(names)}
    values = np.full((len(FIELDS), len(ranks), len(names)), ABSENT, np.int64)
    places: dict[tuple[str, ...], tuple[NDArray[np.intp], NDArray[np.intp]]] = {}
    for row, rank in enumerate(ranks):
        one = counters[rank]
        if not one:
            continue
        key = tuple(one)
        if key not in places:
            taken = [number for number, name in enumerate(key) if name in columns]
            places[key] = np.array(taken, np.intp), np.array([columns[key[number]] for number in taken], np.intp)
        taken_places, at_columns = places[key]
        sent = np.array(list(one.values()), np.int64)
        values[:, row, at_columns] = sent[taken_places].T
    when = np.array([at[rank] for rank in ranks], np.int64)
    return CounterTable(np.array(ranks, np.int64), names, values, when, len(having) - len(names))


EMPTY_TABLE = table_of({}, {})
"""No rank has given counters."""
