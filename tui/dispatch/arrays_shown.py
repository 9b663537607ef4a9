"""Which arrays a view of values shows, which of their values, and the cells it paints."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from ...services.comparison.array_grid import Mark, differences

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ...services.comparison.array_grid import ArrayGrid, Cells

__all__ = ["ArraysShown", "ValueMode", "cells_of"]


class ValueMode(Enum):
    """Which values the cells hold."""

    ACTUAL = "actual"
    EXPECTED = "expected"
    DIFFERENCE = "difference"


@dataclass(frozen=True, slots=True, eq=False)
class ArraysShown:
    """An array, and what it should be."""

    actual: NDArray[Any]
    logical: str | None = None
    """The logical dtype where the array's own does not say it."""
    expected: NDArray[Any] | None = None
    expected_logical: str | None = None
    actual_name: str = "actual"
    expected_name: str = "expected"
    mark_differing: bool = False
    """Mark values that are not the very same on both sides."""


def cells_of(
    arrays: ArraysShown,
    mode: ValueMode,
    actual: ArrayGrid | None,
    expected: ArrayGrid | None,
    wanted: tuple[int, int, int, int, int],
) -> Cells:
    """The cells of a rectangle, marked where they differ if that is wanted.

    Args:
        actual: None: there are no values.
        expected: None: there is nothing to compare with.
        wanted: plane, first row and column, height and width.
    """
    both = actual is not None and expected is not None and actual.shape == expected.shape
    if both and mode is ValueMode.DIFFERENCE:
        assert actual is not None
        assert expected is not None
        return differences(actual, expected, *wanted)
    grid = expected if mode is ValueMode.EXPECTED else actual
    cells = grid.cells(*wanted) if grid is not None else []
    if not (both and arrays.mark_differing):
        return cells
    assert actual is not None
    assert expected is not None
    made = []
    for ours, apart in zip(cells, differences(actual, expected, *wanted), strict=True):
        row = []
        for (text, mark), (_, other) in zip(ours, apart, strict=True):
            row.append((text, mark) if other is Mark.EQUAL else (f"*{text}", Mark.DIFFERS))
        made.append(row)
    return made
