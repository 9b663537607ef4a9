"""Writes a table as it is shown to a new CSV file."""

from __future__ import annotations

import csv
import io
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from .stack_export import create_new
from .widgets.text import plain

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .recorder_order import Shown

__all__ = ["csv_cell", "export_name", "write_csv"]

STEP = 1_000
"""Rows between two looks at whether to go on."""
_NUMBER = re.compile(r"[-+]?[0-9][0-9.,]*( ?[a-zµ%]{1,3})?")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


_DATE = re.compile(r"\d{1,4}([-/])\d{1,4}(\1\d{1,4})?", re.ASCII)
"""Ranks `1-7` among them."""


def csv_cell(text: str) -> str:
    """The text of a cell made plain; what a spreadsheet would take for a formula or a date gets an apostrophe before
    it."""
    said = plain(text)
    formula = said.startswith(_FORMULA) and not _NUMBER.fullmatch(said)
    return f"'{said}" if formula or _DATE.fullmatch(said) else said


def export_name(target: str, source: str, table: str, at: int) -> str:
    """`xpudbg-head-0-29500-NCCL-calls-20251009T085320Z.csv`.

    Args:
        target: as it is shown.
        source: name of the recorder.
        table: name of the tab.
        at: when the dumps were taken, ns since the epoch.
    """
    what = re.sub(r"[^A-Za-z0-9]+", "-", f"{target[:60]} {source} {table}").strip("-")
    when = datetime.fromtimestamp(at / 1e9, UTC).strftime("%Y%m%dT%H%M%SZ")
    return f"xpudbg-{what}-{when}.csv"


def write_csv(shown: Shown, folder: Path, name: str, stopped: Callable[[], bool]) -> tuple[Path, int]:
    """Write all rows in the order shown; the path and the number of rows written.

    Args:
        stopped: asked now and then; the file ends there when it says so.

    Raises:
        OSError: the file cannot be written.
    """
    columns = range(len(shown.rows.table.fields))
    cell = shown.rows.table.cell
    written = 0
    path, file = create_new(folder, name)
    with io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="") as stream:
        out = csv.writer(stream, lineterminator="\n")
        out.writerow([field.title for field in shown.rows.table.fields])
        for row in shown.order.tolist():
            if written % STEP == 0 and stopped():
                break
            out.writerow([csv_cell(cell(row, column).text) for column in columns])
            written += 1
    return path, written
