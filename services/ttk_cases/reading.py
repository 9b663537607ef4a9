"""A case file, whichever its form, as cases, failing ones first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..plain_text import plain
from .columns import RESULTS, CaseKind, kind_of
from .errors import CaseFileError, RowProblem
from .rows import read_row
from .sheets import read_xlsx
from .tables import FILE_LIMIT, Table, read_csv

if TYPE_CHECKING:
    from pathlib import Path

    from .case import TTKCase

__all__ = ["CaseFile", "read_case_bytes", "read_case_file"]


@dataclass(frozen=True, slots=True)
class CaseFile:
    """What a file holds."""

    name: str
    """The file's name, plain."""
    kinds: tuple[CaseKind, ...]
    """Of its tables, without repetition."""
    has_results: bool
    """It is the result of a run."""
    columns: tuple[str, ...]
    """All columns in order of appearance; unknown ones too. As written in the file."""
    cases: tuple[TTKCase, ...]
    """Worst outcome first, then in the file's order."""
    problems: tuple[RowProblem, ...]
    notes: tuple[str, ...]
    """What else should be known: another encoding, rows left out, sheets without cases."""


def read_case_file(path: Path) -> CaseFile:
    """Read a CSV or XLSX file of cases or results.

    Raises:
        CaseFileError: it can't be read, is too large, or no table in it has the columns of a case file.
    """
    shown = plain(path.name, 120)
    try:
        with path.open("rb") as file:
            content = file.read(FILE_LIMIT + 1)
    except OSError as error:
        raise CaseFileError(f"{shown}: {error.strerror or error}") from error
    except ValueError as error:
        raise CaseFileError(f"{shown}: no file can have such a name") from error
    return read_case_bytes(content, path.name)


def read_case_bytes(content: bytes, name: str) -> CaseFile:
    """The same from memory.

    Raises:
        CaseFileError: as `read_case_file`.
    """
    shown = plain(name, 120)
    if content.startswith(b"\xd0\xcf\x11\xe0"):
        raise CaseFileError(f"{shown}: is an old or an encrypted workbook; save it as .xlsx without a password, or CSV")
    tables = read_xlsx(content, shown) if content.startswith(b"PK") else [read_csv(content, shown)]
    kinds: dict[CaseKind, None] = {}
    columns: dict[str, None] = {}
    cases: list[TTKCase] = []
    problems: list[RowProblem] = []
    notes: list[str] = []
    unknown: list[str] = []
    for table in tables:
        names = tuple(cell.strip().lstrip("\ufeff") for cell in table.header)
        kind = kind_of(names)
        if kind is None:
            unknown.append(_no_columns(table))
            continue
        kinds[kind] = None
        columns |= dict.fromkeys(filter(None, names))
        notes += table.notes
        problems += table.problems
        twice = sorted({each for each in names if each and names.count(each) > 1})
        if twice:
            notes.append(f"{plain(', '.join(twice), 200)}: there twice; the first counts")
        for row in table.rows:
            case, found = read_row(table, row, names, kind)
            problems += found
            if case is not None:
                cases.append(case)
    if not kinds:
        raise CaseFileError(f"{shown}: {'; '.join(unknown) or 'has no table'}")
    cases.sort(key=lambda case: case.outcome)
    has_results = not columns.keys().isdisjoint(RESULTS)
    return CaseFile(shown, tuple(kinds), has_results, tuple(columns), tuple(cases), tuple(problems), (*notes, *unknown))


def _no_columns(table: Table) -> str:
    header = (table.delimiter or " | ").join(table.header)
    separated = f" (separated by {'tabs' if table.delimiter == chr(9) else table.delimiter})" if table.delimiter else ""
    where = f"sheet {table.sheet}: " if table.sheet else ""
    return f"{where}no known columns; has: {plain(header, 300)}{separated}"
