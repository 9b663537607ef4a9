"""Where the columns of a matrix stand that scrolls sideways behind what stays at its left. Pure."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["ColumnPlaces"]


class ColumnPlaces:
    """Places of columns, in terminal cells."""

    def __init__(self, widths: Iterable[int], *, gap: int, left: int) -> None:
        """
        Args:
            widths: of the columns, from the left.
            gap: blank cells between two of them.
            left: cells before the first, which never scroll.
        """
        self.left = left
        """Where the columns begin."""
        self._gap = gap
        self._edges = list(accumulate((width + gap for width in widths), initial=0))

    def __len__(self) -> int:
        return len(self._edges) - 1

    @property
    def total(self) -> int:
        """Terminal cells of a whole line."""
        return self.left + max(self._edges[-1] - self._gap, 0)

    def start(self, number: int) -> int:
        """Where a column begins, after `left`."""
        return self._edges[number]

    def column_at(self, x: int) -> int | None:
        """The column at a place after `left`; a gap belongs to the column before it."""
        number = bisect_right(self._edges, x) - 1
        return number if x >= 0 and number < len(self) else None

    def scroll_to_show(self, number: int, width: int, scrolled: int) -> int:
        """Cells to scroll so that a column is in view, as near as can be to what is scrolled now."""
        start, end = self._edges[number], self._edges[number + 1] - self._gap
        room = max(width - self.left, 1)
        return min(max(scrolled, end - room), start)

    def visible(self, width: int, scrolled: int) -> tuple[range, int]:
        """The columns in view, and cells of the first that are scrolled out.

        Args:
            width: cells of the whole line in view.
            scrolled: cells that are scrolled out at the left.
        """
        first = self.column_at(scrolled) or 0
        last = self.column_at(scrolled + max(width - self.left, 1) - 1)
        return range(first, len(self) if last is None else last + 1), scrolled - self.start(first)
