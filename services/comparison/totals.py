"""Sums over all pairs of a comparison, fed block by block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .pairs import Pair

__all__ = ["RELATIVE_FLOOR", "Totals", "relative_errors"]

RELATIVE_FLOOR = 1e-7
"""Added to abs(expected) in a relative error, so that it stays finite at 0."""


def relative_errors(pair: Pair) -> NDArray[np.float64]:
    """abs(actual - expected) / (abs(expected) + 1e-7)."""
    return pair.absolute / (pair.scale + RELATIVE_FLOOR)


@dataclass(slots=True)
class Totals:
    """What is known of the errors of all pairs so far. Means and maxima are over pairs of finite numbers."""

    elements: int = 0
    finite: int = 0
    nan_mismatches: int = 0
    inf_mismatches: int = 0
    max_absolute: float = 0.0
    max_relative: float = 0.0
    sum_absolute: float = 0.0
    sum_relative: float = 0.0

    def add(self, pair: Pair) -> None:
        self.elements += pair.absolute.size
        self.finite += pair.finite
        self.nan_mismatches += pair.nan_mismatches
        self.inf_mismatches += pair.inf_mismatches
        absolute = pair.of_finite(pair.absolute)
        if not absolute.any():  # equal blocks are the rule, and add nothing
            return
        relative = pair.of_finite(relative_errors(pair))
        with np.errstate(over="ignore"):
            self.max_absolute = max(self.max_absolute, float(absolute.max()))
            self.max_relative = max(self.max_relative, float(relative.max()))
            self.sum_absolute += float(absolute.sum())
            self.sum_relative += float(relative.sum())

    @property
    def mismatches(self) -> int:
        """Pairs in which a NaN or an infinity stands against something else."""
        return self.nan_mismatches + self.inf_mismatches

    @property
    def mean_absolute(self) -> float:
        return self.sum_absolute / self.finite if self.finite else 0.0

    @property
    def mean_relative(self) -> float:
        return self.sum_relative / self.finite if self.finite else 0.0
