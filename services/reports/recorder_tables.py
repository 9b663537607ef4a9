"""The flight recorder's tables as text: Groups, Memberships, Collectives and NCCL calls, torch's column names."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from ..flight_recorder.tables import (
    CollectivesTable,
    GroupsTable,
    MembershipsTable,
    NCCLCallsTable,
    rows_of,
)
from ..plain_text import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..flight_recorder.analysis import Analysis
    from ..flight_recorder.tables import Table
    from ..looks.recorders import RecorderLook

__all__ = ["TABLE_FORMATS", "render_tables"]

TABLE_FORMATS = ("plain", "github", "html", "csv", "json")
"""Plain, github and html are drawn by tabulate."""
_CELL = 120
"""Characters of a cell in the drawn forms; csv and json hold all."""


def render_tables(look: RecorderLook, style: str) -> str:
    """All tables of a look, one set for each recorder that had something.

    Args:
        look: the analysed look.
        style: one of `TABLE_FORMATS`.
    """
    sets = {source: _tables(diagnosis.analysis) for source, diagnosis in look.diagnoses.items()}
    if style == "json":
        made = {
            source: {
                name: [dict(zip(table.columns, row, strict=True)) for row in rows_of(table)]
                for name, table in tables.items()
            }
            for source, tables in sets.items()
        }
        return json.dumps(made, indent=2, ensure_ascii=True, default=str) + "\n"
    parts = [
        _drawn(f"{name} ({source})" if len(sets) > 1 else name, table, style)
        for source, tables in sets.items()
        for name, table in tables.items()
    ]
    return "\n".join(parts) if parts else "no flight recorder has anything\n"


def _tables(analysis: Analysis) -> Mapping[str, Table]:
    collectives = CollectivesTable(analysis)
    return {
        "Groups": GroupsTable(analysis),
        "Memberships": MembershipsTable(analysis),
        "Collectives": collectives,
        "NCCL calls": NCCLCallsTable(analysis, collectives),
    }


def _records(table: Table) -> list[dict[str, Any]]:
    return [dict(zip(table.columns, row, strict=True)) for row in rows_of(table)]


def _drawn(title: str, table: Table, style: str) -> str:
    if style == "csv":
        written = io.StringIO()
        writer = csv.writer(written, lineterminator="\n")
        writer.writerow([f"# {title}"])
        writer.writerow(table.columns)
        writer.writerows([_whole(_text(cell)) for cell in row] for row in rows_of(table))
        return written.getvalue()
    from tabulate import tabulate

    rows = [[plain(_text(cell), _CELL) for cell in row] for row in rows_of(table)]
    drawn = tabulate(rows, headers=table.columns, tablefmt=style, disable_numparse=True)
    heading = {"github": f"## {title}\n\n", "html": f"<h2>{title}</h2>\n"}.get(style, f"{title}\n")
    return f"{heading}{drawn}\n"


def _text(cell: Any) -> str:
    """A cell in one line. A spreadsheet takes no cell for a formula: what begins like one gets a blank before it."""
    if cell is None:
        return ""
    if isinstance(cell, list | tuple):
        return " < ".join(_frame(one) for one in cell) if cell and isinstance(cell[0], dict) else str(list(cell))
    text = str(cell)
    return f" {text}" if text[:1] in "=+-@" and not text.lstrip("-").isdecimal() else text


def _whole(text: str) -> str:
    """Made plain however long it is: CSV is read on a terminal too."""
    return plain(text, len(text))


def _frame(frame: Mapping[str, Any]) -> str:
    return f"{frame.get('name', '?')} ({frame.get('filename', '?')}:{frame.get('line', '?')})"
