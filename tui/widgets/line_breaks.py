"""Where lines of prose are broken beside at blanks: within lists of ranks, and never between a number and its unit."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TYPE_CHECKING

from textual.content import Content

from .text import cell_len

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["line_breaks", "with_breaks"]

LIST = re.compile(r"\d[\d\-:]*(?:,\d[\d\-:]*){2,}\D{0,6}")
"""Ranks: `0-7,12,16-30:2`, and what stands behind them without a blank."""
NUMBER = re.compile(r"\(?[+\-]?\d[\d.,]*")
UNIT = re.compile(r"(?:ns|µs|us|ms|s|min|h|%|B|kB|MB|GB|KiB|MiB|GiB|TiB)[.,;:)]*")
LEAST = 12
"""Terminal cells at the end of a line for which a list of ranks is begun there."""


def with_breaks(body: Content, width: int) -> Content:
    """Text with line breaks where `Content.wrap` would not break it well.

    Args:
        width: terminal cells of a line.
    """
    breaks = line_breaks(body.plain, width)
    return Content("\n").join(body.divide(breaks)) if breaks else body


def line_breaks(text: str, width: int) -> list[int]:
    """Places in a text before which a line begins, beside those that blanks lead to.

    A list of ranks begins where there is room for a part of it and goes on behind a comma; so does any word that no
    line holds, on a line of its own. A number goes to the next line with its unit.
    """
    breaks: list[int] = []
    words = [*re.finditer(r"\S+", text)]
    at, end = 0, 0
    for word, following in zip_longest(words, words[1:]):
        _, line, between = text[end : word.start()].rpartition("\n")
        at, end, size = (0 if line else at) + cell_len(between), word.end(), cell_len(word[0])
        parted = following is not None and at + size <= width < at + size + 1 + cell_len(following[0])
        if parted and at and NUMBER.fullmatch(word[0]) and UNIT.fullmatch(following[0]):
            breaks.append(word.start())
            at = 0
        if at + size <= width:
            at += size
        elif LIST.fullmatch(word[0]) and width - at >= LEAST:
            at = _filled(word, at, width, breaks)
        elif size <= width:
            at = size
        else:
            at = _filled(word, 0, width, breaks)
    return breaks


def _filled(word: re.Match[str], at: int, width: int, breaks: list[int]) -> int:
    """Break a word behind commas, and say how much of its last line it takes.

    Args:
        at: terminal cells that are taken of its first line.
        breaks: where the breaks are added.
    """
    for begin, part in _parts(word):
        if at and at + part > width:
            if begin > word.start():
                breaks.append(begin)
            at = 0
        at = min(at + part, width)
    return at


def _parts(word: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Where each part of a word begins, and its terminal cells; a part ends behind a comma."""
    for part in re.finditer(r"[^,]*,|[^,]+", word[0]):
        yield word.start() + part.start(), cell_len(part[0])
