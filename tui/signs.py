"""Every sign beyond ASCII that the screens draw, and what stands for it on a terminal that knows ASCII alone.

The signs are written as they are where they are drawn; `AsciiSigns` replaces them at the end, when a line is painted.
Each takes as many terminal cells as its stand-in, so nothing moves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from textual.filter import LineFilter

if TYPE_CHECKING:
    from textual.color import Color

__all__ = ["STAND_INS", "AsciiSigns", "in_ascii"]

STAND_INS = {
    "…": "~",  # a text is cut
    "‹": "<",
    "›": ">",
    "«": "<",
    "»": ">",
    "←": "<",
    "↑": "^",
    "→": ">",
    "↓": "v",
    "⇧": "^",
    "▲": "^",
    "▼": "v",
    "▶": ">",
    "◀": "<",
    "·": ".",
    "•": "*",
    "×": "x",
    "≠": "#",
    "µ": "u",
    "—": "-",
    "–": "-",
    "“": '"',
    "”": '"',
    "°": "o",
    "±": "+",
    # levels
    "▁": "_",
    "▂": "_",
    "▃": ".",
    "▄": "-",
    "▅": "=",
    "▆": "*",
    "▇": "%",
    "█": "#",
    "▉": "#",
    "▊": "#",
    "▋": "=",
    "▌": "=",
    "▍": "-",
    "▎": "-",
    "▏": "|",
    "▐": "|",
    "▔": "-",
    "▕": "|",
    "▀": "-",
    "░": ":",
    "▒": "&",
    "▓": "#",
    "◆": "@",
    # lines
    "━": "=",
    "─": "-",
    "┄": "~",
    "│": "|",
    "┃": "|",
    "╷": "|",
    "╵": "|",
    "╶": "-",
    "╴": "-",
    "╸": "-",
    "╺": "-",
    "╭": "+",
    "╮": "+",
    "╯": "+",
    "╰": "+",
    "┌": "+",
    "┐": "+",
    "└": "`",
    "┘": "+",
    "├": "|",
    "┤": "|",
    "┬": "+",
    "┴": "+",
    "┼": "+",
    "┏": "+",
    "┓": "+",
    "┗": "`",
    "┛": "+",
    "┣": "|",
    "┫": "|",
    "╋": "+",
    "═": "=",
    "║": "|",
    "╔": "+",
    "╗": "+",
    "╚": "`",
    "╝": "+",
    "╠": "|",
    "╣": "|",
}
"""One character of ASCII for each sign of ours and of Textual's widgets: borders, guides, scroll bars, arrows."""

UNKNOWN = "?"
"""Stands for a letter or sign that is not ours, once for each terminal cell of it."""

_TABLE = str.maketrans(STAND_INS)


def in_ascii(text: str) -> str:
    """A text in ASCII that takes as many terminal cells."""
    if text.isascii():
        return text
    text = text.translate(_TABLE)
    if text.isascii():
        return text
    return "".join(char if char.isascii() else UNKNOWN * cell_len(char) for char in text)


class AsciiSigns(LineFilter):
    """Lines as they leave for a terminal without UTF-8."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - Textual's
        return [Segment(in_ascii(text), style, control) for text, style, control in segments]
