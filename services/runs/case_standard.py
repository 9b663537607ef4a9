"""How a case wants its outputs compared: what a person asks for, what its spec declares, what its row allows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..comparison.routing import choose_standard

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..comparison.judging import Standard

__all__ = ["CaseStandard"]


@dataclass(frozen=True, slots=True)
class CaseStandard:
    """Nothing given: what is usual for each dtype (`choose_standard`)."""

    requested: str | None = None
    """Name of the standard a person asks for."""
    declared: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By the output's dtype: `standard` and limits of it."""
    limits: tuple[Mapping[str, float | None], ...] = ()
    """rtol, ptol, atol of each output; the last one holds for all further outputs."""

    def rule(self, output: str, dtype: str, input_dtypes: Iterable[str] | None = None) -> Standard:
        """The standard that judges one output.

        Args:
            output: its name: `0`, `1`, and `2.0`, `2.1` in a list, which has one entry of limits.
            dtype: its logical dtype.
            input_dtypes: of the operator's inputs; None: not known.

        Raises:
            ComparisonError: what is asked for or declared does not exist, or not for this output.
        """
        row = None
        if self.limits:
            number = output.partition(".")[0]
            at = int(number) if number.isascii() and number.isdecimal() else 0
            row = self.limits[min(at, len(self.limits) - 1)]
        return choose_standard(
            dtype,
            requested=self.requested,
            declared=self.declared.get(dtype),
            row=row,
            input_dtypes=input_dtypes,
        )
