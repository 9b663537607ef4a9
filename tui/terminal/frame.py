"""What stands on the terminal, so that only what changes is sent.

Textual sends every region that a widget has asked to be painted anew, whether or not it looks the same: a table of
which one row has changed is sent whole. Over a slow line that is what is felt, and terminals flicker by it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.style import Style
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate

from ..signs import STAND_INS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console
    from rich.segment import Segment
    from textual.strip import Strip

__all__ = ["Frame"]

NEAR = 12
"""Cells that stay as they are between two that change, up to which they are sent too: moving there costs as much."""
_NOTHING = Style()


class _Row:
    """One line of the terminal."""

    __slots__ = ("chars", "styles")

    def __init__(self, width: int) -> None:
        self.chars: list[str | None] = [None] * width
        """By cell; "" for the second cell of a wide character, None where nobody knows what stands there."""
        self.styles: list[Style] = [_NOTHING] * width


class Frame:
    """Knows each cell that was sent to the terminal."""

    def __init__(self) -> None:
        self._size = (0, 0)
        self._rows: list[_Row] = []

    def forget(self) -> None:
        """Something else has written on the terminal, or it has another size: all of it is sent again."""
        self._size = (0, 0)

    def only_new(self, update: CompositorUpdate, size: tuple[int, int]) -> CompositorUpdate:
        """What of an update is to be sent; found when it is.

        Args:
            size: columns and rows of the terminal.
        """
        return _OnlyNew(self, update, size) if isinstance(update, ChopsUpdate | LayoutUpdate) else update

    def sent(self, update: ChopsUpdate | LayoutUpdate, size: tuple[int, int], console: Console) -> str:
        """The sequence that brings the terminal up to an update, which counts as sent from then on."""
        if size != self._size:
            self._size = size
            self._rows = [_Row(size[0]) for _ in range(size[1])]
        pieces = _of_chops(update) if isinstance(update, ChopsUpdate) else _of_layout(update)
        sequences: list[str] = []
        for x, y, strip in pieces:
            if y < size[1]:
                self._piece(x, y, strip, console, sequences)
        return "".join(sequences)

    def _piece(self, x: int, y: int, strip: Strip, console: Console, sequences: list[str]) -> None:
        row, width = self._rows[y], self._size[0]
        if x + strip.cell_length > width:
            strip = strip.crop(0, max(width - x, 0))
        chars, styles, sure = _cells(strip)
        end = x + len(chars)
        if row.chars[x:end] == chars and row.styles[x:end] == styles:
            return
        whole = not sure or not all(map(_is_sure, row.chars[x:end]))
        runs = [(0, len(chars))] if whole else _runs(row.chars[x:end], chars, row.styles[x:end], styles)
        for start, stop in runs:
            part = strip if (start, stop) == (0, len(chars)) else strip.crop(start, stop)
            sequences.append(f"\x1b[{y + 1};{x + start + 1}H")
            sequences.append(part.render(console))
        row.chars[x:end] = chars
        row.styles[x:end] = styles


class _OnlyNew(CompositorUpdate):
    """An update against what stands on the terminal at the time when it is sent."""

    def __init__(self, frame: Frame, update: ChopsUpdate | LayoutUpdate, size: tuple[int, int]) -> None:
        self._frame = frame
        self._update = update
        self._size = size

    def render_segments(self, console: Console) -> str:
        return self._frame.sent(self._update, self._size, console)


def _of_layout(update: LayoutUpdate) -> Iterator[tuple[int, int, Strip]]:
    """Column, row and strip of the pieces of an update."""
    for y, line in enumerate(update.strips, update.region.y):
        x = update.region.x
        for strip in line:
            yield x, y, strip
            x += strip.cell_length


def _of_chops(update: ChopsUpdate) -> Iterator[tuple[int, int, Strip]]:
    for y, first, last in update.spans:
        for end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
            if strip is not None and x <= last and end > first:
                yield x, y, strip if end <= last else strip.crop(0, last - x)


def _cells(strip: Strip) -> tuple[list[str | None], list[Style], bool]:
    """Characters and styles by cell, and whether each of them surely takes as many cells as is thought."""
    chars: list[str | None] = []
    styles: list[Style] = []
    sure = True
    segment: Segment
    for segment in strip:
        text, style = segment.text, segment.style or _NOTHING
        if text.isascii():
            chars += text
            styles += [style] * len(text)
            continue
        for char in text:
            known = _is_sure(char)
            sure = sure and known
            taken = 1 if known else cell_len(char)
            if taken:
                chars += [char, *[""] * (taken - 1)]
                styles += [style] * taken
            elif chars:  # a mark on the letter before
                chars[-1] = f"{chars[-1]}{char}"
    return chars, styles, sure


def _is_sure(char: str | None) -> bool:
    """Whether a terminal surely gives a character one cell; about others, programs and terminals differ."""
    return not char or char.isascii() or char in STAND_INS


def _runs(
    old: Sequence[str | None], new: Sequence[str | None], was: Sequence[Style], now: Sequence[Style]
) -> list[tuple[int, int]]:
    """First cells and ends of the parts that differ, those near one another as one."""
    runs: list[tuple[int, int]] = []
    for place in range(len(new)):
        if old[place] != new[place] or (was[place] is not now[place] and was[place] != now[place]):
            if runs and place - runs[-1][1] <= NEAR:
                runs[-1] = (runs[-1][0], place + 1)
            else:
                runs.append((place, place + 1))
    return runs
