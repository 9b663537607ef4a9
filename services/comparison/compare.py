"""Two outputs of an operator compared by a standard."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from .cross_check import CrossCheck
from .elements import Elements, blocks
from .errors import ComparisonError
from .pairs import pair_up
from .routing import choose_standard, standard_named
from .totals import RELATIVE_FLOOR, Totals
from .window import format_number
from .worst import ErrorSpread, Histogram, Largest

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from .judging import Measure, Standard

__all__ = ["Comparison", "WorstElement", "compare"]

Number: TypeAlias = bool | int | float | complex


@dataclass(frozen=True, slots=True)
class WorstElement:
    """One of the elements with the largest errors."""

    index: tuple[int, ...]
    """In the shape of the actual output."""
    actual: Number
    expected: Number
    error: float
    """In the standard's own unit (`Comparison.error_name`); infinite where a NaN or infinity meets something else."""

    @property
    def absolute(self) -> float:
        """abs(actual - expected); infinite where a NaN or infinity is among them."""
        apart = float(abs(self.actual - self.expected))
        return apart if math.isfinite(apart) else math.inf

    @property
    def relative(self) -> float:
        """The same, relative to abs(expected) + 1e-7."""
        apart = self.absolute
        return apart / (abs(self.expected) + RELATIVE_FLOOR) if math.isfinite(apart) else math.inf


@dataclass(frozen=True, slots=True)
class Comparison:
    """What was found. Numbers about errors are over pairs of finite elements."""

    passed: bool
    standard: str
    error_name: str
    """What the standard's errors are measured in, in words."""
    reason: str
    """Why it failed, as a sentence's part; empty when it passed."""
    sentence: str
    measures: tuple[Measure, ...]
    """What the standard measured and its limits; empty when the arrays could not be put side by side."""
    elements: int
    """Elements of the actual output."""
    bad: int | None
    """Elements beyond what the standard allows one element; None where it judges no single elements."""
    actual_shape: tuple[int, ...]
    expected_shape: tuple[int, ...]
    actual_dtype: str
    expected_dtype: str
    nan_mismatches: int
    """NaN on one side only."""
    inf_mismatches: int
    """An infinity against a finite number or the other infinity."""
    max_absolute: float
    mean_absolute: float
    max_relative: float
    """Relative to abs(expected) + 1e-7."""
    mean_relative: float
    worst: tuple[WorstElement, ...]
    """Largest errors first, equal ones by their index; elements without an error are not among them."""
    histogram: Histogram
    """Of the standard's errors."""

    @property
    def matched_ratio(self) -> float | None:
        """Share of the elements that the standard has nothing against."""
        if self.bad is None:
            return None
        return (self.elements - self.bad) / self.elements if self.elements else 1.0

    @property
    def shapes_differ(self) -> bool:
        return self.actual_shape != self.expected_shape

    @property
    def dtypes_differ(self) -> bool:
        return self.actual_dtype != self.expected_dtype


def compare(
    actual: NDArray[Any],
    expected: NDArray[Any],
    standard: str | Standard | None = None,
    *,
    third_party: NDArray[Any] | None = None,
    logical: str | None = None,
    expected_logical: str | None = None,
    k: int = 100,
    watch: Callable[[int], None] | None = None,
) -> Comparison:
    """Compare an output with what it should be, element by element in row order.

    Arrays of one size and different shapes are compared as flat ones, and their shapes told. Memory beside the arrays:
    tens of MB, whatever their size; arrays mapped from files are read once.

    Args:
        actual: the output.
        expected: the golden output, possibly of a wider dtype.
        standard: by name (applied as asked, also to whole numbers) or ready made; None: what `choose_standard` says
            for the actual dtype.
        third_party: the third party's output, for cross_check.
        logical: logical dtype of the actual output (and of the third party's if it is stored alike) where its own
            does not say it.
        expected_logical: the same of the expected one; None: as `logical` if the two arrays have one dtype.
        k: how many of the worst elements to keep.
        watch: called after each block with the number of elements done; what it raises ends the comparison.

    Raises:
        ComparisonError: an array holds no numbers, or the standard is unknown or lacks the third party's output.
    """
    if expected_logical is None and expected.dtype == actual.dtype:
        expected_logical = logical
    a, e = Elements(actual, logical), Elements(expected, expected_logical)
    third = None
    if third_party is not None:
        third = Elements(third_party, logical if third_party.dtype == actual.dtype else None)
    if standard is None:
        rule = choose_standard(a.dtype)
    else:
        rule = standard_named(standard, a.dtype) if isinstance(standard, str) else standard
    if isinstance(rule, CrossCheck):
        if third is None:
            raise ComparisonError("cross_check needs the third party's output")
        if third.size != e.size and a.size == e.size:
            raise ComparisonError(f"the third party's output has {third.size:,} elements, {e.size:,} are expected")
    elif third is not None:
        third = None
    refusal = _refusal(a, e) or rule.refusal(a, e)
    if refusal or not a.size:
        return _without_elements(rule, a, e, refusal)
    return _element_by_element(rule, *_one_order(a, e, third), k=k, watch=watch)


