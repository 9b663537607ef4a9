"""What the values of an array are like."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from xpudbg.services.comparison.errors import ComparisonError
from xpudbg.services.comparison.statistics import Statistics, statistics

from .oracles import small_blocks

SPECIALS = (0.0, math.nan, math.inf, -math.inf)
quick = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def blocks_of_three(monkeypatch: pytest.MonkeyPatch) -> None:
    small_blocks(monkeypatch, 3)


@quick
@given(
    st.lists(st.one_of(st.floats(-1e6, 1e6, width=32), st.sampled_from(SPECIALS)), max_size=12),
    st.sampled_from(("float32", "float64", "bfloat16")),
)
def test_floats(values: list[float], dtype: str) -> None:
    array = np.array(values, getattr(ml_dtypes, dtype) if dtype == "bfloat16" else dtype)
    found = statistics(array)
    held = array.astype(np.float64)
    finite = held[np.isfinite(held)]
    assert (found.nan, found.finite) == (np.isnan(held).sum(), finite.size)
    assert (found.plus_inf, found.minus_inf) == ((held == np.inf).sum(), (held == -np.inf).sum())
    assert found.zeros == (finite == 0).sum()
    assert found.dtype == dtype
    if not finite.size:
        assert (found.minimum, found.maximum, found.mean, found.std) == (None, None, None, None)
        return
    assert (found.minimum, found.maximum) == (finite.min(), finite.max())
    assert found.mean == pytest.approx(finite.mean(), rel=1e-9, abs=1e-6)
    assert found.std == pytest.approx(finite.std(), rel=1e-9, abs=1e-6)


@quick
@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=12), st.booleans())
def test_whole_numbers_are_added_up_exactly(values: list[int], unsigned: bool) -> None:
    values = [value + 2**63 for value in values] if unsigned else values
    found = statistics(np.array(values, np.uint64 if unsigned else np.int64))
    assert (found.minimum, found.maximum, found.zeros) == (min(values), max(values), values.count(0))
    assert found.mean == float(Fraction(sum(values), len(values)))
    assert found.std == pytest.approx(float(np.std(np.array(values, np.float64))), rel=1e-9, abs=1e4)


SAME = Statistics("", (2, 3), 6, 0, 5, 2.5, float(np.std(np.arange(6))), 1, 0, 0, 0)


@pytest.mark.parametrize("dtype", ["int8", "uint16", ">i4", "float16", ">f8", "longdouble"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_dtypes_and_memory_orders(dtype: str, order: Any) -> None:
    found = statistics(np.arange(6).reshape(2, 3).astype(dtype, order=order))
    assert found == Statistics(found.dtype, *(getattr(SAME, name) for name in Statistics.__slots__[1:]))


def test_complex_numbers_by_magnitude() -> None:
    found = statistics(np.array([3 + 4j, 0j, complex(math.nan, 1), complex(-math.inf, 0)]))
    assert (found.minimum, found.maximum, found.mean, found.zeros) == (0.0, 5.0, 2.5, 1)
    assert (found.nan, found.plus_inf, found.minus_inf, found.finite) == (1, 1, 0, 2)
    halves = statistics(np.array([[3, 4], [0, 0]], np.float16), logical="complex32")
    assert (halves.shape, halves.mean, halves.dtype) == ((2,), 2.5, "complex32")


def test_no_loss_beside_a_large_mean() -> None:
    found = statistics(np.array([1e9 + each for each in (4, 7, 13, 16)]))
    assert found.std == pytest.approx(math.sqrt(22.5))


def test_numbers_whose_sum_is_beyond_float64() -> None:
    found = statistics(np.full(7, 1.5e308))
    assert (found.mean, found.std) == (1.5e308, 0.0)


def test_truth_values_and_nothing() -> None:
    found = statistics(np.array([True, False, True, True]))
    assert (found.minimum, found.maximum, found.mean, found.zeros) == (0, 1, 0.75, 1)
    assert statistics(np.zeros(0, np.int32)).mean is None


def test_text_has_no_statistics() -> None:
    with pytest.raises(ComparisonError):
        statistics(np.array(["a"]))
