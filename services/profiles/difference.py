"""Where two ranks, or a rank and the median of all, spend their time differently."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .summary import OperatorRow, ProfileSummary

__all__ = ["DifferenceRow", "difference", "from_median"]


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """One operator here and there. Times are in microseconds."""

    name: str
    category: str
    here: float
    """Self time of the rank looked at."""
    there: float
    """Self time of the other rank, or the median."""
    calls_here: int
    calls_there: float

    @property
    def more(self) -> float:
        """Self time here beyond that there; negative when it is less."""
        return self.here - self.there


def difference(here: ProfileSummary, there: ProfileSummary) -> tuple[DifferenceRow, ...]:
    """Every operator of either, the greatest difference of self time first."""
    return from_median(here, (there,))


def from_median(here: ProfileSummary, others: Sequence[ProfileSummary]) -> tuple[DifferenceRow, ...]:
    """Every operator of any, the greatest difference of self time to the median first.

    Args:
        here: the rank looked at.
        others: what the median is of; an operator that one of them lacks counts as 0 there. Whether `here` is among
            them is for the caller to say.
    """
    mine = _by_name(here)
    theirs = [_by_name(other) for other in others]
    names = dict.fromkeys(mine)
    for one in theirs:
        names.update(dict.fromkeys(one))
    rows = []
    for name, category in names:
        own = mine.get((name, category))
        found = [one.get((name, category)) for one in theirs]
        rows.append(
            DifferenceRow(
                name,
                category,
                own.self_time if own else 0.0,
                median([row.self_time if row else 0.0 for row in found]) if found else 0.0,
                own.calls if own else 0,
                float(median([row.calls if row else 0 for row in found])) if found else 0.0,
            )
        )
    rows.sort(key=lambda row: (-abs(row.more), row.name, row.category))
    return tuple(rows)


def _by_name(summary: ProfileSummary) -> dict[tuple[str, str], OperatorRow]:
    return {(row.name, row.category): row for row in summary.operators}
