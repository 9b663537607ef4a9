"""The rows of a case file as texts: CSV in the encodings that spreadsheets write."""

from __future__ import annotations

import codecs
import csv
import io
from dataclasses import dataclass, field

from ..plain_text import plain
from .errors import CaseFileError, RowProblem

__all__ = ["CELL_LIMIT", "COLUMN_LIMIT", "FILE_LIMIT", "ROW_LIMIT", "Row", "Table", "read_csv"]

FILE_LIMIT = 64 << 20
"""Bytes of a CSV file."""
ROW_LIMIT = 100_000
"""Rows of one table; what comes after is left out and said."""
COLUMN_LIMIT = 512
CELL_LIMIT = 131_072
"""Characters of one cell; the csv module's own limit."""

_DELIMITERS = ",;\t|"
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class Row:
    """Cells as texts."""

    line: int
    cells: tuple[str, ...]


@dataclass(slots=True)
class Table:
    """A sheet, or a whole CSV file."""

    sheet: str
    """Empty for CSV."""
    header: tuple[str, ...]
    rows: list[Row] = field(default_factory=list)
    problems: list[RowProblem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    delimiter: str = ""
    """Empty for a sheet."""


def read_csv(content: bytes, shown: str) -> Table:
    """Read a CSV file: UTF-8 with or without a mark, UTF-16, UTF-32 with one, else GB 18030; any line ends.

    Args:
        content: the file.
        shown: its name for messages.

    Raises:
        CaseFileError: it is too large, empty, or no text.
    """
    if len(content) > FILE_LIMIT:
        raise CaseFileError(f"{shown}: {len(content):,} bytes; a case file of over {FILE_LIMIT:,} is not read")
    text, notes = _decoded(content, shown)
    first = next(iter(text[: 64 << 10].splitlines()), "")
    delimiter = max(_DELIMITERS, key=first.count)
    table = Table("", (), notes=notes, delimiter=delimiter)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True, skipinitialspace=True)
    header: tuple[str, ...] | None = None
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            table.problems.append(RowProblem("", line, "", _why(error, line, reader.line_num)))
            if header is None:
                raise CaseFileError(f"{shown}: its header can't be read: {plain(str(error), 100)}") from error
            continue
        if cells is None:
            break
        if not any(cell.strip() for cell in cells):
            continue
        if header is None:
            header = tuple(cells[:COLUMN_LIMIT])
        elif len(table.rows) >= ROW_LIMIT:
            table.notes.append(f"only the first {ROW_LIMIT:,} rows are read; line {line} and later are left out")
            break
        else:
            table.rows.append(Row(line, tuple(cells[:COLUMN_LIMIT])))
    if header is None:
        raise CaseFileError(f"{shown}: is empty")
    table.header = header
    return table


def _decoded(content: bytes, shown: str) -> tuple[str, list[str]]:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            try:
                return content[len(mark) :].decode(encoding), []
            except UnicodeDecodeError as error:
                raise CaseFileError(f"{shown}: marked as {encoding}, but byte {error.start:,} is not") from error
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        try:
            text, note = content.decode("gb18030"), "read as GB 18030: it is not UTF-8"
        except UnicodeDecodeError:
            raise CaseFileError(f"{shown}: is no text in UTF-8 (byte {error.start:,}) or GB 18030") from error
        if "\0" not in text:
            return text, [note]
    if "\0" in text:
        raise CaseFileError(f"{shown}: holds zero bytes, so it is no text")
    return text, []


def _why(error: csv.Error, first: int, last: int) -> str:
    text = str(error)
    if "field larger" in text:
        return f"a cell of over {CELL_LIMIT:,} characters; lines {first:,} to {last:,} are left out"
    if "end of data" in text:
        return f"a quote that is opened here is never closed; lines {first:,} to {last:,} are left out"
    return f"can't be read: {plain(text, 100)}"
