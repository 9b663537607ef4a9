"""Large arrays as small grids."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from xpudbg.services.comparison.errors import ComparisonError
from xpudbg.services.comparison.heatmap import Heatmap, error_heatmap, value_heatmap
from xpudbg.services.comparison.matrix import matrix_shape

from .oracles import small_blocks

SHAPES = st.one_of(st.lists(st.integers(1, 7), max_size=3).map(tuple), st.integers(257, 700).map(lambda size: (size,)))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    SHAPES, st.integers(1, 9), st.integers(1, 9), st.sampled_from((1, 3, 8, 1000)), st.booleans(), st.integers(0, 2**32)
)
def test_a_cell_is_the_largest_of_its_region(
    monkeypatch: pytest.MonkeyPatch, shape: tuple[int, ...], height: int, width: int, block: int, turn: bool, seed: int
) -> None:
    small_blocks(monkeypatch, block)
    rng = np.random.default_rng(seed)
    values = rng.normal(size=shape)
    values = np.where(rng.random(shape) < 0.2, np.nan, values)
    array = np.asfortranarray(values) if turn else values
    found = value_heatmap(array, height, width)
    matrix = matrix_shape(shape, values.size)
    padded = np.full(matrix.rows * matrix.columns, -np.inf)
    padded[: values.size] = values.ravel()
    cells = padded.reshape(matrix.rows, matrix.columns)
    assert found.cells.shape == (min(height, matrix.rows), min(width, matrix.columns))
    assert (found.row_edges[-1], found.column_edges[-1]) == (matrix.rows, matrix.columns)
    for row in range(found.cells.shape[0]):
        for column in range(found.cells.shape[1]):
            rows = slice(*found.row_edges[row : row + 2])
            region = cells[rows, slice(*found.column_edges[column : column + 2])].ravel()
            numbers = [value for value in region.tolist() if value > -math.inf]
            shown = float(found.cells[row, column])
            assert shown == max(numbers) if numbers else math.isnan(shown)
            assert found.special[row, column] == np.isnan(region).any()


def test_errors_of_two_arrays() -> None:
    expected = np.zeros((4, 6), np.float32)
    actual = expected.copy()
    actual[0, 0], actual[3, 5], actual[1, 4] = 2, np.nan, -3
    expected[0, 1] = actual[0, 1] = np.inf
    found = error_heatmap(actual, expected, 2, 3)
    assert found.cells.tolist() == [[2.0, 0.0, 3.0], [0.0, 0.0, math.inf]]
    assert found.special.tolist() == [[False, False, False], [False, False, True]]
    assert found.first_element(1, 2) == 2 * 6 + 4
    relative = error_heatmap(actual + 1, expected + 1, 2, 3, measure="relative")
    assert relative.cells[0, 2] == pytest.approx(3.0)


LAID_OUT = [
    ((), (1, 1)),
    ((256,), (1, 256)),
    ((257,), (16, 17)),
    ((2, 3, 4), (6, 4)),
    ((0, 3), (0, 0)),
    ((10**6,), (1000, 1000)),
]


@pytest.mark.parametrize(("shape", "matrix"), LAID_OUT)
def test_how_an_array_is_laid_out(shape: tuple[int, ...], matrix: tuple[int, int]) -> None:
    found = matrix_shape(shape, math.prod(shape))
    assert (found.rows, found.columns) == matrix


def grid(array: np.ndarray, logical: str | None = None) -> Heatmap:
    return value_heatmap(array, 4, 4, logical=logical)


def test_dtypes_and_no_elements() -> None:
    assert grid(np.array([3 + 4j])).cells.tolist() == [[5.0]]
    assert grid(np.array([3, 4], np.float16), "complex32").cells.tolist() == [[5.0]]
    assert grid(np.array([-1.0], ml_dtypes.float8_e5m2)).cells.tolist() == [[-1.0]]
    assert grid(np.array([2**63], np.uint64)).cells.tolist() == [[2.0**63]]
    assert grid(np.zeros((0, 5))).cells.shape == (0, 0)
    assert error_heatmap(np.array([-128], np.int8), np.array([127], np.int8), 1, 1).cells.tolist() == [[255.0]]


def test_what_can_not_be_laid_over_each_other() -> None:
    with pytest.raises(ComparisonError, match="6 elements can't be laid over 5"):
        error_heatmap(np.zeros(6), np.zeros(5), 2, 2)
    with pytest.raises(ComparisonError, match="0 x 5 cells"):
        value_heatmap(np.zeros(6), 0, 5)
