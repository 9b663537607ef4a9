"""A timeline: lanes of calls over time or over sequence numbers, each lane read when it is painted."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ..flight_recorder.diagnosis import Diagnosis
    from .clocks import CommonClock
    from .segments import Segments

__all__ = ["Lane", "LaneContent", "Timeline"]

LANES_KEPT = 512
"""Lanes whose segments are kept once they were read."""


class LaneContent(StrEnum):
    """Whether a lane has anything to show, and why not."""

    CALLS = "calls"
    NOTHING = "nothing recorded in this group"
    NO_DUMP = "no dump"


@dataclass(frozen=True, slots=True)
class Lane:
    """One rank in one group."""

    rank: int
    group: int
    """Index into the groups of the job."""
    content: LaneContent
    last: int = 0
    """How often it came last in the calls to which all ranks came."""
    compared: int = 0
    """Number of these calls."""
    late_s: float | None = None
    """How far it is behind the median of a call, mean; None = not known."""
    missing_from: int | None = None
    """First place on the sequence axis to which it has not come; None = it came to all, or that is not known (its dump
    may be older than the others)."""


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """Lanes with a common pair of axes: time (ns on `clock`), and places in the order of the calls."""

    diagnosis: Diagnosis = field(repr=False)
    lanes: tuple[Lane, ...]
    group: int | None
    """The group whose ranks the lanes are; None when the lanes are the groups of `rank`."""
    rank: int | None
    clock: CommonClock
    places: int
    """Places on the sequence axis."""
    oldest: int
    """The first known instant, ns; 0 when none is known."""
    newest: int
    """The last recorded instant."""
    end: int
    """When the dumps were taken, where that is known: until then open calls are known to be open."""
    untimed: int
    """Calls of ranks of which it is not known when they were made: they are on the sequence axis alone."""
    off_axis: int
    """Calls that are on the time axis alone (P2P calls of a group with collectives)."""
    scale_s: float
    """Lateness that counts as full."""
    read: Callable[[int], Segments] = field(repr=False)
    """Makes the segments of a lane; `segments` keeps them."""
    _kept: OrderedDict[int, Segments] = field(default_factory=OrderedDict, repr=False)

    def segments(self, lane: int) -> Segments:
        """The calls of a lane."""
        found = self._kept.get(lane)
        if found is None:
            found = self._kept[lane] = self.read(lane)
            if len(self._kept) > LANES_KEPT:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(lane)
        return found

    def by_lateness(self) -> NDArray[np.intp]:
        """The lanes, worst first: culprits of findings, then those that are late by most over all calls, to 0.1 ms."""
        findings = self.diagnosis.findings
        accused = {(rank, one.group.index) for one in findings if one.group is not None for rank in one.culprits}
        blamed = np.array([(lane.rank, lane.group) in accused for lane in self.lanes], dtype=np.bool_)
        last = np.array([lane.last for lane in self.lanes], dtype=np.int64)
        late = np.array([-np.inf if lane.late_s is None else round(lane.late_s, 4) for lane in self.lanes])
        empty = np.array([lane.content is not LaneContent.CALLS for lane in self.lanes], dtype=np.bool_)
        return np.lexsort((-last, -late, empty, ~blamed))
