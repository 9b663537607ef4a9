"""The profiler's tables as rows: what a cell says, what it sorts by, what a filter finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from .widgets.table_layout import Cell, Column

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

    def order(self, words: tuple[str, ...], key: str, *, descending: bool) -> NDArray[np.intp]:
        """The rows in which all words occur (`!word`: does not), sorted by a column; the given order without one."""
        rows = [row for row in self.items if self._matches(row, words)]
        place = next((at for at, column in enumerate(self.columns) if column.key == key), None)
        if place is not None:
            there = [row for row in rows if self.entries(row)[place].key is not None]
            rest = [row for row in rows if self.entries(row)[place].key is None]
            there.sort(key=lambda row: self.entries(row)[place].key, reverse=descending)
            rows = there + rest
        elif descending:
            rows.reverse()
        return np.array(rows, np.intp)

    def _matches(self, row: int, words: tuple[str, ...]) -> bool:
        if not words:
            return True
        text = "\n".join(entry.text for entry in self.entries(row)).casefold()
        return all((word[1:] not in text) if word.startswith("!") and len(word) > 1 else word in text for word in words)

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
