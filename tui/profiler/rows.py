"""The profiler's tables as rows: what a cell says, what it sorts by, what a filter finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray

    from ..widgets.table_layout import Cell, Column, Sorts

__all__ = ["Entry", "ProfileRows", "TableShape", "bytes_text", "micro", "share", "signed_micro"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Entry:
    """One cell: what it says, what it sorts by (None sorts last), the component class it is painted with."""

    text: str
    key: Any = None
    component: str = ""


@dataclass(frozen=True, slots=True)
class TableShape(Generic[T]):
    """What a table is made of."""

    columns: tuple[Column, ...]
    entries: Callable[[T], tuple[Entry, ...]]
    """One for each column."""
    empty: str
    """What is said when there is no row."""


class ProfileRows(Generic[T]):
    """A `TableSource` over numbered items."""

    def __init__(self, shape: TableShape[T], items: Mapping[int, T]) -> None:
        """
        Args:
            items: by row number.
        """
        self.shape = shape
        self.items = items
        self.columns = shape.columns
        self._made: dict[int, tuple[Entry, ...]] = {}

    def entries(self, row: int) -> tuple[Entry, ...]:
        made = self._made.get(row)
        if made is None:
            made = self._made[row] = self.shape.entries(self.items[row])
        return made

    def cell(self, row: int, column: int) -> Cell:
        entry = self.entries(row)[column]
        return entry.text, entry.component

    def order(self, fitting: Iterable[int], sorts: Sorts) -> NDArray[np.intp]:
        """The rows that fit the filter, sorted, unknown values last; in the given order where all is equal.

        Args:
            sorts: the column that counts most first; those that are not there are passed over.
        """
        rows = list(fitting)
        places = {column.key: at for at, column in enumerate(self.columns)}
        for key, descending in reversed(sorts):
            if key in places:
                keys = {row: self.entries(row)[places[key]].key for row in rows}
                there = [row for row in rows if keys[row] is not None]
                there.sort(key=keys.__getitem__, reverse=descending)
                rows = there + [row for row in rows if keys[row] is None]
        return np.array(rows, np.intp)

    def row_text(self, row: int) -> str:
        """One row as text, for the clipboard."""
        entries = self.entries(row)
        return "  ".join(
            f"{column.title} {entry.text}" for column, entry in zip(self.columns, entries, strict=True) if entry.text
        )


def micro(microseconds: float) -> str:
    """`12.3 µs`, `4.56 ms`, `1.234 s`."""
    size = abs(microseconds)
    if size < 0.05:
        return "0"
    if size < 999.95:
        return f"{microseconds:.1f} µs"
    if size < 999_950:
        return f"{microseconds / 1e3:.2f} ms"
    return f"{microseconds / 1e6:,.3f} s"


def signed_micro(microseconds: float) -> str:
    """The same with its sign."""
    said = micro(microseconds)
    return said if said == "0" or microseconds < 0 else f"+{said}"


def share(part: float, whole: float) -> str:
    """`12.3 %`, empty when there is no whole."""
    return f"{part / whole:.1%}".replace("%", " %") if whole > 0 else ""


def bytes_text(size: int) -> str:
    """`312 B`, `14.1 MB`; decimal, as disks are sold and filled."""
    if size < 1_000:
        return f"{size} B"
    for unit, factor in (("kB", 1e3), ("MB", 1e6)):
        if size < 999.95 * factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size / 1e9:,.2f} GB"
