"""What a table is sorted by: one column or several, each up or down, the same way on every table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .column_settings import tables

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..widgets.table_layout import Sorts

__all__ = ["SortChoice"]


def _never(_key: str) -> bool:
    return False


class SortChoice:
    """The sorts of one table, the column that counts most first; remembered by the table's name."""

    def __init__(self, table: str, default: Sorts = (), falls: Callable[[str], bool] = _never) -> None:
        """
        Args:
            table: its name; empty: nothing is remembered.
            default: the order that the table comes in, where that is one of its columns.
            falls: whether a column is sorted downwards when it is chosen.
        """
        self._table = table
        self._default = default
        self._falls = falls
        kept = tables().sorts(table)
        self._chosen: Sorts = kept if kept is not None else ()

    @property
    def chosen(self) -> Sorts:
        """What a person sorted by."""
        return self._chosen

    @chosen.setter
    def chosen(self, sorts: Sorts) -> None:
        self._chosen = sorts
        tables().sort(self._table, sorts)

    @property
    def sorts(self) -> Sorts:
        """The same, or the default."""
        return self._chosen or self._default

    def by(self, key: str, *, also: bool = False) -> None:
        """Sort by a column, the same one again the other way round.

        Args:
            also: keep what is sorted by already, and add this one.
        """
        sorts = self.sorts
        here = next((place for place, (known, _) in enumerate(sorts) if known == key), None)
        if here is not None and (also or len(sorts) == 1):
            self.chosen = (*sorts[:here], (key, not sorts[here][1]), *sorts[here + 1 :])
        else:
            self.chosen = (*(sorts if also else ()), (key, self._falls(key)))

    def next(self, keys: Sequence[str]) -> None:
        """The column sorted by, the last when there are several, becomes the next one.

        Args:
            keys: the columns that are shown, in their order.
        """
        self._add(self.sorts[:-1], keys)

    def also(self, keys: Sequence[str]) -> None:
        """Sort by one more column, at first the one after the last."""
        self._add(self.sorts, keys)

    def less(self) -> None:
        """Take the last column to sort by away; without any the rows stand in the table's own order."""
        self.chosen = self._chosen[:-1]

    def turn(self, keys: Sequence[str]) -> None:
        """Turn the order of the last column to sort by round; without any, that of the first column."""
        sorts = self.sorts
        if sorts:
            self.chosen = (*sorts[:-1], (sorts[-1][0], not sorts[-1][1]))
        elif keys:
            self.chosen = ((keys[0], True),)

    def _add(self, kept: Sorts, keys: Sequence[str]) -> None:
        after = self.sorts[-1][0] if self.sorts else None
        at = list(keys).index(after) + 1 if after is not None and after in keys else 0
        used = {key for key, _ in kept}
        found = next((key for key in (*keys[at:], *keys[:at]) if key not in used), None)
        if found is not None:
            self.chosen = (*kept, (found, self._falls(found)))
