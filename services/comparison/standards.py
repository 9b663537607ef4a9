"""The comparison standards that look at each element: mixed, close, stat_rel_err, binary, requant, quant.

Sources: behaviour of the operator test kit hicann/ops-test-kit (names and rules), computed here in float64 and, for
whole numbers, exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .elements import Elements, Kind
from .judging import BlockErrors, Measure, measure
from .totals import relative_errors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .pairs import Pair
    from .totals import Totals

__all__ = ["BinaryEqual", "Close", "Mixed", "Quant", "Requant", "StatRelErr"]

_LEAST = 5e-324
"""An error that is one, however small: bits differ where the values are equal (-0 and 0)."""


class _Elementwise:
    """A rule without a memory: it is its own judge."""

    __slots__ = ()

    def refusal(self, actual: Elements, expected: Elements) -> str:  # noqa: ARG002
        return ""

    def judge(self) -> Any:
        return self


@dataclass(frozen=True, slots=True)
class Mixed(_Elementwise):
    """An element matches when abs(actual - expected) <= atol + rtol * abs(expected); enough of them have to match,
    and none may be off by more than `max_abs_error_limit`. A NaN or infinity against something else is infinitely off.
    """

    name: ClassVar[str] = "mixed"
    error_name: ClassVar[str] = "times what is allowed"
    rtol: float
    atol: float
    max_abs_error_limit: float
    required_matched_ratio: float = 0.99

    def block(self, pair: Pair, third: Pair | None) -> BlockErrors:  # noqa: ARG002
        allowed = self.atol + self.rtol * pair.scale
        bad = pair.absolute > allowed
        # An element counts by the limit it is nearest to, or furthest beyond.
        return BlockErrors(np.maximum(_times(pair.absolute, allowed), _over(pair, self.max_abs_error_limit)), bad)

    def measures(self, totals: Totals, bad: int) -> tuple[Measure, ...]:
        largest = float("inf") if totals.mismatches else totals.max_absolute
        return (
            measure("matched ratio", (totals.elements - bad) / totals.elements, ">=", self.required_matched_ratio),
            measure("largest absolute error", largest, "<=", self.max_abs_error_limit),
        )


@dataclass(frozen=True, slots=True)
class Close(_Elementwise):
    """An element matches as in `numpy.isclose`; at most a share `ptol` of them may not."""

    name: ClassVar[str] = "close"
    error_name: ClassVar[str] = "times what is allowed"
    rtol: float
    ptol: float
    atol: float = 1e-8

    def block(self, pair: Pair, third: Pair | None) -> BlockErrors:  # noqa: ARG002
        allowed = self.atol + self.rtol * pair.scale
        return BlockErrors(_times(pair.absolute, allowed), pair.absolute > allowed)

    def measures(self, totals: Totals, bad: int) -> tuple[Measure, ...]:
        return (measure("mismatching share", bad / totals.elements, "<=", self.ptol),)


@dataclass(frozen=True, slots=True)
class StatRelErr(_Elementwise):
    """Mean of the relative errors below `threshold`, the largest below ten times that, no NaN or infinity apart."""

    name: ClassVar[str] = "stat_rel_err"
    error_name: ClassVar[str] = "relative error"
    threshold: float

    def block(self, pair: Pair, third: Pair | None) -> BlockErrors:  # noqa: ARG002
        errors = relative_errors(pair)
        return BlockErrors(errors, errors >= 10 * self.threshold)

    def measures(self, totals: Totals, bad: int) -> tuple[Measure, ...]:  # noqa: ARG002
        return (
            measure("NaN or infinity against something else", totals.mismatches, "<=", 0),
            measure("mean relative error", totals.mean_relative, "<", self.threshold),
            measure("largest relative error", totals.max_relative, "<", 10 * self.threshold),
        )


@dataclass(frozen=True, slots=True)
class BinaryEqual(_Elementwise):
    """Every bit equal; two NaN are equal whatever their bits. Whole numbers of different widths by their value."""

    name: ClassVar[str] = "binary"
    error_name: ClassVar[str] = "absolute error"

    def refusal(self, actual: Elements, expected: Elements) -> str:
        if actual.dtype == expected.dtype or actual.kind is expected.kind is Kind.INTEGER:
            return ""
        return f"{actual.dtype} and {expected.dtype} can't be the same bit by bit"

    def block(self, pair: Pair, third: Pair | None) -> BlockErrors:  # noqa: ARG002
        bad = pair.absolute != 0.0
        if pair.actual.dtype.kind in "fc":
            bad |= _bits_differ(pair.stored_actual, pair.stored_expected)
            bad[pair.special] &= ~(np.isnan(pair.actual[pair.special]) & np.isnan(pair.expected[pair.special]))
        return BlockErrors(np.where(bad, np.maximum(pair.absolute, _LEAST), 0.0), bad)

    def measures(self, totals: Totals, bad: int) -> tuple[Measure, ...]:  # noqa: ARG002
        return (measure("differing elements", bad, "<=", 0),)


@dataclass(frozen=True, slots=True)
class Requant(_Elementwise):
    """The codes of two 8-bit outputs, read as int8, differ by at most 1 for all but a share `ptol`."""

    name: ClassVar[str] = "requant"
    error_name: ClassVar[str] = "steps of the code"
    ptol: float = 1e-3

    def refusal(self, actual: Elements, expected: Elements) -> str:
        if actual.kind is expected.kind is Kind.INTEGER:
            return ""
        if actual.dtype == expected.dtype and actual.array.dtype.itemsize == 1:
            return ""
        return f"requant compares whole numbers or one 8-bit dtype, not {actual.dtype} and {expected.dtype}"

    def block(self, pair: Pair, third: Pair | None) -> BlockErrors:  # noqa: ARG002
        if pair.actual.dtype.kind == "f":
            codes = pair.stored_actual.view(np.int8).astype(np.int16), pair.stored_expected.view(np.int8)
            steps = np.abs(codes[0] - codes[1]).astype(np.float64)
            both_nan = np.isnan(pair.actual[pair.special]) & np.isnan(pair.expected[pair.special])
            steps[pair.special[both_nan]] = 0.0
        else:
            steps = pair.absolute
        return BlockErrors(steps, steps > 1)

    def measures(self, totals: Totals, bad: int) -> tuple[Measure, ...]:
        return (measure("share off by more than 1", bad / totals.elements, "<=", self.ptol),)


@dataclass(frozen=True, slots=True)
class Quant(_Elementwise):
    """Quantised whole numbers: none (a share `ptol`) is off by more than 1."""

    name: ClassVar[str] = "quant"
    error_name: ClassVar[str] = "steps"
    ptol: float = 0.0

    def refusal(self, actual: Elements, expected: Elements) -> str:
        if actual.kind is expected.kind is Kind.INTEGER:
            return ""
        return f"quant compares whole numbers, not {actual.dtype} and {expected.dtype}"

    def block(self, pair: Pair, third: Pair | None) -> BlockErrors:  # noqa: ARG002
        return BlockErrors(pair.absolute, pair.absolute > 1)

    def measures(self, totals: Totals, bad: int) -> tuple[Measure, ...]:
        return (measure("share off by more than 1", bad / totals.elements, "<=", self.ptol),)


def _times(absolute: NDArray[np.float64], allowed: NDArray[np.float64]) -> NDArray[np.float64]:
    """absolute / allowed, with 0 / 0 = 0."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(absolute == 0.0, 0.0, absolute / allowed)


def _over(pair: Pair, limit: float) -> NDArray[np.float64]:
    return _times(pair.absolute, np.full(1, limit))


def _bits_differ(a: NDArray[Any], e: NDArray[Any]) -> NDArray[np.bool_]:
    if a.dtype.char in "gG":  # longdouble has padding, which says nothing
        return np.asarray(np.signbit(a.real) != np.signbit(e.real), np.bool_)
    size = a.dtype.itemsize
    word = np.dtype(f"u{size}") if size in (1, 2, 4, 8) else np.dtype("u1")
    differ = np.ascontiguousarray(a).view(word) != np.ascontiguousarray(e).view(word)
    each: NDArray[np.bool_] = differ.reshape(a.size, -1).any(axis=1)
    return each
