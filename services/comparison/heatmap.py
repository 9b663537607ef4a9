"""The errors or values of an array of any size as a small grid: the largest of each region."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from .elements import Elements, Kind
from .errors import ComparisonError
from .matrix import MatrixShape, matrix_shape
from .pairs import pair_up
from .totals import relative_errors

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["Heatmap", "error_heatmap", "value_heatmap"]

ErrorMeasure: TypeAlias = Literal["absolute", "relative"]


@dataclass(frozen=True, slots=True)
class Heatmap:
    """A grid of h x w cells over the matrix that `matrix_shape` makes of the array."""

    cells: NDArray[np.float64]
    """float64 [h, w]: the largest error (infinite: a mismatch), or the largest value that is not NaN; NaN where a cell
    holds no number."""
    special: NDArray[np.bool_]
    """bool [h, w]: cells that hold a NaN (values), or a NaN or infinity against something else (errors)."""
    matrix: MatrixShape
    row_edges: NDArray[np.int64]
    """int64 [h + 1]: cell row i covers the matrix rows row_edges[i] to below row_edges[i + 1]."""
    column_edges: NDArray[np.int64]
    """int64 [w + 1]."""

    def first_element(self, row: int, column: int) -> int:
        """Place in row order of the first element of a cell."""
        return int(self.row_edges[row] * self.matrix.columns + self.column_edges[column])


def error_heatmap(
    actual: NDArray[Any],
    expected: NDArray[Any],
    height: int,
    width: int,
    *,
    measure: ErrorMeasure = "absolute",
    logical: str | None = None,
    expected_logical: str | None = None,
) -> Heatmap:
    """The largest error of each region.

    Args:
        actual: the output.
        expected: the golden output, of as many elements.
        height: rows of the grid at most, fewer if the matrix has fewer.
        width: columns of the grid at most.
        measure: `absolute`, or `relative` to abs(expected) + 1e-7.
        logical: logical dtype of `actual` where its own does not say it.
        expected_logical: the same of `expected`; None: as `logical` if the two arrays have one dtype.

    Raises:
        ComparisonError: the arrays differ in size, or hold no numbers.
    """
    if expected_logical is None and expected.dtype == actual.dtype:
        expected_logical = logical
    a, e = Elements(actual, logical), Elements(expected, expected_logical)
    if a.size != e.size:
        raise ComparisonError(f"{a.size:,} elements can't be laid over {e.size:,}")

    def errors(start: int, stop: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        pair = pair_up(a, e, start, stop)
        found = relative_errors(pair) if measure == "relative" else pair.absolute
        apart = np.zeros(found.size, np.bool_)
        apart[pair.special] = pair.absolute[pair.special] > 0
        return found, apart

    return _heatmap(matrix_shape(a.shape, a.size), height, width, errors)


def value_heatmap(array: NDArray[Any], height: int, width: int, *, logical: str | None = None) -> Heatmap:
    """The largest value of each region; of complex numbers the largest magnitude.

    Raises:
        ComparisonError: the array holds no numbers.
    """
    elements = Elements(array, logical)

    def values(start: int, stop: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        block = elements.values(elements.stored(start, stop))
        found = (np.abs(block) if elements.kind is Kind.COMPLEX else block).astype(np.float64)
        return found, np.isnan(found)

    return _heatmap(matrix_shape(elements.shape, elements.size), height, width, values)


def _heatmap(
    matrix: MatrixShape,
    height: int,
    width: int,
    read: Callable[[int, int], tuple[NDArray[np.float64], NDArray[np.bool_]]],
) -> Heatmap:
    if height < 1 or width < 1:
        raise ComparisonError(f"a grid of {height} x {width} cells shows nothing")
    row_edges, column_edges = _edges(matrix.rows, height), _edges(matrix.columns, width)
    cells = np.full((row_edges.size - 1, column_edges.size - 1), np.nan)
    special = np.zeros(cells.shape, np.bool_)
    for row, row_end, column, column_end in matrix.pieces():
        start = row * matrix.columns + column
        values, marked = read(start, start + (row_end - row) * (column_end - column))
        rows, row_starts = _within(row_edges, row, row_end)
        columns, column_starts = _within(column_edges, column, column_end)
        shape = (row_end - row, column_end - column)
        largest = np.fmax.reduceat(np.fmax.reduceat(values.reshape(shape), column_starts, axis=1), row_starts)
        cells[rows, columns] = np.fmax(cells[rows, columns], largest)
        if marked.any():
            some = np.logical_or.reduceat(np.logical_or.reduceat(marked.reshape(shape), column_starts, 1), row_starts)
            special[rows, columns] |= some
    return Heatmap(cells, special, matrix, row_edges, column_edges)


def _edges(extent: int, cells: int) -> NDArray[np.int64]:
    count = min(extent, cells)
    if not count:
        return np.zeros(1, np.int64)
    return np.array([extent * cell // count for cell in range(count + 1)], np.int64)


def _within(edges: NDArray[np.int64], start: int, stop: int) -> tuple[slice, NDArray[np.int64]]:
    """The cells that a range of rows or columns touches, and where in the range each begins."""
    first = int(np.searchsorted(edges, start, "right")) - 1
    last = int(np.searchsorted(edges, stop, "left"))
    return slice(first, last), np.maximum(edges[first:last] - start, 0)
