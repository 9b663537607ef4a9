"""Columns as the settings want them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from xpudbg.services.settings.shape import Table
from xpudbg.tui.column_settings import arranged, use_columns
from xpudbg.tui.rank_rows import COLUMNS, RankRows


@pytest.fixture(autouse=True)
def nothing_set() -> Iterator[None]:
    yield
    use_columns({})


def keys(table: str) -> list[str]:
    return [column.key for column in arranged(table, COLUMNS)]


def test_shown_ones_first_hidden_ones_not() -> None:
    use_columns({"ranks": Table(shown=("host", "rank"), hidden=("class", "none of that name"))})
    assert keys("ranks")[:2] == ["host", "rank"]
    assert sorted(keys("ranks")) == sorted({column.key for column in COLUMNS} - {"class"})
    assert keys("cases") == [column.key for column in COLUMNS]


def test_widths_are_the_most_that_a_column_takes() -> None:
    use_columns({"ranks": Table(widths={"class": 3})})
    (column,) = [column for column in arranged("ranks", COLUMNS) if column.key == "class"]
    assert (column.max_width, column.min_width) == (3, 3)


def test_a_table_has_a_column_at_least() -> None:
    use_columns({"ranks": Table(hidden=tuple(column.key for column in COLUMNS))})
    assert keys("ranks") == ["rank"]


def test_the_rank_table_goes_by_them() -> None:
    use_columns({"ranks": Table(shown=("host",), hidden=("address",))})
    rows = RankRows({}, 0)
    assert [column.key for column in rows.columns][:2] == ["host", "rank"]
    assert "address" not in {column.key for column in rows.columns}
