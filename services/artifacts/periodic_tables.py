"""The flight recorder as torch's periodic dump prints it: tables of torch's own analysis (torch 2.13, `fr_trace_*`).

There are no times, and states only of one rank a collective, so nothing can be matched anew: the rows are kept as text,
and what torch's analysis found is passed on as its word. Columns are told apart by blanks alone; a table that is not
unambiguous is left out with the reason.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..plain_text import plain
from ..ranksets import MAX_RANK, RankSet, ranks_said
from .periodic_parts import read_head

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "MOST_ROWS",
    "NOT_JUDGED",
    "PlainTable",
    "RecorderTables",
    "TableError",
    "read_recorder_tables",
    "read_table",
]

NOT_JUDGED = (
    "torch's printed tables have no times and no state of each rank: who waits for whom can't be judged from them; "
    "dumps of the recorder itself (JSON or pickle) can be"
)
"""What limits such a file."""
MOST_ROWS = 100_000
"""Rows of one table that are read."""
FOUND_NAMED = 20
"""Collectives with a fault by torch's analysis that are told one by one."""
_CELL_LIMIT = 4_000

_TITLES = {
    "FR Trace": "fr_trace_json",
    "FR Trace NCCL": "dump_nccl_trace_json",
    "TorchComms FR Trace": "torchcomms_fr_trace_json",
}
"""Headings and the handler that gave the data."""
_TABLES = ("Groups", "Memberships", "Collectives", "NCCL Calls")
_HEADING = re.compile(r"(===|---) (.+) \1")
_GAP = re.compile(rb"\x00{2,}")
_RANKS = re.compile(r"\{(\d{1,7}(?:, \d{1,7})*)\}")
_ODD_RANK = re.compile(r"[{ ](\d{1,7}): Collective\(")
_KIND = re.compile(r"Error type: (\w+)")


class TableError(ValueError):
    """The columns of a table can't be told apart; the message says why."""


@dataclass(frozen=True, slots=True)
class PlainTable:
    """One printed table; all cells are text as it came, cut."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def column(self, name: str) -> tuple[str, ...]:
        """The cells of a column; empty when there is no such column."""
        if name not in self.columns:
            return ()
        at = self.columns.index(name)
        return tuple(row[at] for row in self.rows)


@dataclass(frozen=True, slots=True)
class RecorderTables:
    """What torch printed of one kind of flight recorder."""

    source: str
    """The handler that gave the data: `fr_trace_json`, `dump_nccl_trace_json`, `torchcomms_fr_trace_json`."""
    tables: Mapping[str, PlainTable]
    """By torch's name: Groups, Memberships, Collectives, NCCL Calls."""
    errors: Mapping[int, str] = field(default_factory=dict)
    """Ranks that did not answer and why, one plain line each; torch says it of the first recorder of a file only."""
    notes: tuple[str, ...] = ()
    """What torch's analysis found and what could not be read, one plain line each."""


def read_recorder_tables(data: bytes) -> tuple[RecorderTables, ...]:
    """The recorders in one `fr_trace_*` or `torchcomms_fr_trace_*` file, in its order."""
    reasons, _, start = read_head(data)
    errors = {rank: plain(said) or "no reason given" for rank, said in reasons.items() if rank <= MAX_RANK}
    sections: list[tuple[str, dict[str, list[str]], list[str]]] = []
    lines: list[str] | None = None
    for raw in data[start:].decode("utf-8", errors="backslashreplace").split("\n"):
        line = raw.removesuffix("\r")
        heading = _HEADING.fullmatch(line)
        if heading is not None and heading[1] == "===" and heading[2] in _TITLES:
            sections.append((_TITLES[heading[2]], {}, lines := []))
        elif heading is not None and sections and heading[2] in _TABLES and heading[2] not in sections[-1][1]:
            lines = sections[-1][1][heading[2]] = []
        elif lines is not None and line.strip():
            lines.append(line)
    return tuple(
        _read_section(source, tables, said, {} if number else errors)
        for number, (source, tables, said) in enumerate(sections)
    )


