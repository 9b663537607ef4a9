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
    lengths = np.empty(len(start) + 1)  # from what ended last to what follows, at the beginning and the end too
    lengths[0] = start[0] - first
    np.subtract(start[1:], reach[:-1], out=lengths[1:-1])
    lengths[-1] = last - reach[-1]
    count = int(np.count_nonzero(lengths >= SHORTEST_US))
    idle = float(np.sum(lengths, where=lengths > 0))
    least = SHORTEST_US if count <= KEPT else float(np.partition(lengths, -KEPT)[-KEPT])
    longer = np.flatnonzero(lengths > least)
    there = np.concatenate((longer, np.flatnonzero(lengths == least)[: KEPT - len(longer)]))
    longest = there[np.argsort(-lengths[there], kind="stable")]

    def named(index: int) -> str:
        return operations[int(names[index])][1]

    def ended_by(at: int) -> str:
        """What ended last before an event; of several that ended then, what began last."""
        until = reach[at - 1]
        earliest = int(np.searchsorted(reach, until))
        return named(earliest + int(np.flatnonzero(end[earliest:at] == until)[-1]))

    found = [
        Gap(
            track,
            (float(reach[at - 1]) if at else first) - first,
            float(lengths[at]),
            ended_by(at) if at else "",
            named(at) if at < len(start) else "",
        )
        for at in longest.tolist()
    ]
    return TrackUse(track, last - first - idle, idle, count), found
