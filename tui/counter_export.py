"""Writes the wait counters as they are shown to a new CSV file."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from .recorder_export import csv_cell
from .stack_export import create_new

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from ..services.counters.sheet import CounterSheet

__all__ = ["write_counters"]

STEP = 100
"""Rows between two looks at whether to go on."""


def write_counters(
    sheet: CounterSheet,
    rows: NDArray[np.intp],
    columns: NDArray[np.intp],
    folder: Path,
    name: str,
    stopped: Callable[[], bool],
) -> tuple[Path, int]:
    """Write a row a rank, a column a counter, in the order shown; the path and the number of rows written.

    Whole numbers are written whole; what is not known is empty. Names are the full ones.

    Args:
        stopped: asked now and then; the file ends there when it says so.

    Raises:
        OSError: the file cannot be written.
    """
    written = 0
    path, file = create_new(folder, name)
    with io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="") as stream:
        out = csv.writer(stream, lineterminator="\n")
        out.writerow(["rank", *(csv_cell(sheet.names[column]) for column in columns.tolist())])
        for row in rows.tolist():
            if written % STEP == 0 and stopped():
                break
            values = (sheet.value(row, column) for column in columns.tolist())
            out.writerow([int(sheet.ranks[row]), *("" if value is None else repr(value) for value in values)])
            written += 1
    return path, written
