"""One block of actual and expected elements side by side, and what differs between them.

Two NaN are equal, two infinities of the same sign are equal; any other pair with a NaN or an infinity is a mismatch
whose error is infinite.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .elements import Elements, Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Pair", "pair_up"]


@dataclass(frozen=True, slots=True)
class Pair:
    """A block of n elements of both arrays."""

    stored_actual: NDArray[Any]
    stored_expected: NDArray[Any]
    actual: NDArray[Any]
    """In a dtype that computes."""
    expected: NDArray[Any]
    absolute: NDArray[np.float64]
    """abs(actual - expected); 0 for equal specials, infinite for a mismatch."""
    scale: NDArray[np.float64]
    """abs(expected); 0 where either side is no finite number."""
    special: NDArray[np.intp]
    """Places where either side is NaN or infinite."""
    nan_mismatches: int
    """NaN on one side only."""
    inf_mismatches: int
    """An infinity against a finite number or the other infinity."""

    @property
    def finite(self) -> int:
        """Pairs of finite numbers."""
        return int(self.absolute.size - self.special.size)

    def of_finite(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Those of `values` whose pair is finite."""
        return np.delete(values, self.special) if self.special.size else values


def pair_up(actual: Elements, expected: Elements, start: int, stop: int) -> Pair:
    """Elements `start` to `stop` in row order of two arrays of one size."""
    stored_actual, stored_expected = actual.stored(start, stop), expected.stored(start, stop)
    a, e = actual.values(stored_actual), expected.values(stored_expected)
    if _whole(actual) and _whole(expected):
        absolute = _whole_difference(a, e).astype(np.float64)
        none = np.zeros(0, np.intp)
        return Pair(stored_actual, stored_expected, a, e, absolute, _magnitude(e), none, 0, 0)
    with np.errstate(invalid="ignore", over="ignore"):
        absolute = np.abs(a - e).astype(np.float64)
        scale = np.abs(e).astype(np.float64)
    suspects = np.flatnonzero(~np.isfinite(absolute))
    if not suspects.size:
        return Pair(stored_actual, stored_expected, a, e, absolute, scale, suspects, 0, 0)
    some_a, some_e = a[suspects], e[suspects]
    nan_a, nan_e = np.isnan(some_a), np.isnan(some_e)
    same = (nan_a & nan_e) | (some_a == some_e)
    special = ~(np.isfinite(some_a) & np.isfinite(some_e))  # the difference of two finite numbers may be infinite
    nan_apart = nan_a ^ nan_e
    absolute[suspects] = np.where(same, 0.0, np.inf)
    scale[suspects[special]] = 0.0
    return Pair(
        stored_actual,
        stored_expected,
        a,
        e,
        absolute,
        scale,
        suspects[special],
        int(np.count_nonzero(nan_apart)),
        int(np.count_nonzero(special & ~same & ~nan_apart)),
    )


def _whole(elements: Elements) -> bool:
    return elements.kind in (Kind.INTEGER, Kind.BITS)


def _whole_difference(a: NDArray[Any], e: NDArray[Any]) -> NDArray[np.uint64]:
    """abs(a - e) without overflow; 2**64 - 1 where it is even more (a negative int64 against a large uint64)."""
    if a.dtype == e.dtype:
        # The difference of the larger and the smaller is right modulo 2**64, and lies in 0 to 2**64 - 1.
        apart: NDArray[np.uint64] = np.maximum(a, e).view(np.uint64) - np.minimum(a, e).view(np.uint64)
        return apart
    signed, unsigned = (a, e) if a.dtype == np.int64 else (e, a)
    bits = signed.view(np.uint64)
    apart = np.maximum(bits, unsigned) - np.minimum(bits, unsigned)
    negative = signed < 0
    sum_ = unsigned - bits  # unsigned + abs(signed), modulo 2**64
    sum_ = np.where(sum_ < unsigned, np.uint64(2**64 - 1), sum_)
    exact: NDArray[np.uint64] = np.where(negative, sum_, apart)
    return exact


def _magnitude(values: NDArray[Any]) -> NDArray[np.float64]:
    return np.abs(values.astype(np.float64))
