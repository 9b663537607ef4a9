"""The rows of an XLSX workbook as texts, sheet by sheet; bounded before anything is unpacked.

openpyxl is loaded only when a workbook is read.
"""

from __future__ import annotations

import io
import warnings
import zipfile
from typing import TYPE_CHECKING, Any

from ..plain_text import plain
from .errors import CaseFileError, RowProblem
from .tables import CELL_LIMIT, COLUMN_LIMIT, FILE_LIMIT, ROW_LIMIT, Row, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["SHEET_LIMIT", "UNPACKED_LIMIT", "read_xlsx"]

UNPACKED_LIMIT = 128 << 20
"""Bytes of all parts of a workbook together, unpacked."""
MEMBER_LIMIT = 2_000
SHEET_LIMIT = 100
GAP_LIMIT = 10_000
"""Empty rows after which a sheet counts as ended: a cell in its very last row costs a million."""


def read_xlsx(content: bytes, shown: str) -> list[Table]:
    """Read all sheets that hold something. A formula is no value: its row is told as a problem.

    Args:
        content: the file.
        shown: its name for messages.

    Raises:
        CaseFileError: it is no workbook, or larger than is read, packed or unpacked.
    """
    if len(content) > FILE_LIMIT:
        raise CaseFileError(f"{shown}: {len(content):,} bytes; a case file of over {FILE_LIMIT:,} is not read")
    try:
        _check_archive(content, shown)
        return _sheets(content)
    except CaseFileError:
        raise
    except Exception as error:
        # zipfile and openpyxl raise whatever their parts raise: KeyError, ValueError, TypeError, ParseError, zlib.error
        raise CaseFileError(f"{shown}: is no workbook that can be read: {plain(repr(error), 200)}") from error


def _check_archive(content: bytes, shown: str) -> None:
    """What the archive claims to unpack to; zipfile unpacks no more of a member than it claims."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = archive.infolist()
        total = sum(member.file_size for member in members)
        if len(members) > MEMBER_LIMIT or total > UNPACKED_LIMIT:
            raise CaseFileError(
                f"{shown}: {len(members):,} parts of {total:,} bytes unpacked; at most {MEMBER_LIMIT:,} parts and "
                f"{UNPACKED_LIMIT:,} bytes are read"
            )
        for member in members:
            with archive.open(member) as part:
                start = part.read(1024)
            if b"<!DOCTYPE" in start or b"<!ENTITY" in start or start[:2] in (b"\xff\xfe", b"\xfe\xff"):
                raise CaseFileError(f"{shown}: its part {plain(member.filename, 80)} declares entities; not read")


def _sheets(content: bytes) -> list[Table]:
    import openpyxl

    # It warns of styles and extensions, which say nothing about the cells.
    warnings.filterwarnings("ignore", category=UserWarning, module=r"openpyxl\.")
    book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, keep_links=False)
    try:
        return [table for table in map(_sheet, book.worksheets[:SHEET_LIMIT]) if table is not None]
    finally:
        book.close()


def _sheet(sheet: Any) -> Table | None:
    name = plain(sheet.title, 80)
    sheet.reset_dimensions()  # a claim of the file; a sheet of three rows may claim a million
    table = Table(name, ())
    header_read = False
    for number, cells in _filled_rows(sheet, table.notes):
        texts = tuple("" if cell is None else _text(cell.value) for cell in cells)
        if not header_read:
            table.header, header_read = texts, True
            continue
        if len(table.rows) >= ROW_LIMIT:
            table.notes.append(f"{name}: only the first {ROW_LIMIT:,} rows are read")
            break
        too_long = next((at for at, text in enumerate(texts) if len(text) > CELL_LIMIT), None)
        formula = next((at for at, cell in enumerate(cells) if getattr(cell, "data_type", "") == "f"), None)
        wrong = too_long if too_long is not None else formula
        if wrong is None:
            table.rows.append(Row(number, texts))
            continue
        column = plain(table.header[wrong], 80) if wrong < len(table.header) else f"column {wrong + 1}"
        text = "a formula, which is not worked out; put its value there"
        if too_long is not None:
            text = f"a cell of over {CELL_LIMIT:,} characters"
        table.problems.append(RowProblem(name, number, column, text))
    return table if header_read else None


def _filled_rows(sheet: Any, notes: list[str]) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Row number and cells of each row that holds something, up to a gap that no person leaves."""
    filled = 0
    for number, cells in enumerate(sheet.iter_rows(max_col=COLUMN_LIMIT), start=1):
        if number - filled > GAP_LIMIT:
            notes.append(f"{plain(sheet.title, 80)}: rows after {GAP_LIMIT:,} empty ones are not read")
            return
        last = max((at for at, cell in enumerate(cells) if cell.value not in (None, "")), default=None)
        if last is not None:
            filled = number
            yield number, cells[: last + 1]


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)
