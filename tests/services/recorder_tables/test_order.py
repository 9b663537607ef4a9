"""Sorting against Python's own sort, for any keys, unknown values among them."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.ranksets import RankSet
from xpudbg.services.recorder_tables.order import Sort, known_of, ordered, sortable
from xpudbg.services.recorder_tables.row_filter import RowFilter
from xpudbg.services.recorder_tables.table import CellValue, Detail, Field, Sign

LOWEST = np.iinfo(np.int64).min


class KeyedTable:
    """A table of keys alone."""

    name = "keys"
    lacking_sign = Sign.MISSING

    def __init__(self, **columns: np.ndarray[Any, Any]) -> None:
        self._columns = list(columns.values())
        self.fields = tuple(Field(key, key) for key in columns)

    def __len__(self) -> int:
        return len(self._columns[0])

    def keys(self, field: int) -> np.ndarray[Any, Any]:
        return self._columns[field]

    def cell(self, row: int, field: int) -> CellValue:
        return CellValue(str(self._columns[field][row]))

    def mask(self, chosen: RowFilter) -> np.ndarray[Any, Any]:
        return np.ones(len(self), dtype=bool)

    def ranks(self, row: int) -> RankSet:
        return RankSet()

    def details(self, row: int) -> Sequence[Detail]:
        return ()


FLOATS = st.floats(allow_nan=True) | st.sampled_from([float("nan"), 0.0, 1.0])
WHOLE = st.integers(LOWEST, 2**63 - 1) | st.sampled_from([LOWEST, 0, 1, 2**63 - 1])
ROWS = st.lists(st.tuples(FLOATS, WHOLE, st.integers(0, 2**64 - 1) | st.integers(0, 3), st.booleans()), max_size=30)


def expected(rows: list[tuple[Any, ...]], sorts: list[tuple[int, bool]], kept: list[bool]) -> list[int]:
    order = [place for place, keep in enumerate(kept) if keep]
    for field, descending in reversed(sorts):
        known = [place for place in order if not unknown(rows[place][field])]
        rest = [place for place in order if unknown(rows[place][field])]
        # Python's reverse keeps equal ones in order, as a stable sort should.
        order = sorted(known, key=lambda place: rows[place][field], reverse=descending) + rest
    return order


def unknown(value: Any) -> bool:
    return isnan(value) if isinstance(value, float) else value == LOWEST


@given(ROWS, st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=3), st.data())
def test_the_order_is_that_of_a_stable_sort(
    rows: list[tuple[Any, ...]], sorts: list[tuple[int, bool]], data: st.DataObject
) -> None:
    kinds = (np.float64, np.int64, np.uint64, np.bool_)
    columns: dict[str, np.ndarray[Any, Any]] = {}
    for place, kind in enumerate(kinds):
        columns[f"c{place}"] = np.array([row[place] for row in rows], dtype=kind)
    kept = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    table = KeyedTable(**columns)
    chosen = [Sort(f"c{field}", descending) for field, descending in sorts]
    assert ordered(table, chosen, np.array(kept, dtype=bool)).tolist() == expected(rows, sorts, kept)
    assert ordered(table, chosen).tolist() == expected(rows, sorts, [True] * len(rows))


def test_a_column_that_is_not_there() -> None:
    with pytest.raises(KeyError):
        ordered(KeyedTable(one=np.arange(3)), [Sort("other")])


def test_counters_beyond_the_signed_range_keep_their_order() -> None:
    values = np.array([2**64 - 1, 5, 2**63, 7], dtype=np.uint64)
    keys = sortable(values, np.array([True, True, True, False]))
    assert known_of(keys).tolist() == [True, True, True, False]
    assert np.argsort(keys[:3]).tolist() == [1, 2, 0]
