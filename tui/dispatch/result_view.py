"""The ways to look at an output of a run, and why there is nothing to be seen in one of them."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from .output_rows import before_text

if TYPE_CHECKING:
    from ...services.runs.shown import Compared, OutputShown, RunShown

__all__ = ["ResultView", "counted", "is_wrong", "why_not", "why_not_before"]


class ResultView(Enum):
    """One way to look at an output."""

    VALUES = "values"
    WORST = "worst"
    HISTOGRAM = "histogram"
    HEAT = "heat map"
    BEFORE = "before"


def is_wrong(compared: Compared | None) -> bool:
    """Whether it was compared, and failed."""
    return compared is not None and compared.comparison is not None and not compared.comparison.passed


def counted(view: ResultView, output: OutputShown | None) -> str:
    """What stands beside the name of a view; empty where nothing does."""
    if output is None:
        return ""
    found = output.reference.comparison if output.reference is not None else None
    if view is ResultView.WORST and found is not None and found.bad is not None:
        return f"{found.bad:,} off"
    if view is ResultView.BEFORE and output.before is not None:
        return before_text(output.before)[0]
    return ""


def why_not(output: OutputShown, compared: Compared | None) -> str:
    """Why there is nothing on errors; empty when there is."""
    if compared is None:
        return output.note if output.array is None and output.note else "has no reference to be compared with"
    if compared.comparison is None:
        return compared.problem
    return "" if compared.comparison.measures else compared.comparison.sentence


def why_not_before(shown: RunShown | None, output: OutputShown) -> str:
    """Why there is nothing of the run before; empty when there is."""
    if output.before is not None:
        return output.before.problem
    if shown is None or not shown.before:
        return "there is no run before"
    return f"{shown.before} gave no such output"
