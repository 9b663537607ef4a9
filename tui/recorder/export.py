"""Tables of the screens as what is written to a file, and what that file is called."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...services.instants import stamp_text
from ...services.table_export import ExportTable
from ..tables.column_settings import tables

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ...services.recorder_tables.table import BrowseTable
    from ..widgets.table_layout import TableSource
    from .order import Shown

__all__ = ["export_name", "grid_table", "shown_table", "whole_table"]

_DIGITS = 19
"""Digits of a whole number that is written as one."""


def export_name(target: str, source: str, table: str, at: int, ending: str = ".csv") -> str:
    """`xpudbg-head-0-29500-NCCL-calls-20251009T085320Z.csv`.

    Args:
        target: as it is shown.
        source: name of the recorder, or what the table is one of.
        table: name of the tab.
        at: when it was taken, ns since the epoch.
    """
    what = re.sub(r"[^A-Za-z0-9]+", "-", f"{target[:60]} {source} {table}").strip("-")
    when = stamp_text(at)
    return f"xpudbg-{what}-{when}{ending}"


def shown_table(shown: Shown) -> ExportTable:
    """The rows of the flight recorder that are shown, in their order; the columns that are shown, by torch's names."""
    rows = shown.rows
    places = [rows.places[one.at] for one in tables().placed(shown.made_by.tab.value, rows.columns)]
    return _recorder_table(rows.table, shown.order, places)


def whole_table(shown: Shown) -> ExportTable:
    """All rows and columns of the table that is shown a part of."""
    table = shown.rows.table
    return _recorder_table(table, range(len(table)), range(len(table.fields)))


def _recorder_table(table: BrowseTable, order: Sequence[int] | NDArray[np.intp], places: Sequence[int]) -> ExportTable:
    fields = [table.fields[place] for place in places]
    numeric = tuple(at for at, field in enumerate(fields) if field.numeric)

    def rows() -> Iterator[list[str | int]]:
        for row in order:
            texts = [table.cell(int(row), place).text for place in places]
            yield [_value(text, at in numeric) for at, text in enumerate(texts)]

    return ExportTable(tuple(field.title for field in fields), len(order), rows, numeric)


def grid_table(source: TableSource, order: Sequence[int] | NDArray[np.intp]) -> ExportTable:
    """Rows of a table widget, in the order given, with its columns."""
    columns = range(len(source.columns))
    numeric = tuple(at for at in columns if source.columns[at].align == "right")

    def rows() -> Iterator[list[str | int]]:
        for row in order:
            yield [_value(source.cell(int(row), at)[0], at in numeric) for at in columns]

    return ExportTable(tuple(column.title for column in source.columns), len(order), rows, numeric)


def _value(text: str, is_number: bool) -> str | int:
    """A text, or the whole number that a column of numbers says."""
    plain_digits = is_number and len(text) <= _DIGITS + 1 and text.isascii() and text.removeprefix("-").isdecimal()
    return int(text) if plain_digits else text
