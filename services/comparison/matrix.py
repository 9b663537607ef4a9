"""An array of any rank seen as a matrix: its last axis across, all others down; a long vector folded into rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .elements import BLOCK

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["MatrixShape", "matrix_shape"]


@dataclass(frozen=True, slots=True)
class MatrixShape:
    """rows x columns; the last row may be shorter where a vector is folded."""

    rows: int
    columns: int
    size: int
    """Elements, in row order."""

    def pieces(self) -> Iterator[tuple[int, int, int, int]]:
        """(first row, row behind the last, first column, column behind the last) of parts of at most a block.

        Each part is a run of elements in row order: whole rows, or a part of one.
        """
        full, rest = divmod(self.size, self.columns) if self.columns else (0, 0)
        if self.columns <= BLOCK:
            step = BLOCK // self.columns if self.columns else 1
            for row in range(0, full, step):
                yield row, min(row + step, full), 0, self.columns
        else:
            for row in range(full):
                for column in range(0, self.columns, BLOCK):
                    yield row, row + 1, column, min(column + BLOCK, self.columns)
        for column in range(0, rest, BLOCK):
            yield full, full + 1, column, min(column + BLOCK, rest)


def matrix_shape(shape: tuple[int, ...], size: int) -> MatrixShape:
    """How an array of this shape is laid out as a matrix. A vector of over 256 elements is folded to a square."""
    if size == 0:
        return MatrixShape(0, 0, 0)
    if len(shape) <= 1:
        columns = size if size <= 256 else math.isqrt(size - 1) + 1
        return MatrixShape(-(-size // columns), columns, size)
    return MatrixShape(size // shape[-1], shape[-1], size)
