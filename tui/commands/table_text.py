"""Tables on standard output: wrapped to fit a terminal, neither cut nor wrapped where a program reads them."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

__all__ = ["table_text"]

GAP = 2
"""Blank cells between columns."""
PADDING = 2
"""Blank cells that tabulate keeps behind a title."""
LEAST = 12
"""Cells that a column keeps in any terminal."""


def table_text(headers: Sequence[str], rows: Iterable[Sequence[object]], wrapped: Collection[int]) -> str:
    """The lines of a table; all texts are made plain.

    Args:
        wrapped: the columns that may be wrapped where a terminal is too narrow for all; the widest gives way first.
    """
    from tabulate import tabulate

    from ...services.plain_text import plain

    cells = [[plain(str(cell)) for cell in row] for row in rows]
    widths: list[int | None] | None = None
    if sys.stdout is not None and sys.stdout.isatty():
        natural = [max(len(head) + PADDING, *map(len, texts)) for head, *texts in zip(headers, *cells, strict=True)]
        widths = _fitting(natural, wrapped, shutil.get_terminal_size().columns)
    return tabulate(cells, headers=headers, tablefmt="plain", disable_numparse=True, maxcolwidths=widths)


def _fitting(natural: Sequence[int], wrapped: Collection[int], room: int) -> list[int | None]:
    """Widths at which columns are wrapped, None for those that are not."""
    widths = list(natural)
    over = sum(widths) + GAP * (len(widths) - 1) - room
    while over > 0 and wrapped:
        widest = max(wrapped, key=widths.__getitem__)
        others = [widths[column] for column in wrapped if widths[column] < widths[widest]]
        least = max([LEAST, *others])
        same = [column for column in wrapped if widths[column] == widths[widest]]
        step = min(max(over // len(same), 1), widths[widest] - least)
        if step <= 0:
            break
        for column in same:
            widths[column] -= step
        over = sum(widths) + GAP * (len(widths) - 1) - room
    return [width if width < whole else None for width, whole in zip(widths, natural, strict=True)]
