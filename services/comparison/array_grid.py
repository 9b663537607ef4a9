"""An array of any rank as a grid of cells, one plane at a time; only the rectangle asked for is read."""

from __future__ import annotations

import math
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from .elements import Elements, Kind
from .window import format_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FOLD", "ArrayGrid", "Cells", "Mark", "differences"]

FOLD = 10
"""Elements in a row of a longer vector."""
DIGITS = {2: 5, 1: 4}
"""Itemsize of floats to the significant digits shown; 6 of wider ones."""
COMPLEX_DIGITS = 4


class Mark(Enum):
    """What a cell's value is, for those who paint it."""

    NONE = "none"
    EQUAL = "equal"
    DIFFERS = "differs"
    SPECIAL = "special"
    """NaN or infinite."""


Cells: TypeAlias = list[list[tuple[str, Mark]]]
"""Rows of cells, each a text and a mark."""


class ArrayGrid:
    """
    Args:
        array: numbers of any rank and dtype, mapped from a file or not.
        logical: the logical dtype where the array's own does not say it.

    Raises:
        ComparisonError: it holds no numbers.
    """

    def __init__(self, array: NDArray[Any], logical: str | None = None) -> None:
        self.elements = Elements(array, logical)
        self.shape = shape = self.elements.shape
        self.folded = len(shape) == 1 and shape[0] > FOLD
        """A vector whose rows are runs of FOLD elements."""
        self.rows, self.columns = 1, shape[-1] if shape else 1
        if self.folded:
            self.rows, self.columns = -(-shape[0] // FOLD), FOLD
        elif len(shape) > 1:
            self.rows = shape[-2]
        self.planes = math.prod(shape[:-2]) if self.elements.size else 0
        size = self.elements.array.dtype.itemsize
        self.digits = COMPLEX_DIGITS if self.elements.kind is Kind.COMPLEX else DIGITS.get(size, 6)
        self.cell_width = self._cell_width()
        """Characters of the longest value, as `cells` writes it."""

    @property
    def dtype(self) -> str:
        return self.elements.dtype

    def index(self, plane: int, row: int, column: int) -> tuple[int, ...] | None:
        """The index of a cell in the array's shape; None where the grid has no element."""
        if not (0 <= plane < self.planes and 0 <= row < self.rows and 0 <= column < self.columns):
            return None
        if self.folded:
            place = row * FOLD + column
            return (place,) if place < self.shape[0] else None
        return (*self.plane_index(plane), *((row, column)[2 - min(len(self.shape), 2) :]))

    def plane_index(self, plane: int) -> tuple[int, ...]:
        """Where a plane stands on the axes before the last two."""
        outer = self.shape[:-2]
        return tuple(int(part) for part in np.unravel_index(plane, outer)) if outer else ()

    def place(self, index: tuple[int, ...]) -> tuple[int, int, int]:
        """(plane, row, column) of an element."""
        if self.folded:
            return 0, *divmod(index[0], FOLD)
        outer = self.shape[:-2]
        plane = int(np.ravel_multi_index(index[:-2], outer)) if outer else 0
        row, column = (0, 0, *index)[-2:]
        return plane, row, column

    def exact(self, index: tuple[int, ...]) -> str:
        """A value with all digits that tell it from others of its dtype."""
        few = self.elements.alike(self.elements.array[self._few(index)])
        return format_number(few.at(0), few)

    def row(self, plane: int, row: int, column: int, width: int) -> Elements:
        """Elements of one row of a plane from a column on, cut to what there is."""
        array = self.elements.array
        if not self.shape:
            return self.elements.alike(array[None])
        if self.folded:
            start = row * FOLD + column
            return self.elements.alike(array[start : min(start + width, row * FOLD + FOLD)])
        cut: tuple[int | slice, ...] = (slice(column, column + width),)
        if len(self.shape) > 1:
            cut = (*self.plane_index(plane), row, *cut)
        return self.elements.alike(array[cut])

    def cells(self, plane: int, row: int, column: int, height: int, width: int) -> Cells:
        """At most height x width cells from (row, column) of a plane on."""
        made: Cells = []
        for at in range(row, min(row + height, self.rows) if self.planes else row):
            few = self.row(plane, at, column, width)
            values = [few.at(place) for place in range(few.size)]
            made.append([(format_number(value, few, self.digits), _mark(value)) for value in values])
        return made

    def _few(self, index: tuple[int, ...]) -> Any:
        """The element with an axis of its own, which complex32 pairs and scalars need."""
        return (*index[:-1], slice(index[-1], index[-1] + 1)) if index else (None,)

    def _cell_width(self) -> int:
        kind, size = self.elements.kind, self.elements.array.dtype.itemsize
        if self.elements.array.dtype == np.bool_:
            return 5
        match kind:
            case Kind.INTEGER | Kind.BITS:
                return {1: 4, 2: 6, 4: 11}.get(size, 20)
            case Kind.COMPLEX:
                return 2 * (self.digits + (7 if size >= 16 else 6)) + 1
            case Kind.FLOAT:  # -1.23457e-10: the digits, two signs, a point, an `e` and the exponent
                return self.digits + (6 if size < 8 else 7 if size == 8 else 8)


def differences(
    actual: ArrayGrid, expected: ArrayGrid, plane: int, row: int, column: int, height: int, width: int
) -> Cells:
    """actual - expected of at most height x width cells of two arrays of one shape; `=` where they are equal.

    Exact for whole numbers. Two NaN are equal, as are infinities of one sign; a NaN or infinity against anything else
    is written as what stands there, `nan/1.5`.
    """
    made: Cells = []
    for at in range(row, min(row + height, actual.rows) if actual.planes else row):
        ours, theirs = actual.row(plane, at, column, width), expected.row(plane, at, column, width)
        made.append([difference(ours, theirs, place) for place in range(ours.size)])
    return made


def difference(ours: Elements, theirs: Elements, place: int) -> tuple[str, Mark]:
    """The text of one difference, and its mark."""
    a, e = ours.at(place), theirs.at(place)
    if a == e or (a != a and e != e):
        return "=", Mark.EQUAL
    if Mark.SPECIAL in (_mark(a), _mark(e)):
        return f"{_short(a)}/{_short(e)}", Mark.SPECIAL
    if isinstance(a, int) and isinstance(e, int):
        return f"{int(a) - int(e):+d}", Mark.DIFFERS
    return f"{a - e:+.4g}", Mark.DIFFERS


def _short(value: bool | int | float | complex) -> str:
    return f"{value:.3g}" if not isinstance(value, bool) else str(value)


def _mark(value: bool | int | float | complex) -> Mark:
    if isinstance(value, bool | int):
        return Mark.NONE
    parts = (value.real, value.imag) if isinstance(value, complex) else (value,)
    return Mark.NONE if all(map(math.isfinite, parts)) else Mark.SPECIAL
