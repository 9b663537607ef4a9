"""Tables as files: CSV, JSON or Markdown by the ending of the name, written row by row however many there are.

A file is for programs and spreadsheets: texts are made plain, and no cell is a formula there.
"""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from .markdown_text import unmarked
from .new_file import create_new
from .plain_text import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

__all__ = ["ENDINGS", "ExportTable", "TableFormat", "csv_cell", "export_table", "format_of", "write_table"]

STEP = 1_000
"""Rows between two looks at whether to go on."""

Value: TypeAlias = str | int | float | None
"""None is a cell without a value."""

_NUMBER = re.compile(r"[-+]?[0-9][0-9.,]*( ?[a-zµ%]{1,3})?")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_DATE = re.compile(r"\d{1,4}([-/])\d{1,4}(\1\d{1,4})?", re.ASCII)
"""Ranks `1-7` among them."""


class TableFormat(StrEnum):
    """By the ending of a file's name."""

    CSV = ".csv"
    JSON = ".json"
    """A list with an object for each row, its keys the titles."""
    MARKDOWN = ".md"


ENDINGS = tuple(one.value for one in TableFormat)


@dataclass(frozen=True, slots=True)
class ExportTable:
    """A table that is not made before it is written."""

    titles: tuple[str, ...]
    size: int
    """Number of rows."""
    rows: Callable[[], Iterator[Sequence[Value]]]
    """Begins with the first row each time it is called; rows are as long as `titles`."""
    numeric: tuple[int, ...] = ()
    """Columns of numbers."""


def format_of(name: str) -> TableFormat | None:
    """What the ending says; None when it is none of these."""
    lowered = name.lower()
    return next((one for one in TableFormat if lowered.endswith(one.value)), None)


def export_table(
    table: ExportTable, folder: Path, name: str, stopped: Callable[[], bool] = lambda: False
) -> tuple[Path, int]:
    """Write a table to a file that was not there (`create_new`); the path and the number of rows written.

    Args:
        name: its ending says the form.
        stopped: asked now and then; the file ends there when it says so.

    Raises:
        ValueError: the ending says no form.
        OSError: the file cannot be written.
    """
    style = format_of(name)
    if style is None:
        raise ValueError(f"a table goes into a file that ends in {', '.join(ENDINGS)}")
    path, file = create_new(folder, name)
    with io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="") as stream:
        return path, write_table(table, stream, style, stopped)


def write_table(
    table: ExportTable, stream: io.TextIOBase, style: TableFormat, stopped: Callable[[], bool] = lambda: False
) -> int:
    """Write a table; the number of rows written.

    Raises:
        OSError: the stream cannot be written.
    """
    return _WRITERS[style](table, stream, stopped)


def _going_on(table: ExportTable, stopped: Callable[[], bool]) -> Iterator[Sequence[Value]]:
    for number, row in enumerate(table.rows()):
        if number % STEP == 0 and stopped():
            return
        yield row


def _write_csv(table: ExportTable, stream: io.TextIOBase, stopped: Callable[[], bool]) -> int:
    out = csv.writer(stream, lineterminator="\n")
    out.writerow([csv_cell(title) for title in table.titles])
    written = 0
    for row in _going_on(table, stopped):
        out.writerow([_csv_value(value) for value in row])
        written += 1
    return written


def _csv_value(value: Value) -> str:
    if isinstance(value, str):
        return csv_cell(value)
    return "" if value is None else repr(value)


def csv_cell(text: str) -> str:
    """The text of a cell made plain; what a spreadsheet would take for a formula or a date gets an apostrophe before
    it."""
    said = plain(text)
    formula = said.startswith(_FORMULA) and not _NUMBER.fullmatch(said)
    return f"'{said}" if formula or _DATE.fullmatch(said) else said


def _write_json(table: ExportTable, stream: io.TextIOBase, stopped: Callable[[], bool]) -> int:
    keys = _apart(table.titles)
    written = 0
    stream.write("[")
    for row in _going_on(table, stopped):
        made = {key: plain(value) if isinstance(value, str) else value for key, value in zip(keys, row, strict=True)}
        stream.write(f"{',' if written else ''}\n{json.dumps(made, ensure_ascii=True)}")
        written += 1
    stream.write("\n]\n")
    return written


def _apart(titles: Sequence[str]) -> list[str]:
    """The titles as keys: a second one of a name gets a number."""
    made: list[str] = []
    for title in titles:
        key, number = plain(title), 1
        while key in made:
            number += 1
            key = f"{plain(title)} ({number})"
        made.append(key)
    return made


def _write_markdown(table: ExportTable, stream: io.TextIOBase, stopped: Callable[[], bool]) -> int:
    stream.write(f"| {' | '.join(unmarked(title) for title in table.titles)} |\n")
    stream.write(f"|{'|'.join('---:' if at in table.numeric else '---' for at in range(len(table.titles)))}|\n")
    written = 0
    for row in _going_on(table, stopped):
        stream.write(f"| {' | '.join(_markdown_value(value) for value in row)} |\n")
        written += 1
    return written


def _markdown_value(value: Value) -> str:
    if isinstance(value, str):
        return unmarked(value)
    return "" if value is None else unmarked(repr(value))


_WRITERS = {
    TableFormat.CSV: _write_csv,
    TableFormat.JSON: _write_json,
    TableFormat.MARKDOWN: _write_markdown,
}
