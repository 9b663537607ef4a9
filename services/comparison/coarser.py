"""An error heat map made to fit where it is shown, and the worst element of one of its cells."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .elements import BLOCK, Elements
from .heatmap import Heatmap
from .pairs import pair_up

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["HeatScale", "coarser", "heat_scale", "worst_in_cell"]

LEVELS = 5
SPAN = 1e-8
"""Errors below this share of the largest are of the lowest level."""


def coarser(heat: Heatmap, height: int, width: int) -> Heatmap:
    """The same map with at most height x width cells; the very same object when it fits already."""
    rows, columns = heat.cells.shape
    if rows <= height and columns <= width:
        return heat
    down, across = _starts(rows, height), _starts(columns, width)
    cells = np.fmax.reduceat(np.fmax.reduceat(heat.cells, across, axis=1), down, axis=0)
    special = np.logical_or.reduceat(np.logical_or.reduceat(heat.special, across, axis=1), down, axis=0)
    row_edges = np.append(heat.row_edges[down], heat.row_edges[-1])
    column_edges = np.append(heat.column_edges[across], heat.column_edges[-1])
    return Heatmap(cells, special, heat.matrix, row_edges, column_edges)


def _starts(extent: int, cells: int) -> NDArray[np.int64]:
    count = max(min(extent, cells), 1)
    return np.array([extent * cell // count for cell in range(count)], np.int64)


@dataclass(frozen=True, slots=True)
class HeatScale:
    """Errors to levels, in equal steps of their logarithm."""

    bounds: tuple[float, ...]
    """Lower bound of each level, the lowest first; empty when there is no finite error."""

    def level(self, error: float) -> int:
        """0 for no error, 1 to `len(bounds)`."""
        if not error > 0.0:
            return 0
        return max(sum(error >= bound for bound in self.bounds), 1)


def heat_scale(heat: Heatmap) -> HeatScale:
    """A scale from the smallest to the largest finite error of a map."""
    errors = heat.cells[np.isfinite(heat.cells) & (heat.cells > 0.0)]
    if not errors.size:
        return HeatScale(())
    high = float(errors.max())
    low = max(float(errors.min()), high * SPAN)
    if low >= high:
        return HeatScale((high,))
    step = (math.log(high) - math.log(low)) / LEVELS
    return HeatScale(tuple(low * math.exp(step * level) for level in range(LEVELS)))


def worst_in_cell(
    heat: Heatmap,
    row: int,
    column: int,
    actual: NDArray[Any],
    expected: NDArray[Any],
    *,
    logical: str | None = None,
    expected_logical: str | None = None,
) -> tuple[int, ...]:
    """The index of the element with the largest absolute error in a cell, reading only that cell.

    Raises:
        ComparisonError: the arrays hold no numbers.
    """
    a, e = Elements(actual, logical), Elements(expected, expected_logical)
    first, last = int(heat.row_edges[row]), int(heat.row_edges[row + 1])
    left, right = int(heat.column_edges[column]), int(heat.column_edges[column + 1])
    best, found = -1.0, heat.first_element(row, column)
    for start, stop in _runs(first, last, left, right, heat.matrix.columns, a.size):
        errors = pair_up(a, e, start, stop).absolute
        inside = (np.arange(start, stop) % heat.matrix.columns >= left) & (
            np.arange(start, stop) % heat.matrix.columns < right
        )
        errors = np.where(inside, errors, -1.0)
        place = int(errors.argmax())
        if errors[place] > best:
            best, found = float(errors[place]), start + place
    return a.index(found)


def _runs(first: int, last: int, left: int, right: int, columns: int, size: int) -> list[tuple[int, int]]:
    """Runs of elements in row order that together hold a region: whole rows where they are short, else their parts."""
    if columns <= BLOCK // 16:
        step = BLOCK // columns
        spans = [
            (row * columns + left, (min(row + step, last) - 1) * columns + right) for row in range(first, last, step)
        ]
    else:
        spans = [
            (row * columns + at, row * columns + min(at + BLOCK, right))
            for row in range(first, last)
            for at in range(left, right, BLOCK)
        ]
    return [(start, min(stop, size)) for start, stop in spans if start < size]
