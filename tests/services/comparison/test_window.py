"""A window on the values of an array."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from xpudbg.services.comparison.elements import Elements
from xpudbg.services.comparison.errors import ComparisonError
from xpudbg.services.comparison.window import Plane, format_number, window

CUBE = np.arange(24).reshape(2, 3, 4)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 5), st.integers(0, 5), st.integers(0, 5), st.integers(0, 5), st.permutations((0, 1, 2)))
def test_cells_of_any_plane(row: int, column: int, height: int, width: int, axes: list[int]) -> None:
    plane = Plane(axes[0], axes[1], (1, 1, 1))
    found = window(CUBE, row, column, height, width, plane=plane)
    whole = np.moveaxis(CUBE, axes, (0, 1, 2))[..., 1]
    assert (found.rows, found.columns) == whole.shape
    want = whole[row : row + height, column : column + width]
    assert [list(line) for line in found.cells] == [[str(value) for value in line] for line in want.tolist() if line]
    for down, line in enumerate(found.cells):
        for across, text in enumerate(line):
            assert str(CUBE[found.element(down, across, plane)]) == text


def test_the_usual_plane_runs_through_an_element() -> None:
    assert window(CUBE, 0, 1, 1, 2, plane=Plane.of(CUBE.shape, (1, 2, 3))).cells == (("13", "14"),)
    assert window(CUBE, 0, 0, 1, 1).cells == (("0",),)


def test_fewer_than_two_axes() -> None:
    assert window(np.arange(5), 0, 3, 9, 9).cells == (("3", "4"),)
    assert window(np.array(7), 0, 0, 5, 5).cells == (("7",),)
    assert window(np.zeros((0, 4)), 0, 0, 5, 5).cells == ()


def test_only_the_window_is_read() -> None:
    # An array of 8 TB without memory: anything that copies or goes through it ends the test.
    huge = np.broadcast_to(np.float32(1.5), (1 << 20, 1 << 21))
    assert window(huge, (1 << 20) - 1, 0, 2, 2).cells == (("1.5", "1.5"),)


TEXTS: list[tuple[NDArray[Any], str]] = [
    (np.array(0.1, np.float32), "0.1"),
    (np.array(0.1, np.float64), "0.1"),
    (np.array(0.1, np.float16), "0.1"),
    (np.array(0.1, ml_dtypes.bfloat16), "0.1"),
    (np.array(3e38, ml_dtypes.bfloat16), "3e+38"),
    (np.array(0.1, ml_dtypes.float8_e4m3fn), "0.1"),
    (np.array(1 / 3, np.float32), "0.33333334"),
    (np.array(-0.0, np.float32), "-0"),
    (np.array(2.0, np.float32), "2"),
    (np.array(np.nan, ml_dtypes.bfloat16), "nan"),
    (np.array(-np.inf), "-inf"),
    (np.array(2**63, np.uint64), "9223372036854775808"),
    (np.array(-3, ml_dtypes.int4), "-3"),
    (np.array(True), "True"),
    (np.array(1 - 2.5j, np.complex64), "1-2.5j"),
    (np.array(complex(0.1, -0.0)), "0.1-0j"),
]


@pytest.mark.parametrize(("array", "text"), TEXTS, ids=[f"{array.dtype.name} {text}" for array, text in TEXTS])
def test_numbers_as_text(array: NDArray[Any], text: str) -> None:
    elements = Elements(array)
    assert format_number(elements.at(0), elements) == text
    assert window(array.astype(array.dtype), 0, 0, 1, 1).cells == ((text,),)


def test_complex32_and_digits() -> None:
    pairs = np.array([[[0.1, 2], [3, 4]]], np.float16)
    assert window(pairs, 0, 0, 5, 5, logical="complex32").cells == (("0.1+2j", "3+4j"),)
    assert window(np.array([[np.pi]]), 0, 0, 1, 1, digits=3).cells == (("3.14",),)


PLANES = {
    "one axis twice": Plane(0, 0, (0, 0, 0)),
    "no such axis": Plane(0, 3, (0, 0, 0)),
    "beyond the end": Plane(0, 1, (0, 0, 4)),
    "too few": Plane(1, 2, (0, 0)),
    "beyond the end of a fixed one": Plane(None, 2, (0, 3, 0)),
}


@pytest.mark.parametrize("plane", PLANES.values(), ids=PLANES)
def test_a_plane_that_does_not_fit(plane: Plane) -> None:
    with pytest.raises(ComparisonError, match="does not lie in an array of shape"):
        window(CUBE, 0, 0, 1, 1, plane=plane)


def test_a_negative_window() -> None:
    with pytest.raises(ComparisonError, match="negative"):
        window(CUBE, 0, 0, -1, 1)
