"""Widths of columns and what stands where."""

from __future__ import annotations

import numpy as np
import pytest
from rich.cells import cell_len
from rich.style import Style

from xpudbg.tui.widgets.table_layout import Cell, Column, Line, TableLayout


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


def test_the_edge_under_the_mouse_is_the_blank_behind_a_title() -> None:
    layout = TableLayout()
    layout.measure(Rows(["x" * 12]), np.arange(1, dtype=np.intp))
    found = [layout.edge_at(x, 0) for x in (0, 6, 7, 8, 9, 20, 21, 22, 23)]
    assert [column.key if column else "" for column in found] == ["", "", "a", "a", "", "", "b", "b", ""]


@pytest.mark.parametrize("width", range(1, 40))
@pytest.mark.parametrize("left", [0, 3, 9])
@pytest.mark.parametrize("text", ["x" * 12, "節点節点節点", "[b]\x1b[31m\u202e節"])
def test_a_cell_that_the_window_cuts_says_so(width: int, left: int, text: str) -> None:
    layout, rows = TableLayout(), Rows([text])
    layout.measure(rows, np.arange(1, dtype=np.intp))
    line = Line(tuple(rows.cell(0, column) for column in range(3)))
    strip = layout.row(line, (width, left), Style(), Style(), lambda _: Style())
    assert strip.cell_length == width == cell_len(strip.text)
    end = layout.total - (left if layout.widths[0] + 4 < width else 0)
    if end <= width:
        assert strip.text.rstrip().endswith("end")


def test_what_is_cut_ends_with_an_ellipsis_what_just_fits_does_not() -> None:
    layout, rows = TableLayout(), Rows(["abcdefghijkl"])
    layout.measure(rows, np.arange(1, dtype=np.intp))
    line = Line(tuple(rows.cell(0, column) for column in range(3)))

    def painted(width: int) -> str:
        return layout.row(line, (width, 0), Style(), Style(), lambda _: Style()).text

    assert painted(15) == "      0  abcde…"
    assert painted(21) == "      0  abcdefghijkl"
    assert painted(20) == "      0  abcdefghij…"
    assert painted(25) == "      0  abcdefghijkl    "
    assert painted(26) == "      0  abcdefghijkl  end"


def test_a_column_with_room_for_a_sliver_is_not_begun() -> None:
    layout, rows = TableLayout(), Rows(["abcdefghijkl"])
    layout.measure(rows, np.arange(1, dtype=np.intp))
    line = Line(tuple(rows.cell(0, column) for column in range(3)))

    def painted(width: int) -> tuple[str, str]:
        header = layout.header((width, 0), (), Style(), Style()).text
        return header, layout.row(line, (width, 0), Style(), Style(), lambda _: Style()).text

    assert painted(15) == ("      a  bb   ›", "      0  abcde…")
    assert painted(14) == ("      a      ›", "      0       ")
    assert painted(5) == ("    ›", "    …")


@pytest.mark.parametrize(
    ("view", "header", "row"),
    [
        ((26, 0), "      a  bb            c  ", "      0  abcdefghijkl  end"),
        ((25, 0), "      a  bb             ›", "      0  abcdefghijkl    "),
        ((25, 2), "      a ‹            c   ", "      0  cdefghijkl  end "),
        ((20, 3), "      a ‹          ›", "      0  defghijkl  "),
        ((20, 7), "      a ‹       c   ", "      0  hijkl  end "),
        ((9, 5), "      a ›", "      0  "),
    ],
)
def test_signs_say_on_which_side_columns_are_out_of_view(view: tuple[int, int], header: str, row: str) -> None:
    layout, rows = TableLayout(), Rows(["abcdefghijkl"])
    layout.measure(rows, np.arange(1, dtype=np.intp))
    line = Line(tuple(rows.cell(0, column) for column in range(3)))
    assert layout.header(view, (), Style(), Style()).text == header
    assert layout.row(line, view, Style(), Style(), lambda _: Style()).text == row
