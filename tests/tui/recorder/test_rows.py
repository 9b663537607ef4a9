"""A table to browse as a source of the table widget."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.fakes.flight_recorder_jobs import Fault
from tests.services.recorder_tables.making import mixed_job, tables_of
from xpudbg.services.recorder_tables.row_filter import RowFilter
from xpudbg.services.recorder_tables.table import CellValue, Field, Sign
from xpudbg.tui.recorder.rows import COLOURS, COMPONENTS, RecorderRows
from xpudbg.tui.widgets.grid_table import GridTable

PLAIN, MISSING, MISMATCH = range(3)


class Signs:
    """A cell for each sign after a first one; one row is whole, one misses ranks, one has a mismatch."""

    name = "signs"
    lacking_sign = Sign.MISSING

    def __init__(self, *, numeric: bool = True, p2p: int = PLAIN) -> None:
        self.p2p = p2p
        """The row with a send."""
        fields = (Field("p2p_seq", "p2p_seq_id", numeric), *(Field(f"sign_{sign}", sign.name) for sign in Sign))
        self.fields: tuple[Field, ...] = tuple(field._replace(max_width=9) for field in fields)

    def __len__(self) -> int:
        return 3

    def cell(self, _row: int, field: int) -> CellValue:
        return CellValue("text", list(Sign)[field - 1]) if field else CellValue("7")

    def mask(self, chosen: RowFilter) -> NDArray[np.bool_]:
        wanted = {"is:missing": MISSING, "is:missing is:open": MISSING, "is:mismatch": MISMATCH, "is:p2p": self.p2p}[
            chosen.text
        ]
        found: NDArray[np.bool_] = np.arange(3) == wanted
        return found


def made(*, numeric: bool = True, short: bool = False) -> RecorderRows:
    return RecorderRows(Signs(numeric=numeric), short=short)  # type: ignore[arg-type]


def test_columns_are_the_fields() -> None:
    columns = made().columns
    assert [column.key for column in columns] == ["p2p_seq", *(f"sign_{sign}" for sign in Sign)]
    assert columns[0].title == "p2p_seq_id"
    assert [column.align for column in columns] == ["right", *["left"] * len(Sign)]
    assert {column.max_width for column in columns} == {9}


def test_titles_may_be_short() -> None:
    assert [column.title for column in made(short=True).columns[:2]] == ["p2p", "sign "]


def test_where_room_is_scarce_empty_columns_go_and_some_stand_last() -> None:
    table = Signs(p2p=99)
    table.fields = (Field("collective", "collective_id"), Field("p2p_seq", "p2p_seq_id"), Field("rank", "rank"))
    rows = RecorderRows(table, short=True)  # type: ignore[arg-type]
    assert [column.title for column in rows.columns] == ["rank", "coll"]
    assert rows.cell(PLAIN, 1)[0] == "7"
    assert len(RecorderRows(table).columns) == 3  # type: ignore[arg-type]


def test_where_room_is_scarce_what_is_needed_most_stands_forward() -> None:
    tables = tables_of(mixed_job(Fault(3, 5, "stops")))
    for table, first in (
        (tables.collectives, ["id", "group", "seq", "p2p_seq", "missing", "op", "state"]),
        (tables.groups, ["group", "desc", "size", "lag", "known"]),
        (tables.memberships, ["group", "rank", "host", "lag", "enqueued"]),
    ):
        rows = RecorderRows(table, short=True)
        assert [column.key for column in rows.columns[: len(first)]] == first
        assert sorted(rows.places) == list(range(len(table.fields)))
        for place, column in enumerate(rows.columns):
            assert rows.cell(0, place)[0].strip("!w≠ ") == table.cell(0, table.place(column.key)).text.strip("!w≠ ")
    missing = RecorderRows(tables.collectives, short=True).columns[4]
    assert (missing.min_width, missing.max_width) == (0, 24)


@pytest.mark.parametrize(
    ("sign", "text"),
    [
        (Sign.NONE, "text"),
        (Sign.MISSING, "! text"),
        (Sign.WAITING, "w text"),
        (Sign.MISMATCH, "≠ text"),
        (Sign.OPEN, "text"),
        (Sign.FAINT, "text"),
    ],
)
def test_what_stands_out_says_so_without_colour(sign: Sign, text: str) -> None:
    assert made().cell(PLAIN, 1 + list(Sign).index(sign)) == (text, COMPONENTS[sign])


@pytest.mark.parametrize("numeric", [True, False])
def test_the_first_cell_has_the_sign_of_the_row(numeric: bool) -> None:
    rows = made(numeric=numeric)
    assert rows.cell(PLAIN, 0) == ("7" if numeric else "  7", "")
    assert rows.cell(MISSING, 0) == ("! 7", "table--missing")
    assert rows.cell(MISMATCH, 0) == ("≠ 7", "table--mismatch")


def test_the_rows_of_a_call_that_lacks_ranks_are_those_of_ranks_that_wait() -> None:
    table = Signs()
    table.lacking_sign = Sign.WAITING
    rows = RecorderRows(table)  # type: ignore[arg-type]
    assert [rows.cell(row, 0) for row in (PLAIN, MISSING)] == [("7", ""), ("w 7", "table--open")]
    tables = tables_of(mixed_job(Fault(3, 5, "stops")))
    calls, collectives = RecorderRows(tables.calls), RecorderRows(tables.collectives)
    assert [calls.cell(row, 0)[0][:2] for row in tables.collectives.calls_of(9).tolist()] == ["w ", "w ", "w "]
    assert collectives.cell(9, 0)[0] == "! 9"
    place = tables.collectives.place("missing")
    assert collectives.cell(9, place) == ("! 3", "table--missing")


def test_every_sign_has_a_style_that_the_widgets_know() -> None:
    assert set(COMPONENTS) == set(COLOURS) == set(Sign)
    assert {component for component in COMPONENTS.values() if component} <= GridTable.COMPONENT_CLASSES
