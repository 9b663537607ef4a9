"""Numbers as a line of small bars, over ranks or over looks: as wide as there is room."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from textual.content import Content

from .painted import Painted, styled
from .text import cell_len, fit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["SparkLine", "SparkPane", "bars"]

BARS = "▁▂▃▄▅▆▇█"
GAP = "·"
"""Stands where no number is known."""
LABEL = 13
"""Terminal cells of what stands before the bars."""
LEAST = 8
"""Terminal cells that the bars keep."""


def bars(values: Sequence[float | None], width: int) -> str:
    """The values as at most `width` bars, the highest of them full; several in one bar count as their highest.

    Args:
        values: None where not known. What is no more than 0 has the lowest bar.
    """
    if width <= 0 or not values:
        return ""
    size = min(width, len(values))
    tops: list[float | None] = []
    for number in range(size):
        start, end = number * len(values) // size, (number + 1) * len(values) // size
        tops.append(max((value for value in values[start:end] if value is not None), default=None))
    highest = max((top for top in tops if top is not None), default=0.0)

    def bar(top: float | None) -> str:
        if top is None:
            return GAP
        if highest <= 0 or top <= 0:
            return BARS[0]
        return BARS[min(math.ceil(top / highest * (len(BARS) - 1)), len(BARS) - 1)]

    return "".join(map(bar, tops))


class SparkLine:
    """One line of the pane."""

    def __init__(self, label: str, values: Sequence[float | None], said: str) -> None:
        """
        Args:
            label: what the values are over.
            values: None where not known.
            said: what the highest bar stands for; from outside it may be.
        """
        self.label = label
        self.values = values
        self.said = said

    def content(self, width: int) -> Content:
        """The line for a width: the words behind the bars go first when it is narrow."""
        room = width - LABEL - cell_len(self.said) - 2
        said = self.said if room >= LEAST else ""
        room = room if said else width - LABEL
        drawn = bars(self.values, room)
        return Content.assemble(
            (fit(self.label, LABEL), "$foreground-muted"), (drawn, "$text-accent"), "  " if said else "", styled(said)
        ).truncate(width)


class SparkPane(Painted):
    """Lines of bars, one below the other."""

    def show(self, lines: Callable[[], Sequence[SparkLine]]) -> None:
        """
        Args:
            lines: makes them, when they are painted.
        """
        self.paint_with(lambda width: Content("\n").join(line.content(width) for line in lines()))
