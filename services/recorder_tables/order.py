"""The order in which the rows of a table stand: by one column or several, up or down, unknown values always last.

A key array says itself which rows are unknown: NaN in a float column, the lowest number of a signed whole type.
Unsigned and bool keys know every row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .table import BrowseTable

__all__ = ["Sort", "known_of", "ordered", "sortable"]


class Sort(NamedTuple):
    """One column to sort by."""

    field: str
    """`Field.key`."""
    descending: bool = False


def ordered(table: BrowseTable, sorts: Sequence[Sort], mask: NDArray[np.bool_] | None = None) -> NDArray[np.intp]:
    """The rows of a table that a mask leaves, sorted. Stable: rows that are equal keep their order, up and down.

    Args:
        sorts: the column that counts most first; none leaves the table's own order.
        mask: shape `(len(table),)`; None leaves all rows.

    Raises:
        KeyError: the table has no such column.
    """
    places = {field.key: place for place, field in enumerate(table.fields)}
    keys = [(table.keys(places[sort.field]), sort.descending) for sort in sorts]
    rows: NDArray[np.intp] = np.arange(len(table)) if mask is None else np.flatnonzero(mask)
    if not keys or len(rows) < 2:
        return rows
    if mask is not None and len(rows) < len(mask):
        keys = [(column[rows], descending) for column, descending in keys]
    if len(keys) == 1:
        return rows[_along(*keys[0])]
    levels: list[NDArray[Any]] = []
    for column, descending in reversed(keys):
        levels.append(_turned(column, descending))
        known = known_of(column)
        if not known.all():
            levels[-1] = np.where(known, levels[-1], levels[-1].dtype.type(0))
            levels.append(~known)
    return rows[np.lexsort(levels)]


def _along(column: NDArray[np.generic], descending: bool) -> NDArray[np.intp]:
    known = known_of(column)
    if known.all():
        return np.argsort(_turned(column, descending), kind="stable")
    here = np.flatnonzero(known)
    along = here[np.argsort(_turned(column[here], descending), kind="stable")]
    return np.concatenate([along, np.flatnonzero(~known)])


def _turned(column: NDArray[Any], descending: bool) -> NDArray[Any]:
    """Keys that sort upwards: of whole numbers the complement turns the order and can't overflow."""
    if not descending:
        return column
    turned: NDArray[Any] = -column if column.dtype.kind == "f" else ~column
    return turned


def known_of(keys: NDArray[Any]) -> NDArray[np.bool_]:
    """Which keys are values, not "unknown"."""
    known: NDArray[np.bool_]
    match keys.dtype.kind:
        case "f":
            known = ~np.isnan(keys)
        case "i":
            known = np.asarray(keys != np.iinfo(keys.dtype).min)
        case _:
            known = np.ones(len(keys), dtype=np.bool_)
    return known


def sortable(values: NDArray[np.uint64] | NDArray[np.int64], known: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Whole numbers of up to 64 bits as keys in which the unknown rows are marked."""
    lowest = np.iinfo(np.int64).min
    if values.dtype.kind == "u" and len(values) and values.max() > np.uint64(2**63 - 1):
        values = np.unique(values, return_inverse=True)[1].astype(np.int64)
    return np.where(known, values.astype(np.int64), lowest)
