"""What can be wrong with a case file and its rows."""

from __future__ import annotations

from dataclasses import dataclass

from ..plain_text import plain

__all__ = ["CaseFileError", "CellError", "RowProblem"]


class CaseFileError(ValueError):
    """A file from which no row could be read; the message names the file and says why."""


class CellError(ValueError):
    """A cell that can't be read; the message says what is wrong in it."""

    def __init__(self, message: str) -> None:
        super().__init__(plain(message, 300))


@dataclass(frozen=True, slots=True)
class RowProblem:
    """Something wrong in one row."""

    sheet: str
    """Empty for CSV."""
    line: int
    """First line of the row, counted from 1 with the header; in a sheet its row number."""
    column: str
    """Name of the column; empty when it is about the whole row."""
    text: str
    """What is wrong, plain."""
    name: str = ""
    """The case's name where it has one."""
    refused: bool = True
    """The row made no case; else a case without this cell."""

    def __str__(self) -> str:
        where = f"{self.sheet}, row {self.line}" if self.sheet else f"line {self.line}"
        about = f", {self.column}" if self.column else ""
        named = f" ({self.name})" if self.name else ""
        return f"{where}{about}{named}: {self.text}"
