"""Calls of one rank in one group that overlap, laid side by side: viewers want the slices of a track one by one."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MOST_LANES", "lanes_of"]

MOST_LANES = 64
"""Tracks side by side for one rank and group; a rank with more open calls has the later ones begin when one is over."""


def lanes_of(begin: NDArray[np.int64], end: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The lane of each call, and where it begins in it: `begin`, or later where all lanes are taken.

    Args:
        begin: ascending, ns.
        end: not before `begin`, ns.
    """
    lanes = np.zeros(len(begin), dtype=np.int32)
    if len(begin) < 2 or bool(np.all(begin[1:] >= end[:-1])):
        return lanes, begin
    free: list[int] = []
    busy: list[tuple[int, int]] = []
    used = 0
    shifted = begin.copy()
    for place, (start, stop) in enumerate(zip(begin.tolist(), end.tolist(), strict=True)):
        while busy and busy[0][0] <= start:
            heappush(free, heappop(busy)[1])
        if free:
            lane = heappop(free)
        elif used < MOST_LANES:
            lane = used
            used += 1
        else:
            over, lane = heappop(busy)
            shifted[place] = max(start, over)
            stop = max(stop, over + 1)
        lanes[place] = lane
        heappush(busy, (stop, lane))
    return lanes, shifted
