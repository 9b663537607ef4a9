"""What the values of one array are like: extremes, mean, spread, zeros, NaN and infinities."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from .elements import Elements, Kind, blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Statistics", "statistics"]


@dataclass(frozen=True, slots=True)
class Statistics:
    """Numbers are over finite elements; None where there is none. Of complex numbers: of their magnitudes."""

    dtype: str
    shape: tuple[int, ...]
    size: int
    minimum: int | float | None
    """Exact for whole numbers, as is `maximum`."""
    maximum: int | float | None
    mean: float | None
    std: float | None
    """Over all elements (divided by their number)."""
    zeros: int
    nan: int
    plus_inf: int
    """Of complex numbers: infinite ones, whatever their direction."""
    minus_inf: int

    @property
    def finite(self) -> int:
        return self.size - self.nan - self.plus_inf - self.minus_inf


def statistics(array: NDArray[Any], *, logical: str | None = None) -> Statistics:
    """Read an array once, block by block.

    Args:
        array: numbers of any dtype and rank.
        logical: the logical dtype where the array's own does not say it.

    Raises:
        ComparisonError: the array holds no numbers.
    """
    elements = Elements(array, logical)
    if elements.kind in (Kind.INTEGER, Kind.BITS):
        return _of_whole(elements)
    moments = _Moments()
    zeros = nan = plus = minus = 0
    low, high = math.inf, -math.inf
    for start, stop in blocks(elements.size):
        values = elements.values(elements.stored(start, stop))
        if elements.kind is Kind.COMPLEX:
            nan_here = np.isnan(values)
            with np.errstate(over="ignore"):
                values = np.abs(values)
            values[nan_here] = np.nan
        finite = values[np.isfinite(values)]
        if finite.size < values.size:
            nan += int(np.count_nonzero(np.isnan(values)))
            plus += int(np.count_nonzero(np.isposinf(values)))
            minus += int(np.count_nonzero(np.isneginf(values)))
        zeros += int(finite.size - np.count_nonzero(finite))
        if finite.size:
            low, high = min(low, float(finite.min())), max(high, float(finite.max()))
            moments.add(finite)
    some = moments.count > 0
    return Statistics(
        elements.dtype,
        elements.shape,
        elements.size,
        low if some else None,
        high if some else None,
        moments.mean if some else None,
        moments.std if some else None,
        zeros,
        nan,
        plus,
        minus,
    )


def _of_whole(elements: Elements) -> Statistics:
    total = zeros = 0
    low: int | None = None
    high: int | None = None
    moments = _Moments()
    for start, stop in blocks(elements.size):
        values = elements.values(elements.stored(start, stop))
        zeros += int(values.size - np.count_nonzero(values))
        least, most = int(values.min()), int(values.max())
        low, high = least if low is None else min(low, least), most if high is None else max(high, most)
        # The halves of a block's 64-bit numbers add up without overflow.
        total += (int((values >> 32).sum()) << 32) + int((values & 0xFFFFFFFF).sum())
        moments.add(values.astype(np.float64))
    some = elements.size > 0
    mean = float(Fraction(total, elements.size)) if some else None
    std = moments.std if some else None
    return Statistics(elements.dtype, elements.shape, elements.size, low, high, mean, std, zeros, 0, 0, 0)


class _Moments:
    """Mean and variance of blocks merged one by one, without the loss of a difference of large sums."""

    def __init__(self) -> None:
        self.count = 0
        self.mean = 0.0
        self._squares = 0.0
        """Sum of the squared distances from the mean."""

    def add(self, values: NDArray[Any]) -> None:
        count = values.size
        # Halved where the sum of the largest numbers would overflow.
        shift = 64 if float(np.abs(values).max()) > 1e280 else 0
        with np.errstate(over="ignore"):
            mean = float((values * 2.0**-shift).mean()) * 2.0**shift
            squares = float(np.square(values - mean).sum())
        both = self.count + count
        apart = mean - self.mean if self.count else 0.0
        self.mean = self.mean + apart * (count / both) if self.count else mean
        self._squares += squares + _square(apart) * (self.count * count / both)
        self.count = both

    @property
    def std(self) -> float:
        return math.sqrt(self._squares / self.count)


def _square(value: float) -> float:
    return value * value if abs(value) < 1e150 else math.inf
