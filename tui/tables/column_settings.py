"""Tables as they are arranged: which columns, in which order, how wide, sorted by what.

What a person arranged counts, else what the settings say, else the table's own. All tables of all screens go by this;
a table is known by its name (`table_names.TABLES`).
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ...services.settings.state import WIDEST, KeptTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...services.settings.shape import Table
    from ...services.settings.state import Remembered
    from ..widgets.table_layout import Cell, Column, Sorts, TableSource

__all__ = ["AsShown", "Placed", "Tables", "placed", "tables", "use_tables"]


class Placed(NamedTuple):
    """A column where it stands."""

    at: int
    """Its place in the source."""
    column: Column


def placed(columns: Sequence[Column], kept: KeptTable, wanted: Table | None = None) -> tuple[Placed, ...]:
    """The columns of a table as they are arranged: a part of them, never none, each once.

    Args:
        kept: what a person arranged; columns that are not there are passed over, new ones come last.
        wanted: what the settings say.
    """
    first = kept.order if kept.order is not None else wanted.shown if wanted is not None else ()
    hidden = kept.hidden if kept.hidden is not None else wanted.hidden if wanted is not None else ()
    most = wanted.widths if wanted is not None else {}
    places = {key: place for place, key in reversed(list(enumerate(first)))}
    in_order = sorted(enumerate(columns), key=lambda one: places.get(one[1].key, len(first)))
    here = [one for one in in_order if one[1].key not in hidden] or in_order[:1]
    return tuple(Placed(at, _resized(column, kept.widths.get(column.key), most.get(column.key))) for at, column in here)


def _resized(column: Column, exact: int | None, most: int | None) -> Column:
    if exact is not None:
        return replace(column, width=min(max(exact, 1), WIDEST))
    return column if most is None else replace(column, max_width=most, min_width=min(column.min_width, most))


class AsShown:
    """A `TableSource` with the columns of another as they are arranged."""

    def __init__(self, source: TableSource, shown: Sequence[Placed]) -> None:
        self._source = source
        self._places = [one.at for one in shown]
        self.columns = tuple(one.column for one in shown)

    def cell(self, row: int, column: int) -> Cell:
        return self._source.cell(row, self._places[column])


class Tables:
    """How each table is arranged, for one application."""

    def __init__(self, wanted: Mapping[str, Table] | None = None, remembered: Remembered | None = None) -> None:
        """
        Args:
            wanted: the settings, by the name of the table.
            remembered: None: nothing is remembered.
        """
        self._wanted = wanted or {}
        self._remembered = remembered
        self._kept: dict[str, KeptTable] = {}
        self._changed: set[str] = set()
        self.revision = 0
        """Another number whenever columns are arranged anew."""

    def kept(self, table: str) -> KeptTable:
        """What a person arranged of a table."""
        found = self._kept.get(table)
        if found is None:
            found = self._remembered.table(table) if self._remembered is not None and table else KeptTable()
            self._kept[table] = found
        return found

    def arrange(self, table: str, kept: KeptTable) -> None:
        """From now on a table is arranged like this; `save` writes it down."""
        before = self.kept(table)
        if not table or kept == before:
            return
        self._kept[table] = kept
        self._changed.add(table)
        if (kept.order, kept.hidden, kept.widths) != (before.order, before.hidden, before.widths):
            self.revision += 1

    def placed(self, table: str, columns: Sequence[Column]) -> tuple[Placed, ...]:
        """The columns of a table as they are arranged now."""
        return placed(columns, self.kept(table), self._wanted.get(table))

    def keys(self, table: str, columns: Sequence[Column]) -> list[str]:
        """The same by their keys."""
        return [one.column.key for one in self.placed(table, columns)]

    def as_shown(self, table: str, source: TableSource) -> AsShown:
        """A source with the columns that are shown."""
        return AsShown(source, self.placed(table, source.columns))

    def sorts(self, table: str) -> Sorts | None:
        """What a person sorted a table by last; None when nobody did."""
        return self.kept(table).sorts

    def sort(self, table: str, sorts: Sorts) -> None:
        self.arrange(table, msgspec.structs.replace(self.kept(table), sorts=sorts))

    def with_width(self, table: str, key: str, width: int) -> None:
        """A column takes so many terminal cells."""
        kept = self.kept(table)
        width = min(max(width, 1), WIDEST)
        self.arrange(table, msgspec.structs.replace(kept, widths={**kept.widths, key: width}))

    @property
    def is_unsaved(self) -> bool:
        """Whether something was arranged since it was saved last."""
        return bool(self._changed) and self._remembered is not None

    def take_unsaved(self) -> dict[str, KeptTable]:
        """What was arranged since this was asked last, for `save`."""
        taken = {name: self._kept[name] for name in self._changed}
        self._changed.clear()
        return taken

    def save(self, taken: Mapping[str, KeptTable]) -> str:
        """Write down what was taken; why it could not be, empty when it was. It may wait for another program, and may
        run in another thread than the rest."""
        if not taken or self._remembered is None:
            return ""
        self._remembered.keep_tables(taken)
        return self._remembered.problem


_CURRENT: ContextVar[Tables | None] = ContextVar("tables", default=None)


def tables() -> Tables:
    """How the tables of this application are arranged; where there is none, as they come and nothing is kept."""
    return _CURRENT.get() or Tables()


def use_tables(made: Tables | None) -> None:
    """The tables go by this from now on, in this context and those that come from it."""
    _CURRENT.set(made)
