"""Cells of an array of any rank: the right values at the right index, and nothing else read."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.comparison.array_grid import FOLD, ArrayGrid, Mark, differences
from xpudbg.services.comparison.errors import ComparisonError

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHAPES = st.lists(st.integers(1, 5), max_size=4).map(tuple) | st.integers(1, 45).map(lambda size: (size,))


def texts(grid: ArrayGrid, plane: int = 0) -> list[list[str]]:
    return [[text for text, _ in row] for row in grid.cells(plane, 0, 0, 100, 100)]


def apart(a: NDArray[Any], e: NDArray[Any]) -> list[tuple[str, Mark]]:
    rows = differences(ArrayGrid(a), ArrayGrid(e), 0, 0, 0, 10, 10)
    return [cell for row in rows for cell in row]


@given(SHAPES)
def test_each_element_has_one_place_and_each_place_its_value(shape: tuple[int, ...]) -> None:
    array = np.arange(math.prod(shape)).reshape(shape)
    grid = ArrayGrid(array)
    seen = []
    for plane in range(grid.planes):
        for row, cells in enumerate(texts(grid, plane)):
            for column, text in enumerate(cells):
                index = grid.index(plane, row, column)
                assert index is not None
                assert grid.place(index) == (plane, row, column)
                assert text == str(array[index]) == grid.exact(index)
                seen.append(int(text))
    assert seen == list(range(array.size))


@given(SHAPES.filter(lambda shape: len(shape) > 1), st.integers(0, 4), st.integers(0, 4), st.integers(0, 6))
def test_a_rectangle_is_cut_to_what_there_is(shape: tuple[int, ...], row: int, column: int, extent: int) -> None:
    array = np.arange(math.prod(shape)).reshape(shape)
    for stored in (array, np.asfortranarray(array)):
        grid = ArrayGrid(stored)
        plane = grid.planes - 1
        wanted = array[grid.plane_index(plane)][row : row + extent, column : column + extent]
        cells = grid.cells(plane, row, column, extent, extent)
        assert [[int(text) for text, _ in line] for line in cells] == wanted.tolist()


def test_a_long_vector_is_folded() -> None:
    grid = ArrayGrid(np.arange(123))
    assert (grid.rows, grid.columns, grid.planes) == (13, FOLD, 1)
    assert grid.index(0, 12, 2) == (122,)
    assert grid.index(0, 12, 3) is None
    assert [text for text, _ in grid.cells(0, 11, 7, 5, 5)[1]] == []
    assert [text for text, _ in grid.cells(0, 12, 0, 5, 5)[0]] == ["120", "121", "122"]


@pytest.mark.parametrize(
    ("array", "logical", "text"),
    [
        (np.array(True), None, "True"),
        (np.array([2**63 + 1], np.uint64), None, "9223372036854775809"),
        (np.array([1 / 3], np.float32), None, "0.333333"),
        (np.array([1 / 3], ml_dtypes.bfloat16), None, "0.33398"),
        (np.array([1.75], ml_dtypes.float8_e4m3fn), None, "1.75"),
        (np.array([-1.5 - 2j], np.complex64), None, "-1.5-2j"),
        (np.array([[1, -0.5]], np.float16), "complex32", "1-0.5j"),
        (np.array([np.nan]), None, "nan"),
        (np.array([-np.inf], np.float16), None, "-inf"),
        (np.array([-1.23456789e-300]), None, "-1.23457e-300"),
        (np.array([b"\xff"], "V1"), "hifloat8", "-1"),
    ],
    ids=["bool", "uint64", "float32", "bfloat16", "float8", "complex64", "complex32", "nan", "-inf", "float64", "code"],
)
def test_dtypes(array: NDArray[Any], logical: str | None, text: str) -> None:
    grid = ArrayGrid(array, logical)
    assert texts(grid) == [[text]]
    assert len(text) <= grid.cell_width


@pytest.mark.parametrize("dtype", [*"?bBhHiIlLefdFD", ml_dtypes.bfloat16, ml_dtypes.float8_e5m2])
def test_no_text_is_wider_than_a_cell(dtype: Any) -> None:
    raw = np.random.default_rng(0).integers(0, 256, 4096, np.uint8)
    array = (raw & 1).astype(bool) if dtype == "?" else raw.view(dtype)
    grid = ArrayGrid(array)
    assert max(len(text) for row in grid.cells(0, 0, 0, 1000, FOLD) for text, _ in row) <= grid.cell_width


def test_special_values_are_marked() -> None:
    marks = [mark for _, mark in ArrayGrid(np.array([0.0, np.nan, np.inf, 1.0])).cells(0, 0, 0, 1, 4)[0]]
    assert marks == [Mark.NONE, Mark.SPECIAL, Mark.SPECIAL, Mark.NONE]
    assert ArrayGrid(np.array([complex(0, np.nan)])).cells(0, 0, 0, 1, 1) == [[("0+nanj", Mark.SPECIAL)]]


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3), (2, 0, 3)])
def test_an_empty_array_has_no_plane(shape: tuple[int, ...]) -> None:
    grid = ArrayGrid(np.empty(shape))
    assert grid.planes == 0
    assert grid.cells(0, 0, 0, 5, 5) == []
    assert grid.index(0, 0, 0) is None


def test_what_holds_no_numbers_is_refused() -> None:
    with pytest.raises(ComparisonError, match="only numbers"):
        ArrayGrid(np.array(["text"]))


def test_differences_of_whole_numbers_are_exact() -> None:
    big = np.array([2**63 - 1, -(2**63), 5], np.int64)
    assert apart(big, np.array([2**63 - 2, 2**63 - 1, 5], np.int64)) == [
        ("+1", Mark.DIFFERS),
        (f"-{2**64 - 1}", Mark.DIFFERS),
        ("=", Mark.EQUAL),
    ]
    assert apart(np.array([True]), np.array([False])) == [("+1", Mark.DIFFERS)]


def test_differences_of_floats_and_what_is_not_finite() -> None:
    a = np.array([1.5, np.nan, np.nan, np.inf, np.inf, -np.inf], np.float32)
    e = np.array([1.25, np.nan, 2.0, np.inf, 3.0, np.inf], np.float64)
    assert [text for text, _ in apart(a, e)] == ["+0.25", "=", "nan/2", "=", "inf/3", "-inf/inf"]
    assert [mark for _, mark in apart(a, e)][1:4] == [Mark.EQUAL, Mark.SPECIAL, Mark.EQUAL]


def test_differences_of_complex_numbers() -> None:
    assert apart(np.array([1 + 2j]), np.array([1 + 1j])) == [("+0+1j", Mark.DIFFERS)]
