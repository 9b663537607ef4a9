"""Columns of tables as the settings want them: which ones, in which order, how wide."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..services.settings.shape import Table
    from .widgets.table_layout import Column

__all__ = ["arranged", "use_columns"]

_NONE: Mapping[str, Table] = {}
_CURRENT: ContextVar[Mapping[str, Table]] = ContextVar("columns", default=_NONE)  # never changed


def use_columns(wanted: Mapping[str, Table]) -> None:
    """These are the settings from now on, in this context and those that come from it.

    Args:
        wanted: by the name of the table.
    """
    _CURRENT.set(wanted)


def arranged(table: str, columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """The columns of a table as they are set: those named first in front, the hidden ones not at all.

    A table is never without a column: the first one stays when all are hidden.
    """
    wanted = _CURRENT.get().get(table)
    if wanted is None:
        return columns
    places = {key: place for place, key in enumerate(wanted.shown)}
    in_order = sorted(columns, key=lambda column: places.get(column.key, len(places)))
    kept = [column for column in in_order if column.key not in wanted.hidden] or in_order[:1]
    return tuple(_resized(column, wanted.widths.get(column.key)) for column in kept)


def _resized(column: Column, width: int | None) -> Column:
    return column if width is None else replace(column, max_width=width, min_width=min(column.min_width, width))
