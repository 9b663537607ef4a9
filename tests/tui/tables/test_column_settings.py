"""Tables as they are arranged: by a person, else by the settings, else as they come."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.settings.shape import Table
from xpudbg.services.settings.state import WIDEST, KeptTable, Remembered, StateFile
from xpudbg.tui.tables.column_settings import Tables, placed
from xpudbg.tui.widgets.table_layout import Cell, Column

COLUMNS = (Column("a", "A", max_width=9), Column("b", "B", min_width=5), Column("c", "C"), Column("d", "D"))
NAMES = st.sampled_from(["a", "b", "c", "d", "gone", ""])
PARTS = st.none() | st.lists(NAMES, max_size=7).map(tuple)
KEPT = st.builds(
    KeptTable, order=PARTS, hidden=PARTS, widths=st.dictionaries(NAMES, st.integers(-5, 5_000), max_size=4)
)
WANTED = st.none() | st.builds(
    Table,
    shown=st.lists(NAMES, max_size=5).map(tuple),
    hidden=st.lists(NAMES, max_size=5).map(tuple),
    widths=st.dictionaries(NAMES, st.integers(1, 1_000), max_size=4),
)


def keys(kept: KeptTable, wanted: Table | None = None) -> list[str]:
    return [one.column.key for one in placed(COLUMNS, kept, wanted)]


@given(KEPT, WANTED)
def test_a_part_of_the_columns_each_once_never_none(kept: KeptTable, wanted: Table | None) -> None:
    found = placed(COLUMNS, kept, wanted)
    assert found
    assert len({one.at for one in found}) == len(found)
    assert all(COLUMNS[one.at].key == one.column.key for one in found)
    assert all(0 <= one.column.width <= WIDEST and one.column.max_width >= 1 for one in found)


@given(KEPT)
def test_what_is_not_hidden_is_there(kept: KeptTable) -> None:
    left = {column.key for column in COLUMNS} - set(kept.hidden or ())
    assert set(keys(kept)) == left or (not left and len(keys(kept)) == 1)


@pytest.mark.parametrize(
    ("kept", "wanted", "found"),
    [
        (KeptTable(), None, "abcd"),
        (KeptTable(), Table(shown=("c", "a"), hidden=("b", "none")), "cad"),
        (KeptTable(), Table(hidden=("a", "b", "c", "d")), "a"),
        (KeptTable(order=("d",)), Table(shown=("c",)), "dabc"),
        (KeptTable(order=("d", "gone", "d", "b")), None, "dbac"),
        (KeptTable(hidden=()), Table(hidden=("a",)), "abcd"),
        (KeptTable(hidden=("d",)), Table(shown=("b",), hidden=("a",)), "bac"),
        (KeptTable(hidden=("a", "b", "c", "d"), order=("c",)), None, "c"),
    ],
)
def test_what_a_person_arranged_counts_then_the_settings(kept: KeptTable, wanted: Table | None, found: str) -> None:
    assert keys(kept, wanted) == list(found)


def test_widths_of_the_settings_are_the_most_those_of_a_person_are_kept() -> None:
    columns = {one.column.key: one.column for one in placed(COLUMNS, KeptTable(), Table(widths={"b": 3, "c": 7}))}
    assert (columns["b"].min_width, columns["b"].max_width, columns["b"].width) == (3, 3, 0)
    dragged = placed(COLUMNS, KeptTable(widths={"b": 9, "a": 10**9}), Table(widths={"b": 3}))
    assert [one.column.width for one in dragged] == [WIDEST, 9, 0, 0]


def test_arranged_once_known_to_the_next_program(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    first = Tables({}, Remembered(StateFile(path)))
    before = first.revision
    first.with_width("ranks", "a", 12)
    first.sort("ranks", (("b", True), ("a", False)))
    assert first.revision == before + 1  # an order of rows does not move columns
    first.arrange("cases", KeptTable(hidden=("when",)))
    taken = first.take_unsaved()
    assert set(taken) == {"ranks", "cases"}
    assert first.save(taken) == ""
    assert not first.take_unsaved()
    again = Tables({}, Remembered(StateFile(path)))
    assert again.kept("ranks") == KeptTable(widths={"a": 12}, sorts=(("b", True), ("a", False)))
    assert again.kept("cases") == KeptTable(hidden=("when",))
    assert again.sorts("runs") is None


@pytest.mark.parametrize(
    "found",
    [
        7,
        [],
        {"ranks": None},
        {"ranks": {"order": "ab", "hidden": [1], "widths": {"a": -3, "b": "x"}, "sorts": [["a"]]}},
        {"ranks": {"order": {"a": 1}, "hidden": 5, "widths": [3], "sorts": {"a": True}}},
    ],
)
def test_a_file_that_means_nothing_arranges_nothing(tmp_path: Path, found: object) -> None:
    path = tmp_path / "state.json"
    path.write_bytes(msgspec.json.encode({"tables": found}))
    tables = Tables({}, Remembered(StateFile(path)))
    assert tables.keys("ranks", COLUMNS) == ["a", "b", "c", "d"]
    assert tables.sorts("ranks") is None
    assert all(one.column.width == 0 for one in tables.placed("ranks", COLUMNS))


def test_a_file_that_cant_be_written_is_told(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    tables = Tables({}, Remembered(StateFile(blocked / "state.json")))
    tables.with_width("ranks", "a", 3)
    assert "cannot be written" in tables.save(tables.take_unsaved())
    assert tables.placed("ranks", COLUMNS)[0].column.width == 3


def test_the_cells_come_from_where_the_columns_stood() -> None:
    class Rows:
        columns = COLUMNS

        def cell(self, row: int, column: int) -> Cell:
            return f"{COLUMNS[column].key}{row}", ""

    tables = Tables({"t": Table(shown=("c",), hidden=("a",))})
    shown = tables.as_shown("t", Rows())
    assert [column.key for column in shown.columns] == ["c", "b", "d"]
    assert [shown.cell(4, at)[0] for at in range(3)] == ["c4", "b4", "d4"]
