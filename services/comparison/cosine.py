"""The standard `cosine`: the angle between two outputs seen as vectors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .judging import BlockErrors, Measure, measure

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .elements import Elements
    from .pairs import Pair
    from .totals import Totals

__all__ = ["Cosine"]


@dataclass(frozen=True, slots=True)
class Cosine:
    """1 - cos(actual, expected) <= rtol. Equal NaN and infinities are left out, others fail; complex numbers are
    vectors of their parts. Two vectors of zeros are the same, a vector of zeros and another are not.
    """

    name: ClassVar[str] = "cosine"
    error_name: ClassVar[str] = "absolute error"
    rtol: float = 0.01

    def refusal(self, actual: Elements, expected: Elements) -> str:  # noqa: ARG002
        return ""

    def judge(self) -> CosineJudge:
        return CosineJudge(self.rtol)


class CosineJudge:
    """Sums of products, each vector scaled by a power of two so that nothing overflows or vanishes."""

    def __init__(self, rtol: float) -> None:
        self._rtol = rtol
        self._actual_exponent = self._expected_exponent = -10_000
        self._actual_squares = self._expected_squares = self._products = 0.0

    def block(self, pair: Pair, third: Pair | None) -> BlockErrors:  # noqa: ARG002
        a, e = _parts(pair, pair.actual), _parts(pair, pair.expected)
        self._rescale(_exponent(a), _exponent(e))
        a, e = _scaled(a, -self._actual_exponent), _scaled(e, -self._expected_exponent)
        # Not a @ e: on small blocks the threads of the linear algebra library cost more than they bring.
        self._actual_squares += float((a * a).sum())
        self._expected_squares += float((e * e).sum())
        self._products += float((a * e).sum())
        return BlockErrors(pair.absolute, None)

    def measures(self, totals: Totals, bad: int) -> tuple[Measure, ...]:  # noqa: ARG002
        return (
            measure("NaN or infinity against something else", totals.mismatches, "<=", 0),
            measure("1 - cosine", self._distance(totals), "<=", self._rtol),
        )

    def _distance(self, totals: Totals) -> float:
        if totals.max_absolute == 0.0:
            return 0.0
        norms = math.sqrt(self._actual_squares) * math.sqrt(self._expected_squares)
        return 1.0 - self._products / norms if norms else 1.0

    def _rescale(self, actual: int, expected: int) -> None:
        more_actual = max(actual - self._actual_exponent, 0)
        more_expected = max(expected - self._expected_exponent, 0)
        self._actual_exponent += more_actual
        self._expected_exponent += more_expected
        self._actual_squares = math.ldexp(self._actual_squares, -2 * more_actual)
        self._expected_squares = math.ldexp(self._expected_squares, -2 * more_expected)
        self._products = math.ldexp(self._products, -more_actual - more_expected)


def _parts(pair: Pair, values: NDArray[Any]) -> NDArray[np.float64]:
    kept = np.delete(values, pair.special) if pair.special.size else values
    if kept.dtype.kind == "c":
        kept = np.concatenate((kept.real, kept.imag))
    return kept.astype(np.float64, copy=False)


def _scaled(values: NDArray[np.float64], exponent: int) -> NDArray[np.float64]:
    """values * 2**exponent."""
    if abs(exponent) < 1000:  # a plain product is ten times as fast, where the factor is a number
        return values * 2.0**exponent
    scaled: NDArray[np.float64] = np.ldexp(values, exponent)
    return scaled


def _exponent(values: NDArray[np.float64]) -> int:
    largest = float(np.abs(values).max(initial=0.0))
    return math.frexp(largest)[1] if largest else -10_000
