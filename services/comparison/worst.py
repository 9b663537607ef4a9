"""The k largest errors of a comparison and how all errors are spread, fed block by block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ErrorSpread", "Histogram", "Largest"]

LOWEST, HIGHEST = -64, 64
"""Exponents of the outermost bins; smaller and larger errors count there."""


class Largest:
    """Keeps the k largest of all values above 0; equal values in order of their place."""

    def __init__(self, k: int) -> None:
        self._k = k
        self._values = np.zeros(0)
        self._places = np.zeros(0, np.int64)

    def add(self, start: int, values: NDArray[np.float64]) -> None:
        """Take a block whose first value has the place `start`."""
        if self._k <= 0:
            return
        floor = self._values[-1] if self._values.size == self._k else 0.0
        found = np.flatnonzero(values > floor)
        if not found.size:
            return
        if found.size > self._k:
            among = values[found]
            least = np.partition(among, -self._k)[-self._k]
            above = found[among > least]
            found = np.concatenate((above, found[among == least][: self._k - above.size]))
        merged = np.concatenate((self._values, values[found]))
        places = np.concatenate((self._places, found + start))
        order = np.lexsort((places, -merged))[: self._k]
        self._values, self._places = merged[order], places[order]

    def found(self) -> list[tuple[int, float]]:
        """(place, value), largest first."""
        return list(zip(self._places.tolist(), self._values.tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many errors lie in each power of two."""

    zeros: int
    lowest: int
    """Bin i counts errors from 2**(lowest + i) to below 2**(lowest + i + 1)."""
    counts: tuple[int, ...]
    """Without empty bins at the ends; the outermost bins, 2**-64 and 2**64, hold what lies beyond as well."""
    infinite: int


class ErrorSpread:
    """Counts errors by their power of two."""

    def __init__(self) -> None:
        self._counts = np.zeros(HIGHEST - LOWEST + 1, np.int64)
        self._zeros = self._infinite = 0

    def add(self, errors: NDArray[np.float64]) -> None:
        some = errors[errors > 0.0]
        self._zeros += errors.size - some.size
        if not some.size:
            return
        finite = some[np.isfinite(some)]
        self._infinite += some.size - finite.size
        exponents = np.clip(np.frexp(finite)[1] - 1, LOWEST, HIGHEST) - LOWEST
        self._counts += np.bincount(exponents, minlength=self._counts.size)

    def histogram(self) -> Histogram:
        used = np.flatnonzero(self._counts)
        if not used.size:
            return Histogram(self._zeros, 0, (), self._infinite)
        first, last = int(used[0]), int(used[-1])
        counts = tuple(self._counts[first : last + 1].tolist())
        return Histogram(self._zeros, first + LOWEST, counts, self._infinite)
