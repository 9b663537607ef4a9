"""Tables as files: the same rows in each form, nothing in them that a spreadsheet or Markdown would act on."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.table_export import (
    STEP,
    ExportTable,
    TableFormat,
    csv_cell,
    export_table,
    format_of,
    write_table,
)

TEXTS = st.text(st.characters(), max_size=12)


def table(rows: list[list[str | int | float | None]], titles: tuple[str, ...] = ("a", "b")) -> ExportTable:
    return ExportTable(titles, len(rows), lambda: iter(rows), (1,))


def text(made: ExportTable, style: TableFormat) -> str:
    stream = io.StringIO()
    assert write_table(made, stream, style) == made.size
    return stream.getvalue()


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("all_reduce", "all_reduce"),
        ("-12.3 s", "-12.3 s"),
        ("+4", "+4"),
        ("-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0"),
        ("=1+1", "'=1+1"),
        ("@sum(a)", "'@sum(a)"),
        ("-", "'-"),
        ("1-7", "'1-7"),
        ("15/16", "'15/16"),
        ("2026-11-30", "'2026-11-30"),
        ("15 of 16", "15 of 16"),
        ("0-7,12", "0-7,12"),
        ("\t=1", "\\t=1"),
        ("\x1b[31m\u202e", "\\x1b[31m\\u202e"),
    ],
)
def test_cells(cell: str, written: str) -> None:
    assert csv_cell(cell) == written


def test_each_form() -> None:
    made = table([["x|y", 1], ["é", None], ["=1", -2.5]])
    assert text(made, TableFormat.CSV) == "a,b\nx|y,1\né,\n'=1,-2.5\n"
    assert json.loads(text(made, TableFormat.JSON)) == [
        {"a": "x|y", "b": 1},
        {"a": "é", "b": None},
        {"a": "=1", "b": -2.5},
    ]
    assert text(made, TableFormat.MARKDOWN) == "| a | b |\n|---|---:|\n| x\\|y | 1 |\n| é |  |\n| =1 | -2.5 |\n"


def test_no_row_is_a_table_all_the_same() -> None:
    assert text(table([]), TableFormat.CSV) == "a,b\n"
    assert json.loads(text(table([]), TableFormat.JSON)) == []


def test_titles_that_are_alike_stay_apart_in_json() -> None:
    made = json.loads(text(table([[1, 2, 3]], ("id", "id", "id")), TableFormat.JSON))
    assert made == [{"id": 1, "id (2)": 2, "id (3)": 3}]


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=4))
def test_whatever_a_cell_holds_rows_and_columns_stay(cells: list[tuple[str, str]]) -> None:
    made = table([list(row) for row in cells])
    rows = list(csv.reader(io.StringIO(text(made, TableFormat.CSV), newline="")))
    assert len(rows) == len(cells) + 1
    assert all(len(row) == 2 and not any(cell[:1] in "=@" for cell in row if cell) for row in rows)
    assert len(json.loads(text(made, TableFormat.JSON))) == len(cells)
    lines = text(made, TableFormat.MARKDOWN).split("\n")
    assert len(lines) == len(cells) + 3
    assert all(line.replace("\\\\", "").replace("\\|", "").count("|") == 3 for line in lines[:-1])
    assert all(char.isprintable() for line in lines for char in line)


@pytest.mark.parametrize(
    ("name", "style"),
    [
        ("x.csv", TableFormat.CSV),
        ("X.JSON", TableFormat.JSON),
        ("a.b.md", TableFormat.MARKDOWN),
        ("x.txt", None),
        ("csv", None),
    ],
)
def test_the_ending_says_the_form(name: str, style: TableFormat | None) -> None:
    assert format_of(name) is style


def test_a_file_is_never_written_over_and_ends_when_told_to(tmp_path: Path) -> None:
    names = [export_table(table([["x", 1]]), tmp_path, "x.csv")[0].name for _ in range(2)]
    assert names == ["x.csv", "x-2.csv"]
    many = ExportTable(("a",), 3 * STEP, lambda: ([number] for number in range(3 * STEP)))
    answers = iter((False, True))
    path, written = export_table(many, tmp_path, "y.json", lambda: next(answers))
    assert written == STEP == len(json.loads(path.read_text()))


def test_what_can_not_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        export_table(table([]), tmp_path / "none", "x.csv")
    with pytest.raises(ValueError, match=r"\.csv, \.json, \.md"):
        export_table(table([]), tmp_path, "x.txt")
