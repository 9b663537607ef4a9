"""Numbers, orders and filters of the profiler's tables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tui.profile_scripts import captured
from tests.tui.scripted import job
from xpudbg.services.profiles.profiles import Profiles
from xpudbg.services.session import Session
from xpudbg.tui.profiler.rows import Entry, ProfileRows, TableShape, bytes_text, micro, share, signed_micro
from xpudbg.tui.profiler.view import ProfilerView, ProfileTab
from xpudbg.tui.screens.capture_request import duration_of
from xpudbg.tui.widgets.table_layout import Column

COLUMNS = (Column("name", "name"), Column("number", "number", "right"))
WORDS = st.lists(st.tuples(st.sampled_from(["mm", "add", "MM x", ""]), st.none() | st.integers(-3, 3)), max_size=12)


def rows(items: list[tuple[str, int | None]]) -> ProfileRows[tuple[str, int | None]]:
    shape: TableShape[tuple[str, int | None]] = TableShape(
        COLUMNS, lambda item: (Entry(item[0], item[0]), Entry(str(item[1] or ""), item[1])), "none"
    )
    return ProfileRows(shape, dict(enumerate(items)))


@given(WORDS, st.booleans())
def test_rows_without_a_value_come_last_either_way(items: list[tuple[str, int | None]], down: bool) -> None:
    order = rows(items).order(range(len(items)), (("number", down),)).tolist()
    values = [items[row][1] for row in order]
    there = [value for value in values if value is not None]
    assert sorted(order) == list(range(len(items)))
    assert values[: len(there)] == sorted(there, reverse=down)


@given(WORDS, st.sets(st.integers(0, 11)))
def test_only_rows_that_fit_are_ordered(items: list[tuple[str, int | None]], fitting: set[int]) -> None:
    wanted = [row for row in range(len(items)) if row in fitting]
    assert rows(items).order(wanted, ()).tolist() == wanted
    assert sorted(rows(items).order(wanted, (("name", True),)).tolist()) == wanted


def test_without_a_column_the_order_is_the_table_s_own() -> None:
    made = rows([("b", 1), ("a", 2)])
    assert made.order((0, 1), ()).tolist() == [0, 1]
    assert made.order((0, 1), (("unknown", False),)).tolist() == [0, 1]


def test_several_columns_the_first_counts_most() -> None:
    made = rows([("b", 1), ("a", 2), ("a", 1), ("b", None)])
    assert made.order(range(4), (("name", False), ("number", True))).tolist() == [1, 2, 0, 3]
    assert made.order(range(4), (("number", False), ("unknown", True), ("name", True))).tolist() == [0, 2, 1, 3]


def test_a_row_as_text() -> None:
    made = rows([("b", 1), ("a", 2)])
    assert made.row_text(0) == "name b  number 1"


@pytest.mark.parametrize(
    ("microseconds", "wanted"),
    [(0.0, "0"), (0.01, "0"), (0.5, "0.5 µs"), (999.9, "999.9 µs"), (1_234.0, "1.23 ms"), (5e9, "5,000.000 s")],
)
def test_times(microseconds: float, wanted: str) -> None:
    assert micro(microseconds) == wanted
    assert signed_micro(microseconds) == (wanted if wanted == "0" else f"+{wanted}")
    assert signed_micro(-microseconds) == (wanted if wanted == "0" else f"-{wanted}")


@pytest.mark.parametrize(
    ("size", "wanted"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1_000, "1.0 kB"),
        (999_949, "999.9 kB"),
        (152_400_000, "152.4 MB"),
        (3 * 10**12, "3,000.00 GB"),
    ],
)
def test_sizes(size: int, wanted: str) -> None:
    assert bytes_text(size) == wanted


def test_shares() -> None:
    assert (share(1.0, 3.0), share(1.0, 0.0)) == ("33.3 %", "")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("3", 3.0),
        (" 2.5 s ", 2.5),
        ("600", 600.0),
        ("601", None),
        ("0.05", None),
        ("nan", None),
        ("inf", None),
        ("", None),
        ("-3", None),
    ],
)
def test_seconds_as_typed(text: str, seconds: float | None) -> None:
    assert duration_of(text) == seconds


def shown() -> tuple[ProfilerView, Session]:
    profiles, session = Profiles(), Session()
    for event in job(8):
        session.apply(event)
    for event in captured():
        profiles.apply(event)  # type: ignore[arg-type]
    return ProfilerView(profiles), session


def test_the_median_then_each_other_rank() -> None:
    view, session = shown()
    seen = []
    for _ in range(5):
        seen.append(view.against)
        view.next_against(session)
    assert seen == [None, 1, 2, 3, None]


@pytest.mark.parametrize("tab", ProfileTab)
def test_each_table_sorts_by_each_column_and_stays_the_same_object(tab: ProfileTab) -> None:
    view, session = shown()
    view.tab = tab
    rows_made, order = view.rows(session, 0), view.order(session, 0)
    assert view.rows(session, 0) is rows_made
    assert view.order(session, 0) is order
    assert len(order)
    for _ in rows_made.columns:
        view.state.sort.next(view.keys())
        assert sorted(view.order(session, 0)) == sorted(order)
    view.state.sort.less()
    assert view.state.sort.sorts == ()
    assert view.order(session, 0).tolist() == order.tolist()
    assert view.cursor(session, 0) in order