def _read_section(
    source: str, printed: Mapping[str, Sequence[str]], said: Sequence[str], errors: Mapping[int, str]
) -> RecorderTables:
    tables: dict[str, PlainTable] = {}
    notes = [f"torch wrote: {plain(line, 200)}" for line in said[:3]]
    for name, lines in printed.items():
        try:
            tables[name] = read_table(lines)
        except TableError as error:
            notes.append(f"table {name} is left out: {error}")
        if len(lines) > MOST_ROWS + 1:
            notes.append(f"table {name}: only the first {MOST_ROWS:,} rows are read")
    if "Collectives" in tables:
        notes += _found_by_torch(tables["Collectives"])
    if tables:
        notes.append(NOT_JUDGED)
    return RecorderTables(source, tables, errors, tuple(notes))


def read_table(lines: Sequence[str]) -> PlainTable:
    """One table as tabulate prints it in its form `plain`: a line of column names, then a line for each row.

    Args:
        lines: header and rows, no blank lines.

    Raises:
        TableError: the columns can't be told apart.
    """
    if not lines:
        raise TableError("it has no header")
    lines = lines[: MOST_ROWS + 1]
    width = max(map(len, lines))
    inked = 0
    for line in lines:
        inked |= int.from_bytes(_inked(line), "little")
    bounds = _columns(inked.to_bytes(width, "little"), lines[0])
    columns = tuple(lines[0][start:stop].strip() for start, stop in bounds)
    rows = []
    for line in lines[1:]:
        row = tuple(line[start:stop].strip()[:_CELL_LIMIT] for start, stop in bounds)
        if not row[0]:
            raise TableError("a row has no first cell, so a cell may hold a line break")
        rows.append(row)
    return PlainTable(columns, tuple(rows))


_INK = bytes(0 if code == 32 else 1 for code in range(256))


def _inked(line: str) -> bytes:
    """One byte a character: 0 for a blank, 1 for anything else."""
    if line.isascii():
        return line.encode("ascii").translate(_INK)
    if any(unicodedata.east_asian_width(char) in "WF" or unicodedata.combining(char) for char in line):
        raise TableError("it has characters whose width is not that of one column")
    return bytes(char != " " for char in line)


def _columns(inked: bytes, header: str) -> list[tuple[int, int]]:
    """Where each column begins and ends: between two blanks or more that all lines have in common.

    A cell may hold such blanks itself. Then a piece has no column name above it and belongs to the column on its left:
    names stand at the left of text, and numbers have no blanks.
    """
    pieces: list[tuple[int, int]] = []
    start = len(inked) - len(inked.lstrip(b"\x00"))
    for gap in _GAP.finditer(inked, start):
        pieces.append((start, gap.start()))
        start = gap.end()
    if start < len(inked):
        pieces.append((start, len(inked)))
    bounds: list[tuple[int, int]] = []
    for begin, end in pieces:
        name = header[begin:end].strip()
        if " " in name:
            raise TableError(f"the columns {plain(name, 80)} run into each other")
        if name:
            bounds.append((begin, end))
        elif not bounds:
            raise TableError("there is text left of the first column")
        else:
            bounds[-1] = (bounds[-1][0], end)
    if not bounds:
        raise TableError("it has no header")
    return bounds


def _found_by_torch(table: PlainTable) -> list[str]:
    """What torch's analysis says of collectives that lack ranks or in which ranks differ."""
    told: list[str] = []
    more = 0
    for row in table.rows:
        cells = dict(zip(table.columns, row, strict=True))
        missing = _ranks(cells.get("missing_ranks", ""))
        odd = RankSet(
            rank
            for found in _ODD_RANK.findall(cells.get("mismatch_collectives", ""))
            if (rank := int(found)) <= MAX_RANK
        )
        if not missing and cells.get("pass_check") != "False":
            continue
        if len(told) >= FOUND_NAMED:
            more += 1
            continue
        name, number = cells.get("collective_name", "a call"), cells.get("collective_seq_id", "?")
        call = plain(f"{name} #{number} of {cells.get('pg_desc', '?')}", 200)
        said = [f"without {ranks_said(missing)}"] if missing else []
        if cells.get("pass_check") == "False":
            kind = _KIND.search(cells.get("type_of_mismatch", ""))
            differ = f"{ranks_said(odd, 'differs', 'differ')}" if odd else "its ranks differ"
            said.append(differ + (f" ({kind[1]})" if kind else ""))
        told.append(f"torch's own analysis says: {call} {', '.join(said)}")
    if more:
        told.append(f"torch's own analysis says so of {more:,} more collectives")
    return told


def _ranks(cell: str) -> RankSet:
    found = _RANKS.fullmatch(cell)
    return RankSet(rank for one in found[1].split(", ") if (rank := int(one)) <= MAX_RANK) if found else RankSet()
