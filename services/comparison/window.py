"""A window on the values of an array: a rectangle of a two-dimensional slice, as text. The rest is not touched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..plain_text import plain
from .elements import Elements
from .errors import ComparisonError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Plane", "Window", "format_number", "window"]


@dataclass(frozen=True, slots=True)
class Plane:
    """Which two axes are looked at, and where the others stand.

    Args of `Plane.of` fill in what is usual: the last axis across, the one before it down, the others at 0.
    """

    row_axis: int | None
    """None: the array has fewer than two axes, and there is one row."""
    column_axis: int | None
    """None: the array has no axis, and there is one value."""
    index: tuple[int, ...]
    """One number for each axis; those of the two axes are not used."""

    @classmethod
    def of(cls, shape: tuple[int, ...], index: tuple[int, ...] | None = None) -> Plane:
        """The plane of the last two axes through an element; through the first one when no index is given."""
        rank = len(shape)
        return cls(
            rank - 2 if rank > 1 else None,
            rank - 1 if rank else None,
            index if index is not None else (0,) * rank,
        )


@dataclass(frozen=True, slots=True)
class Window:
    """Cells of a plane as text, cut to what there is."""

    cells: tuple[tuple[str, ...], ...]
    first_row: int
    first_column: int
    rows: int
    """Of the whole plane."""
    columns: int

    def element(self, row: int, column: int, plane: Plane) -> tuple[int, ...]:
        """The array's index of a cell, counted from the window's corner."""
        index = list(plane.index)
        if plane.row_axis is not None:
            index[plane.row_axis] = self.first_row + row
        if plane.column_axis is not None:
            index[plane.column_axis] = self.first_column + column
        return tuple(index)


def window(
    array: NDArray[Any],
    first_row: int,
    first_column: int,
    height: int,
    width: int,
    *,
    plane: Plane | None = None,
    logical: str | None = None,
    digits: int | None = None,
) -> Window:
    """Format the cells from (first_row, first_column), at most height x width of them.

    Args:
        array: of any rank, memory order and dtype, mapped from a file or not.
        first_row: along the plane's row axis; beyond the end gives no cells.
        first_column: along its column axis.
        height: cells down.
        width: cells across.
        plane: None: `Plane.of` the array's shape.
        logical: the logical dtype where the array's own does not say it.
        digits: significant digits of floats; None: as few as tell the value from its neighbours.

    Raises:
        ComparisonError: the array holds no numbers, or the plane does not fit it.
    """
    elements = Elements(array, logical)
    shape = elements.shape
    at = plane or Plane.of(shape)
    _check(at, shape)
    if first_row < 0 or first_column < 0 or height < 0 or width < 0:
        raise ComparisonError("a window begins at 0 or later and has no negative size")
    rows = shape[at.row_axis] if at.row_axis is not None else 1
    columns = shape[at.column_axis] if at.column_axis is not None else 1
    cut: list[int | slice] = list(at.index)
    if at.row_axis is not None:
        cut[at.row_axis] = slice(first_row, min(first_row + height, rows))
    if at.column_axis is not None:
        cut[at.column_axis] = slice(first_column, min(first_column + width, columns))
    shown = (max(min(height, rows - first_row), 0), max(min(width, columns - first_column), 0))
    if not all(shown):
        return Window((), first_row, first_column, rows, columns)
    part = elements.array[tuple(cut)]  # keeps the pairs of complex32
    if at.row_axis is not None and at.column_axis is not None and at.row_axis > at.column_axis:
        part = np.swapaxes(part, 0, 1)
    few = elements.alike(np.ascontiguousarray(part))
    texts = [format_number(few.at(place), few, digits) for place in range(few.size)]
    cells = tuple(tuple(texts[row * shown[1] : (row + 1) * shown[1]]) for row in range(shown[0]))
    return Window(cells, first_row, first_column, rows, columns)


def format_number(value: bool | int | float | complex, elements: Elements, digits: int | None = None) -> str:
    """A value as text: whole numbers in full, floats with as few digits as tell them from their dtype's others.

    Args:
        value: as `Elements.at` gives it.
        elements: where it is from.
        digits: significant digits of floats instead.
    """
    if isinstance(value, bool | int):
        return str(value)
    if isinstance(value, complex):
        part = np.dtype(f"f{elements.array.dtype.itemsize // 2}") if elements.dtype != "complex32" else np.dtype("f2")
        sign = "-" if np.copysign(1.0, value.imag) < 0 else "+"
        return f"{_float(value.real, part, digits)}{sign}{_float(abs(value.imag), part, digits)}j"
    return _float(value, elements.array.dtype, digits)


def _float(value: float, dtype: np.dtype[Any], digits: int | None) -> str:
    if digits is not None or not np.isfinite(value):
        return f"{value:.{digits or 6}g}"
    if dtype.kind == "f":
        return str(dtype.type(value)).removesuffix(".0")
    for count in range(1, 17):
        text = f"{value:.{count}g}"
        if float(dtype.type(float(text))) == value:
            return text
    return repr(value)


def _check(plane: Plane, shape: tuple[int, ...]) -> None:
    rank = len(shape)
    axes = [axis for axis in (plane.row_axis, plane.column_axis) if axis is not None]
    fixed = [axis for axis in range(rank) if axis not in axes]
    fits = len(plane.index) == rank and len(set(axes)) == len(axes) and all(0 <= axis < rank for axis in axes)
    if not fits or not all(0 <= plane.index[axis] < shape[axis] for axis in fixed):
        raise ComparisonError(f"{plain(str(plane), 200)} does not lie in an array of shape {shape}")
