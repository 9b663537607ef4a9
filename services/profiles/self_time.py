"""Self time: each instant of a thread belongs to the event that began last among those that are not over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["self_times"]

SLICE = 65_536
"""Events that are Python numbers at one time."""


def self_times(start: NDArray[np.float64], end: NDArray[np.float64]) -> NDArray[np.float64]:
    """Self time of each event of one thread, shape `(events,)`, in the unit of the arguments.

    Events that overlap without one being inside the other are told apart like all: what began last has the time. So
    the sum is the time in which anything ran.

    Args:
        start: ascending; of equal ones the longest first.
        end: not before `start`.
    """
    own = np.zeros(len(start))
    ends: list[float] = []
    indexes: list[int] = []
    gathered: list[float] = []
    now = 0.0
    for base in range(0, len(start), SLICE):
        done: list[int] = []
        amounts: list[float] = []
        begins = start[base : base + SLICE].tolist()
        for index, (begin, over) in enumerate(zip(begins, end[base : base + SLICE].tolist(), strict=True), base):
            while ends:
                last = ends[-1]
                if last > begin:
                    if begin > now:
                        gathered[-1] += begin - now
                    break
                ends.pop()
                amount = gathered.pop()
                if last > now:
                    amount += last - now
                    now = last
                done.append(indexes.pop())
                amounts.append(amount)
            now = begin
            ends.append(over)
            indexes.append(index)
            gathered.append(0.0)
        own[done] = amounts
    while ends:
        last, amount, index = ends.pop(), gathered.pop(), indexes.pop()
        if last > now:
            amount += last - now
            now = last
        own[index] = amount
    return own
