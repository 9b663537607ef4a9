"""Cells that several tables write alike."""

from __future__ import annotations

from math import isnan

from .moments import NOT_KNOWN, span_text
from .table import CellValue, Sign

__all__ = ["counter_cell", "known_cell", "maybe_cell", "span_cell"]


def counter_cell(number: int) -> CellValue:
    """A counter; 0 is faint: the call does not count there."""
    return CellValue(str(number), Sign.NONE if number else Sign.FAINT)


def known_cell(text: str) -> CellValue:
    """A text that may say that nothing is known."""
    return CellValue(text, Sign.FAINT if text == NOT_KNOWN else Sign.NONE)


def maybe_cell(number: int | None) -> CellValue:
    """A number that may not be known."""
    return known_cell(NOT_KNOWN if number is None else str(number))


def span_cell(seconds: float) -> CellValue:
    """A span of time, NaN is unknown."""
    return known_cell(NOT_KNOWN if isnan(seconds) else span_text(float(seconds)))
