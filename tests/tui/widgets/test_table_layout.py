"""Widths of columns and what stands where."""

from __future__ import annotations

import numpy as np

from xpudbg.tui.widgets.table_layout import Cell, Column, TableLayout


class Rows:
    columns = (Column("a", "a", "right", min_width=5), Column("b", "bb", max_width=12), Column("c", "c"))

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts

    def cell(self, row: int, column: int) -> Cell:
        return (str(row), self.texts[row], "end")[column], ""


def test_columns_widen_to_their_limit_and_never_shrink() -> None:
    layout = TableLayout()
    order = np.arange(2, dtype=np.intp)
    assert layout.measure(Rows(["short", "節点節点"]), order)
    assert layout.widths == [5, 8, 3]
    assert layout.measure(Rows(["x" * 40, ""]), order)
    assert layout.widths == [5, 12, 3]
    assert not layout.measure(Rows(["s", "t"]), order)
    assert layout.widths == [5, 12, 3]


def test_the_column_under_the_mouse() -> None:
    layout = TableLayout()
    layout.measure(Rows(["x" * 12]), np.arange(1, dtype=np.intp))
    found = [layout.column_at(x, 0) for x in (0, 8, 9, 22, 23, 500)]
    assert [column.key if column else "" for column in found] == ["a", "a", "b", "b", "c", "c"]
    scrolled = layout.column_at(10, 14)
    assert scrolled is not None
    assert scrolled.key == "c"
