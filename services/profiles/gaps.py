"""Gaps: stretches of a stream or of the main thread in which nothing ran."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Gap", "TrackUse", "gaps_of"]

KEPT = 200
"""Longest gaps kept of one track."""
SHORTEST_US = 1.0


@dataclass(frozen=True, slots=True)
class Gap:
    """One stretch. Times are in microseconds from the beginning of the capture."""

    track: str
    start: float
    length: float
    before: str
    """What ran before it, empty at the beginning of the capture."""
    after: str
    """What ran after it, empty at its end."""


@dataclass(frozen=True, slots=True)
class TrackUse:
    """How much of the capture a stream or thread was at work. Times are in microseconds."""

    track: str
    busy: float
    idle: float
    gaps: int


def gaps_of(
    track: str,
    start: NDArray[np.float64],
    end: NDArray[np.float64],
    names: NDArray[np.int32],
    operations: tuple[tuple[str, str], ...],
    window: tuple[float, float],
) -> tuple[TrackUse, list[Gap]]:
    """The use of one track and its longest gaps, longest first.

    Args:
        track: what to call it.
        start: beginnings of its events, ascending.
        end: their ends.
        names: index into `operations` for each.
        operations: category and name.
        window: beginning and end of the capture; events outside of it widen it.
    """
    if not len(start):
        return TrackUse(track, 0.0, window[1] - window[0], 0), []
    reach = np.maximum.accumulate(end)
    first, last = min(window[0], float(start[0])), max(window[1], float(reach[-1]))
    until = np.concatenate(([first], reach))
    following = np.concatenate((start, [last]))
    lengths = following - until
    there = np.flatnonzero(lengths >= SHORTEST_US)
    idle = float(lengths[lengths > 0].sum())
    longest = there[np.argsort(-lengths[there], kind="stable")][:KEPT]
    ended_by = np.maximum.accumulate(np.where(end >= reach, np.arange(len(end)), 0))

    def named(index: int) -> str:
        return operations[int(names[index])][1]

    found = [
        Gap(
            track,
            float(until[at]) - first,
            float(lengths[at]),
            named(int(ended_by[at - 1])) if at else "",
            named(at) if at < len(start) else "",
        )
        for at in longest.tolist()
    ]
    return TrackUse(track, last - first - idle, idle, len(there)), found
