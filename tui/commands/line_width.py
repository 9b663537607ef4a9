"""How wide lines of a table on standard output may be."""

from __future__ import annotations

import shutil
import sys

__all__ = ["line_width"]


def line_width(most: int) -> int:
    """Cells of a line: those of the terminal where standard output is one, and `most` at most; elsewhere `most`.

    The environment's COLUMNS counts before what the terminal says.
    """
    return min(most, shutil.get_terminal_size().columns) if sys.stdout.isatty() else most
