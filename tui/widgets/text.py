"""Texts in terminal cells: cut and padded to a width, wide characters counted as two.

Making text from outside safe to paint is `services.plain_text.plain`; its names are at hand here too.
"""

from __future__ import annotations

import textwrap
from typing import Literal

from rich.cells import cell_len, set_cell_size

from ...services.plain_text import LINE_LIMIT, plain, plain_lines

__all__ = ["LINE_LIMIT", "Align", "cell_len", "fit", "plain", "plain_lines", "wrapped", "wrapped_line"]

Align = Literal["left", "right"]


def fit(text: str, width: int, align: Align = "left") -> str:
    """`text` in exactly `width` terminal cells: padded, or cut with an ellipsis. It must be plain already."""
    if width <= 0:
        return ""
    length = len(text) if text.isascii() else cell_len(text)
    if length > width:
        return (text[: width - 1] if text.isascii() else set_cell_size(text, width - 1)) + "…"
    blank = " " * (width - length)
    return blank + text if align == "right" else text + blank


def wrapped_line(text: str, width: int) -> list[str]:
    """A line in pieces of at most `width` terminal cells, cut at blanks where there are any.

    Those after the first stand two further in than it does. It must be plain already.
    """
    if cell_len(text) <= width:
        return [text]
    words = text.lstrip(" ")
    blank = " " * min(len(text) - len(words) + 2, max(width // 2, 0))
    made: list[str] = []
    rest = text
    while cell_len(rest) > width:
        piece = set_cell_size(rest, max(width, len(blank) + 2)).rstrip(" ")
        at = piece.rfind(" ", len(rest) - len(rest.lstrip(" ")))
        if rest[len(piece) : len(piece) + 1] not in ("", " ") and at > 0:
            piece = piece[:at].rstrip(" ")
        made.append(piece)
        rest = blank + rest[len(piece) :].lstrip(" ")
    return [*made, rest] if rest.strip(" ") else made


def wrapped(text: str, line: int, width: int) -> str:
    """The line with number `line` of a sentence that stands where a table has no rows, in exactly `width` cells."""
    lines = textwrap.wrap(text, max(width - 4, 8), max_lines=6, placeholder="…")
    return fit(f"  {lines[line]}" if 0 <= line < len(lines) else "", width)
