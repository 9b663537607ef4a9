"""A table to browse made of columns: cells are written when they are read, keys are made once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .table import Sign

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ..ranksets import RankSet
    from .row_filter import Flag, RowFilter
    from .table import CellValue, Detail, Field
    from .texts import Texts

__all__ = ["Column", "ColumnTable", "rank_flags"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    field: Field
    cell: Callable[[int], CellValue]
    """The cell of a row."""
    keys: Callable[[], NDArray[np.generic]] | None = None
    """Sort keys of all rows; None takes those of the texts."""
    texts: Callable[[], Texts] | None = None
    """What a filter finds in it."""
    filtered: str = ""
    """The filter field that looks into its texts alone, `op` for example."""


class ColumnTable:
    """What the tables have in common. See `BrowseTable`."""

    name: str
    lacking_sign: Sign = Sign.MISSING

    def __init__(self, name: str, columns: Sequence[Column], size: int) -> None:
        self.name = name
        self._columns = tuple(columns)
        self._size = size
        self._fields = tuple(column.field for column in columns)
        self._places = {field.key: place for place, field in enumerate(self._fields)}
        self._keys: dict[int, NDArray[np.generic]] = {}
        self._texts: dict[int, Texts] = {}

    @property
    def fields(self) -> tuple[Field, ...]:
        return self._fields

    def __len__(self) -> int:
        return self._size

    def place(self, key: str) -> int:
        """The index of a field.

        Raises:
            KeyError: there is none of this key.
        """
        return self._places[key]

    def cell(self, row: int, field: int) -> CellValue:
        self._check(row)
        return self._columns[field].cell(row)

    def keys(self, field: int) -> NDArray[np.generic]:
        if field not in self._keys:
            column = self._columns[field]
            self._keys[field] = column.keys() if column.keys is not None else self._texts_at(field).keys
        return self._keys[field]

    def mask(self, chosen: RowFilter) -> NDArray[np.bool_]:
        return chosen.mask(self)

    def ranks(self, row: int) -> RankSet:
        raise NotImplementedError

    def details(self, row: int) -> Sequence[Detail]:
        raise NotImplementedError

    def texts(self, field: str | None) -> Sequence[Texts]:
        return [
            self._texts_at(place)
            for place, column in enumerate(self._columns)
            if column.texts is not None and (field is None or column.filtered == field)
        ]

    def of_ranks(self, ranks: RankSet) -> NDArray[np.bool_]:
        raise NotImplementedError

    def of_sequence(self, first: int, last: int) -> NDArray[np.bool_]:
        del first, last
        return np.zeros(self._size, dtype=np.bool_)

    def flagged(self, flag: Flag) -> NDArray[np.bool_]:
        del flag
        return np.zeros(self._size, dtype=np.bool_)

    def _texts_at(self, place: int) -> Texts:
        if place not in self._texts:
            make = self._columns[place].texts
            assert make is not None
            self._texts[place] = make()
        return self._texts[place]

    def _check(self, row: int) -> None:
        if not 0 <= row < self._size:
            raise IndexError(f"row {row} of {self._size:,} in {self.name}")


def rank_flags(ranks: RankSet) -> NDArray[np.bool_]:
    """One flag for each rank up to the highest of the set and one more, so that a higher rank may be clipped to it."""
    flags = np.zeros((ranks.last if ranks.last is not None else -1) + 2, dtype=np.bool_)
    flags[list(ranks)] = True
    return flags
