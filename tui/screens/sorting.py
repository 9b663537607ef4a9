"""Sorting by keys and by titles of columns, the same on every screen with a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..tables.sort_choice import SortChoice
    from ..widgets.grid_table import GridTable

__all__ = ["SortsTables"]


class SortsTables:
    """The part of a screen that sorts its tables. What a screen calls its actions, they come to the same."""

    def sorted_by(self) -> tuple[SortChoice, Sequence[str]] | None:
        """The choice of the table that has the keys, and the columns shown, in their order; None when there is none,
        which has been said."""
        raise NotImplementedError

    if TYPE_CHECKING:

        def show_all(self) -> None:
            """What every screen has."""

    def sort_clicked(self, message: GridTable.HeaderClicked) -> None:
        """Sort by the title that was clicked."""
        found = self.sorted_by()
        if found is not None:
            found[0].by(message.key, also=message.also)
            self.show_all()

    def do_sort(self) -> None:
        found = self.sorted_by()
        if found is not None:
            found[0].next(found[1])
            self.show_all()

    def do_reverse(self) -> None:
        found = self.sorted_by()
        if found is not None:
            found[0].turn(found[1])
            self.show_all()

    def do_also_sort(self) -> None:
        found = self.sorted_by()
        if found is not None:
            found[0].also(found[1])
            self.show_all()

    def do_sort_less(self) -> None:
        found = self.sorted_by()
        if found is not None:
            found[0].less()
            self.show_all()

    do_sort_profile = do_sort_rows = do_sort
    do_reverse_profile = do_reverse_rows = do_reverse
    do_also_sort_rows = do_also_sort
    do_sort_rows_less = do_sort_less
