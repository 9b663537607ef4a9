"""Traces that belong together: one capture under way or over, a saved one, or files that were opened."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from ..ranksets import RankSet

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["OVERDUE_S", "TraceRow", "TraceSet", "TraceState"]

OVERDUE_S = 5.0
"""Seconds after the end of the profile from which an answer that has not begun is said to be late."""


class TraceState(StrEnum):
    """Where one rank's trace stands."""

    ASKED = "asked"
    RECEIVING = "receiving"
    DONE = "done"
    CUT = "cut"
    """It broke off; what came is kept."""
    FAILED = "failed"
    CANCELLED = "cancelled"
    NOT_ASKED = "not asked"

    @property
    def is_over(self) -> bool:
        return self not in (TraceState.ASKED, TraceState.RECEIVING)

    @property
    def has_file(self) -> bool:
        return self in (TraceState.DONE, TraceState.CUT)


@dataclass(frozen=True, slots=True)
class TraceRow:
    """One rank's trace."""

    rank: int
    state: TraceState
    path: Path | None = None
    received: int = 0
    """Bytes of content so far."""
    stored: int = 0
    """Bytes on the disk."""
    error: str = ""
    """Why there is none, or not all of it; one plain line."""
    started_at: int | None = None
    """When the rank was asked, ns since the epoch."""
    took_s: float | None = None
    """Seconds from asking to the whole answer."""


@dataclass(frozen=True, slots=True)
class TraceSet:
    """A capture."""

    id: str
    title: str
    folder: Path | None
    duration_s: float | None
    """How long the profiler was to run; None when that is not known."""
    began_at: int | None
    """ns since the epoch."""
    rows: dict[int, TraceRow] = field(default_factory=dict)
    """By rank, ascending."""
    target: str = ""

    @property
    def under_way(self) -> bool:
        return any(not row.state.is_over for row in self.rows.values())

    @property
    def done(self) -> RankSet:
        """Ranks whose trace is there."""
        return RankSet(rank for rank, row in self.rows.items() if row.state.has_file)

    @property
    def failed(self) -> RankSet:
        """Ranks that gave nothing."""
        return RankSet(rank for rank, row in self.rows.items() if row.state.is_over and not row.state.has_file)

    @property
    def spread_s(self) -> float | None:
        """Seconds between the first and the last request: how common the start was; None without two."""
        at = [row.started_at for row in self.rows.values() if row.started_at is not None]
        return (max(at) - min(at)) / 1e9 if len(at) > 1 else None
