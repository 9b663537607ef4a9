"""One clock for the ranks of a group, as far as their records allow it.

Ranks of one host share its clock. Between hosts the offsets are estimated as `flight_recorder.slow` does it, from calls
that follow their predecessor at once. Where no call follows much faster than the others, an offset of a clock and the
slowness of a rank look the same: then nothing is taken out, and times are said to be as recorded; so too when the ranks
scatter more in these calls than their clocks seem to be apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from ..flight_recorder.slow import clock_offsets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["FEWEST", "Clocks", "CommonClock", "common_clock"]

FEWEST, MOST = 20, 200
"""Calls that an estimate needs, and the newest that it looks at."""
FEWEST_RANKS = 3
SCATTER_S = 0.001
"""An estimate from calls in which ranks scatter by no more is good, however small it is."""
SCATTERS = 3.0
"""Else the clocks have to be so many times further apart than the ranks scatter."""
QUICK = 0.25
"""Calls that follow at once do so within this part of the long gaps."""


class Clocks(StrEnum):
    """What is known of the clocks of some ranks."""

    ONE_HOST = "one host"
    ESTIMATED = "estimated"
    """Offsets were estimated and taken out."""
    RECORDED = "recorded"
    """Times are as recorded; clocks may differ."""


@dataclass(frozen=True, slots=True, eq=False)
class CommonClock:
    """How the times of a group's ranks are brought together."""

    kind: Clocks
    offsets: NDArray[np.int64]
    """ns by which the clock of each rank is ahead; to be taken from its times."""

    @property
    def apart_s(self) -> float:
        """How far apart the two most distant clocks are, seconds."""
        return float(np.ptp(self.offsets)) / 1e9 if len(self.offsets) else 0.0


def common_clock(created: NDArray[np.int64], hosts: Sequence[str]) -> CommonClock:
    """
    Args:
        created: when each rank made each call, ns on its own clock, all known, shape `(calls, ranks)`; calls in order.
        hosts: host of each rank; an empty name is a host that is not known.
    """
    ranks = len(hosts)
    nothing = np.zeros(ranks, dtype=np.int64)
    named = [host or f"\0{place}" for place, host in enumerate(hosts)]
    if len(set(named)) <= 1:
        return CommonClock(Clocks.ONE_HOST, nothing)
    newest = created[-MOST:]
    if len(newest) < FEWEST or ranks < FEWEST_RANKS or not _some_follow_at_once(newest):
        return CommonClock(Clocks.RECORDED, nothing)
    offsets = np.rint(clock_offsets(newest, named) * 1e9).astype(np.int64)
    scatter = _scatter(newest, offsets)
    if scatter > SCATTER_S * 1e9 and np.ptp(offsets) <= SCATTERS * scatter:
        return CommonClock(Clocks.RECORDED, nothing)
    return CommonClock(Clocks.ESTIMATED, offsets)


def _scatter(created: NDArray[np.int64], offsets: NDArray[np.int64]) -> float:
    """How far the ranks are from the middle of the group in the calls that follow fastest, offsets taken out: median
    in ns."""
    gaps = np.median(np.diff(created, axis=0), axis=1)
    quick = np.argsort(gaps, kind="stable")[: max(len(gaps) // 10, 5)] + 1
    apart = created[quick] - offsets
    return float(np.median(np.abs(apart - np.median(apart, axis=1, keepdims=True))))


def _some_follow_at_once(created: NDArray[np.int64]) -> bool:
    """By the rank that takes least from one call to the next: it is the one that did not wait for others."""
    gaps = np.diff(created, axis=0).min(axis=1)
    quick = np.sort(gaps)[: max(len(gaps) // 10, 5)]
    return bool(np.median(quick) <= QUICK * np.quantile(gaps, 0.9))
