"""The third party as a measure."""

from __future__ import annotations

import numpy as np
import pytest

from xpudbg.services.comparison.compare import Comparison, compare
from xpudbg.services.comparison.errors import ComparisonError

from .oracles import small_blocks

EXPECTED = np.array([1.0, 2.0, 4.0, 8.0, 1e-6, 2e-6], np.float32)
"""Four large values, two small ones."""


@pytest.fixture(autouse=True)
def blocks_of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    small_blocks(monkeypatch, 2)


def check(actual: np.ndarray, third: np.ndarray, expected: np.ndarray = EXPECTED) -> Comparison:
    return compare(actual, expected, "cross_check", third_party=third)


def values(found: Comparison) -> dict[str, float]:
    return {each.name: each.value for each in found.measures}


def test_all_alike() -> None:
    found = check(EXPECTED, EXPECTED)
    assert found.passed
    assert set(values(found).values()) == {0, 1.0}


def test_as_wrong_as_the_third_party_is_right_enough() -> None:
    third = EXPECTED * np.float32(1.01)
    assert check(third, third).passed
    third[4:] = EXPECTED[4:]
    worse = EXPECTED + 1.6 * (third - EXPECTED)
    found = check(worse, third)
    assert not found.passed
    assert values(found)["mean relative error, ratio"] == pytest.approx(1.6, rel=1e-4)
    assert "mean relative error, ratio 1.6" in found.reason
    assert "largest" not in found.reason, "five times as much is allowed for it"


def test_a_perfect_third_party_counts_as_one_that_is_nearly_so() -> None:
    actual = EXPECTED.copy()
    actual[1] += 2**-14
    assert values(check(actual, EXPECTED))["largest relative error, ratio"] == pytest.approx(0.5, rel=1e-3)


def test_small_values_are_counted() -> None:
    third, actual = EXPECTED.copy(), EXPECTED.copy()
    third[4] += 1e-8
    actual[4:] += 1e-8
    assert check(actual, third).passed, "twice as many are allowed"
    expected = np.full(6, 1e-6, np.float32)
    found = check(expected + np.float32(1e-8), expected, expected)
    assert not found.passed
    assert (found.bad, values(found)["wrong small values, ratio"]) == (6, 6.0)
    assert len(found.measures) == 2, "there is no large value to measure"


@pytest.mark.parametrize(
    ("actual", "expected", "third", "passed"),
    [
        (np.nan, np.nan, 1.0, True),
        (np.nan, 1.0, np.nan, True),
        (np.inf, np.inf, -np.inf, True),
        (1.0, np.nan, 1.0, True),
        (1.0, np.nan, np.nan, False),
        (np.inf, -np.inf, 1.0, False),
        (2.0, 2.0, np.nan, False),
    ],
)
def test_a_special_agrees_with_the_third_party_or_with_an_expected_special(
    actual: float, expected: float, third: float, passed: bool
) -> None:
    arrays = [np.array([1.0, each], np.float32) for each in (actual, third, expected)]
    assert check(*arrays).passed == passed


def test_it_needs_the_third_party() -> None:
    with pytest.raises(ComparisonError, match="third party"):
        compare(EXPECTED, EXPECTED, "cross_check")
    with pytest.raises(ComparisonError, match="2 elements, 6"):
        check(EXPECTED, EXPECTED[:2])


def test_it_has_limits_for_three_dtypes() -> None:
    with pytest.raises(ComparisonError, match="float64"):
        compare(np.zeros(1), np.zeros(1), "cross_check", third_party=np.zeros(1))
