"""The standard `cross_check`: the output may be worse than a third party's, but only so much."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .judging import BlockErrors, Measure, measure
from .totals import relative_errors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .elements import Elements
    from .pairs import Pair
    from .totals import Totals

__all__ = ["LEVELS", "SMALL_VALUES", "CrossCheck"]

LEVELS = {"L0": (10.0, 2.0, 2.0), "L1": (5.0, 1.5, 1.5), "L2": (2.0, 1.2, 1.2)}
"""Level to the limits of the ratios: largest relative error, mean relative error, root mean square error."""
SMALL_VALUES = {
    "float16": (2.0**-11, 2.0**-16),
    "bfloat16": (2.0**-8, 2.0**-16),
    "float32": (2.0**-14, 2.0**-30),
}
"""Dtype to the magnitude below which an expected value is small, and the absolute error a small one may have."""
COUNT_RATIO = 2.0
"""Small values may be wrong this many times as often as with the third party."""


@dataclass(frozen=True, slots=True)
class CrossCheck:
    """Errors of the output divided by those of the third party, both against the expected values."""

    name: ClassVar[str] = "cross_check"
    error_name: ClassVar[str] = "absolute error"
    small_value: float
    small_value_atol: float
    mare_ratio: float = LEVELS["L1"][0]
    """Limit for the largest relative errors."""
    mere_ratio: float = LEVELS["L1"][1]
    """Limit for their means."""
    rmse_ratio: float = LEVELS["L1"][2]
    """Limit for the root mean square errors."""

    def refusal(self, actual: Elements, expected: Elements) -> str:  # noqa: ARG002
        return ""

    def judge(self) -> CrossCheckJudge:
        return CrossCheckJudge(self)


@dataclass(slots=True)
class _Errors:
    """Errors of one party where the expected value is large, and its count of wrong small values."""

    largest: float = 0.0
    relative: float = 0.0
    squares: float = 0.0
    wrong_small: int = 0


@dataclass(slots=True)
class CrossCheckJudge:
    rule: CrossCheck
    own: _Errors = field(default_factory=_Errors)
    third: _Errors = field(default_factory=_Errors)
    large: int = 0
    special_wrong: int = 0

    def block(self, pair: Pair, third: Pair | None) -> BlockErrors:
        assert third is not None, "compare() asks for the third party before it begins"
        special = np.zeros(pair.absolute.size, np.bool_)
        special[pair.special] = special[third.special] = True
        large = ~special & (pair.scale >= self.rule.small_value)
        small = ~special & ~large
        bad = special.copy()
        where = np.flatnonzero(special)
        ours, theirs, expected = pair.actual[where], third.actual[where], pair.expected[where]
        bad[where] = ~(_alike(ours, theirs) | (~np.isfinite(expected) & _alike(ours, expected)))
        self.special_wrong += int(np.count_nonzero(bad))
        self.large += int(np.count_nonzero(large))
        bad |= self._take(self.own, pair, large, small)
        self._take(self.third, third, large, small)
        errors = np.where(special, np.where(bad, np.inf, 0.0), pair.absolute)
        return BlockErrors(errors, bad)

    def measures(self, totals: Totals, bad: int) -> tuple[Measure, ...]:  # noqa: ARG002
        own, third, rule = self.own, self.third, self.rule
        found = [
            measure("NaN or infinity unlike both others", self.special_wrong, "<=", 0),
            measure("wrong small values, ratio", own.wrong_small / max(third.wrong_small, 1), "<=", COUNT_RATIO),
        ]
        if self.large:
            root = math.sqrt(own.squares / self.large), math.sqrt(third.squares / self.large)
            mean = own.relative / self.large, third.relative / self.large
            most = own.largest, third.largest
            found += [
                measure("largest relative error, ratio", self._ratio(*most), "<=", rule.mare_ratio),
                measure("mean relative error, ratio", self._ratio(*mean), "<=", rule.mere_ratio),
                measure("root mean square error, ratio", self._ratio(*root), "<=", rule.rmse_ratio),
            ]
        return tuple(found)

    def _take(
        self, errors: _Errors, pair: Pair, large: NDArray[np.bool_], small: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        relative, absolute = relative_errors(pair)[large], pair.absolute[large]
        errors.largest = max(errors.largest, float(relative.max(initial=0.0)))
        errors.relative += float(relative.sum())
        errors.squares += float(np.square(absolute).sum())
        wrong = small & (pair.absolute > self.rule.small_value_atol)
        errors.wrong_small += int(np.count_nonzero(wrong))
        return wrong

    def _ratio(self, own: float, third: float) -> float:
        """own / third; a third party that is nearly perfect counts as one that is off by `small_value`."""
        if own == third:  # both perfect, or both beyond all bounds
            return 1.0
        return own / max(third, self.rule.small_value)


def _alike(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.bool_]:
    alike: NDArray[np.bool_] = (a == b) | (np.isnan(a) & np.isnan(b))
    return alike
