"""Where columns stand, and which of them are seen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.tui.widgets.column_places import ColumnPlaces

PLACES = ColumnPlaces([3, 5, 4], gap=2, left=10)


def test_lengths() -> None:
    assert (len(PLACES), PLACES.total) == (3, 10 + 3 + 2 + 5 + 2 + 4)
    assert [PLACES.start(number) for number in range(3)] == [0, 5, 12]
    empty = ColumnPlaces([], gap=2, left=10)
    assert (len(empty), empty.total, empty.column_at(0)) == (0, 10, None)


@pytest.mark.parametrize(
    ("x", "column"), [(-1, None), (0, 0), (4, 0), (5, 1), (11, 1), (12, 2), (17, 2), (18, None)], ids=str
)
def test_what_is_at_a_place(x: int, column: int | None) -> None:
    assert PLACES.column_at(x) == column


@pytest.mark.parametrize(
    ("number", "scrolled", "then"), [(0, 0, 0), (1, 0, 2), (2, 0, 8), (0, 8, 0), (1, 8, 5), (2, 8, 8)], ids=str
)
def test_as_little_is_scrolled_as_shows_a_column(number: int, scrolled: int, then: int) -> None:
    assert PLACES.scroll_to_show(number, 18, scrolled) == then


@given(st.lists(st.integers(1, 9), min_size=1, max_size=8), st.integers(0, 3), st.integers(12, 40), st.data())
def test_a_column_that_was_scrolled_to_is_among_those_seen(
    widths: list[int], gap: int, width: int, data: st.DataObject
) -> None:
    places = ColumnPlaces(widths, gap=gap, left=10)
    number = data.draw(st.integers(0, len(widths) - 1))
    scrolled = places.scroll_to_show(number, width, data.draw(st.integers(0, places.total - 10)))
    seen, cut = places.visible(width, scrolled)
    assert number in seen
    assert places.start(seen[0]) + cut == scrolled
    assert 0 <= cut < widths[seen[0]] + gap