def _one_order(a: Elements, e: Elements, third: Elements | None) -> tuple[Elements, Elements, Elements | None, bool]:
    """The same arrays turned over where all are in column order, so that they are read in the order they lie in."""
    all_ = [each for each in (a, e, third) if each is not None]
    column_order = all(each.array.flags.f_contiguous and not each.array.flags.c_contiguous for each in all_)
    if not column_order or any(each.shape != a.shape or each.dtype == "complex32" for each in all_):
        return a, e, third, False
    turned = [each.turned() for each in all_]
    return turned[0], turned[1], turned[2] if third is not None else None, True


def _element_by_element(
    rule: Standard,
    a: Elements,
    e: Elements,
    third: Elements | None,
    turned: bool,
    *,
    k: int,
    watch: Callable[[int], None] | None,
) -> Comparison:
    judge, totals, spread, largest = rule.judge(), Totals(), ErrorSpread(), Largest(k)
    bad: int | None = 0
    for start, stop in blocks(a.size):
        pair = pair_up(a, e, start, stop)
        found = judge.block(pair, pair_up(third, e, start, stop) if third is not None else None)
        totals.add(pair)
        spread.add(found.errors)
        largest.add(start, found.errors)
        bad = None if found.bad is None or bad is None else bad + int(found.bad.sum())
        if watch is not None:
            watch(stop)
    measures = judge.measures(totals, bad or 0)
    passed = all(each.within for each in measures)
    worst = tuple(
        WorstElement(a.index(place)[::-1] if turned else a.index(place), a.at(place), e.at(place), error)
        for place, error in largest.found()
    )
    if turned:
        worst = tuple(sorted(worst, key=lambda each: (-each.error, each.index)))
    broken = [str(each) for each in measures if not each.within]
    shapes = (a.shape[::-1], e.shape[::-1]) if turned else (a.shape, e.shape)
    reason = ", ".join(broken)
    return Comparison(
        passed,
        rule.name,
        rule.error_name,
        reason,
        _sentence(rule.name, reason or ", ".join(map(str, measures)), passed, worst, a, e),
        measures,
        a.size,
        bad,
        *shapes,
        a.dtype,
        e.dtype,
        totals.nan_mismatches,
        totals.inf_mismatches,
        totals.max_absolute,
        totals.mean_absolute,
        totals.max_relative,
        totals.mean_relative,
        worst,
        spread.histogram(),
    )


def _without_elements(rule: Standard, a: Elements, e: Elements, refusal: str) -> Comparison:
    sentence = f"fails {rule.name}: {refusal}" if refusal else f"passes {rule.name}: both are empty"
    nothing = Histogram(0, 0, (), 0)
    shapes, dtypes = (a.shape, e.shape), (a.dtype, e.dtype)
    numbers = (0.0, 0.0, 0.0, 0.0)
    bad = None if refusal else 0
    return Comparison(
        not refusal,
        rule.name,
        rule.error_name,
        refusal,
        sentence,
        (),
        a.size,
        bad,
        *shapes,
        *dtypes,
        0,
        0,
        *numbers,
        (),
        nothing,
    )


def _refusal(a: Elements, e: Elements) -> str:
    if a.size == e.size:
        return ""
    return f"{a.size:,} elements (shape {a.shape}), {e.size:,} expected (shape {e.shape})"


def _sentence(
    name: str,
    measured: str,
    passed: bool,
    worst: tuple[WorstElement, ...],
    a: Elements,
    e: Elements,
) -> str:
    text = f"{'passes' if passed else 'fails'} {name}: {measured}"
    if not passed and worst:
        first = worst[0]
        place = f" at {list(first.index)}" if first.index else ""
        ours, theirs = format_number(first.actual, a), format_number(first.expected, e)
        text += f"; worst{place}: {ours} instead of {theirs}"
    if a.shape != e.shape:
        text += f"; its shape is {a.shape}, {e.shape} is expected"
    if a.dtype != e.dtype:
        text += f"; it is {a.dtype}, compared with {e.dtype}"
    return text
