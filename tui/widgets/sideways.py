"""A table scrolled sideways: where scrolling stops, and what is shown of a column that begins out of view. Pure."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.strip import Strip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .text import Align

__all__ = ["GAP", "beside", "cut_at_left"]

GAP = 2
"""Blank cells between columns."""
STRIDE = 8
"""Cells scrolled in a column that is wider than half of what is seen."""


def beside(widths: Sequence[int], room: int, left: int, step: int) -> int:
    """Cells to scroll so that another column is the first one seen.

    Args:
        widths: of the columns that scroll.
        room: cells in which they are seen.
        left: cells that they are scrolled now.
        step: 1 for the next column, -1 for the one before.
    """
    begins = accumulate((own + GAP for own in widths), initial=0)
    others = [begin for begin in list(begins)[:-1] if (begin - left) * step > 0]
    stride = left + step * STRIDE
    nearest = min(others, key=lambda begin: abs(begin - left), default=stride)
    return nearest if abs(nearest - left) <= max(room // 2, STRIDE) else stride


def cut_at_left(
    whole: Strip, seen: Strip, view: tuple[int, int, int], columns: Sequence[tuple[int, Align]], sign: str
) -> Strip:
    """A line without what would mislead at the left edge: a text that begins out of view begins with a sign, of a
    number none of the digits are shown.

    Args:
        whole: all of the line.
        seen: what is in view of it.
        view: cells that stay at the left, cells of the line, cells that the rest is scrolled by.
        columns: width and alignment of those that scroll.
        sign: the ellipsis; without one a text stays as it is.
    """
    fixed, width, left = view
    start, cut = fixed, fixed + left
    for own, align in columns:
        if start < cut < start + own + GAP:
            number = align == "right" and own <= width - fixed
            if not number and not (sign and whole.crop(start, cut).text.strip()):
                return seen
            end = min(fixed + max(start + own - cut, 0), width) if number else fixed + 1
            style = next((segment.style for segment in seen.crop(fixed, fixed + 1)), None)
            said = [Segment(" " * (end - fixed) if number else sign, style)] if end > fixed else []
            return Strip([*seen.crop(0, fixed), *said, *seen.crop(end, width)], width)
        start += own + GAP
    return seen
