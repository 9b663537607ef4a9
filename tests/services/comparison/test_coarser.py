"""Heat maps made coarser, their scale, and the way back from a cell to an element."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.comparison.coarser import LEVELS, coarser, heat_scale, worst_in_cell
from xpudbg.services.comparison.heatmap import error_heatmap

SHAPES = st.sampled_from([(3, 4), (40, 50), (2, 3, 30, 7), (700,), (5,), (1, 90), (90, 1), ()])


@given(SHAPES, st.integers(1, 12), st.integers(1, 12), st.integers(0, 9))
def test_coarser_is_as_if_made_so_from_the_array(shape: tuple[int, ...], height: int, width: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    expected = rng.random(shape)
    actual = expected + (rng.random(shape) < 0.1) * rng.random(shape)
    small = coarser(error_heatmap(actual, expected, 20, 30), height, width)
    assert small.cells.shape[0] <= height
    assert small.cells.shape[1] <= width
    assert small.row_edges[-1] == small.matrix.rows
    errors = np.full(small.matrix.rows * small.matrix.columns, np.nan)
    errors[: actual.size] = np.abs(actual - expected).reshape(-1)
    matrix = errors.reshape(small.matrix.rows, small.matrix.columns)
    for row in range(small.cells.shape[0]):
        for column in range(small.cells.shape[1]):
            rows = slice(small.row_edges[row], small.row_edges[row + 1])
            columns = slice(small.column_edges[column], small.column_edges[column + 1])
            part = matrix[rows, columns]
            if np.isnan(part).all():
                continue
            assert small.cells[row, column] == np.nanmax(part)
            index = worst_in_cell(small, row, column, actual, expected)
            assert np.abs(actual - expected)[index] == np.nanmax(part)


def test_a_map_that_fits_is_the_same() -> None:
    heat = error_heatmap(np.ones((4, 4)), np.zeros((4, 4)), 4, 4)
    assert coarser(heat, 4, 4) is heat


def test_a_mismatch_is_kept_and_found() -> None:
    expected = np.zeros((64, 64), np.float32)
    actual = expected.copy()
    actual[33, 40] = np.nan
    actual[32, 41] = 7.0
    small = coarser(error_heatmap(actual, expected, 64, 64), 4, 4)
    assert np.argwhere(small.special).tolist() == [[2, 2]]
    assert worst_in_cell(small, 2, 2, actual, expected) == (33, 40)


def test_the_worst_of_a_wide_region_and_of_column_order() -> None:
    expected = np.zeros((2, 300_000), np.float32)
    actual = expected.copy()
    actual[1, 250_001] = 3.0
    heat = error_heatmap(actual, expected, 1, 1)
    assert worst_in_cell(heat, 0, 0, actual, expected) == (1, 250_001)
    assert worst_in_cell(heat, 0, 0, np.asfortranarray(actual), expected) == (1, 250_001)


@pytest.mark.parametrize("logical", ["complex32"])
def test_the_worst_of_pairs(logical: str) -> None:
    expected = np.zeros((4, 4, 2), np.float16)
    actual = expected.copy()
    actual[2, 3, 1] = 1.0
    heat = error_heatmap(actual, expected, 1, 1, logical=logical)
    assert worst_in_cell(heat, 0, 0, actual, expected, logical=logical, expected_logical=logical) == (2, 3)


def test_levels_go_in_steps_of_the_logarithm() -> None:
    errors = np.array([[0.0, 1e-6, 1e-4, 1e-2, 1.0, math.inf]])
    scale = heat_scale(error_heatmap(errors, np.zeros_like(errors), 1, 6))
    assert [scale.level(each) for each in errors[0, :5]] == [0, 1, 2, 4, 5]
    assert len(scale.bounds) == LEVELS
    assert scale.level(1e-30) == 1


def test_equal_errors_have_one_level_and_no_errors_none() -> None:
    ones = np.ones((2, 2))
    assert heat_scale(error_heatmap(ones, ones - 1, 2, 2)).bounds == (1.0,)
    scale = heat_scale(error_heatmap(ones, ones, 2, 2))
    assert scale.bounds == ()
    assert scale.level(0.0) == 0
