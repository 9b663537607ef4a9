"""What a timeline says in words: who is always last, by whose clock, and what is not in it. Plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..flight_recorder.causes import Kind
from ..flight_recorder.slow import MARGIN_S, SHARE, SPREADS
from .clocks import FEWEST, Clocks

if TYPE_CHECKING:
    from .lanes import Timeline
    from .timelines import GroupTimeline

__all__ = ["Statement", "clock_said", "duration_said", "how_late", "left_out_said", "who_is_last"]


OFTEN = 0.1
"""Part of the calls in which a rank has to be clearly last to be named though it is not always last."""


class Statement(NamedTuple):
    """A sentence about who is last."""

    text: str
    stands: bool = False
    """It names a rank that is always last."""


def duration_said(seconds: float) -> str:
    """`850 ns`, `12 µs`, `3.4 ms`, `12 ms`, `1.2 s`, `95 s`, `12 min`, `3.1 h`."""
    value = abs(seconds)
    for factor, unit, limit in ((1e9, "ns", 1e-6), (1e6, "µs", 1e-3), (1e3, "ms", 1.0), (1.0, "s", 120.0)):
        if value < limit:
            scaled = value * factor
            return f"{scaled:.1f} {unit}" if scaled < 9.95 and unit != "ns" else f"{scaled:.0f} {unit}"
    return f"{value / 60:.0f} min" if value < 7200 else f"{value / 3600:.1f} h"


def who_is_last(group: GroupTimeline) -> Statement:
    """Whether one rank is last almost always, by a margin that jitter does not explain."""
    found, lanes = group.statistics, group.timeline.lanes
    timed = group.arrivals.timed
    if not found.calls:
        if not len(timed):
            return Statement("no call is recorded")
        why = "the times are not known" if not timed.any() else "no collective has all ranks with their times"
        return Statement(f"nobody can be called last: {why}")
    if found.latest is None:
        return Statement(f"no rank is last: all come together in {found.calls:,} calls")
    lane = lanes[found.latest]
    often = f"rank {lane.rank} is last in {lane.last:,} of {found.calls:,} calls"
    if found.calls < FEWEST:
        return Statement(f"{often}: too few to tell whether it always is")
    if lane.last < SHARE * found.calls:
        return Statement(f"no rank is always last; {_most_often(group)}")
    margin, apart = found.margin_ns / 1e9, found.apart_ns / 1e9
    if margin < max(MARGIN_S, SPREADS * apart):
        narrow = f"only {duration_said(margin)} after the one before it (the others are {duration_said(apart)} apart)"
        return Statement(f"no rank stands out: {often}, {narrow}")
    said = f"{often}, {duration_said(_seconds_behind(group, found.latest, clearly=False))} behind the median"
    return Statement(said + _if_clocks_differ(group.timeline), stands=True)


def how_late(timeline: Timeline, rank: int) -> str:
    """To which call a rank has not come, in how many calls of its groups it is last: two groups, those first in which
    it most often is."""
    groups = timeline.diagnosis.analysis.job.groups
    awaited = [
        f"has not come to #{one.seq} of {one.group.label}"
        for one in timeline.diagnosis.findings
        if one.kind is Kind.NOT_JOINED and rank in one.culprits and one.group is not None and one.seq is not None
    ]
    lanes = sorted(
        (lane for lane in timeline.lanes if lane.compared), key=lambda lane: (-lane.last / lane.compared, -lane.last)
    )
    if not timeline.lanes:
        return f"rank {rank} is in no group that is recorded"
    said = [f"{lane.last:,} of {lane.compared:,} calls of {groups[lane.group].label}" for lane in lanes[:2]]
    told = awaited[:1] + ([f"is last in {' and '.join(said)}"] if said else [])
    return f"rank {rank} {'; '.join(told)}" if told else f"of rank {rank} no collective has all ranks with their times"


def _most_often(group: GroupTimeline) -> str:
    found, ranks = group.statistics, group.ranks
    lane = int(found.clearly.argmax())
    clear = int(found.clearly[lane])
    if clear >= max(OFTEN * found.calls, SHARE * int(found.clearly.sum())):
        late = duration_said(_seconds_behind(group, lane, clearly=True))
        said = f"rank {ranks[lane]} is clearly last in {clear:,} of {found.calls:,} calls, {late} behind the median"
        return said + _if_clocks_differ(group.timeline)
    lane = int(found.last.argmax())
    return f"rank {ranks[lane]} most often, in {int(found.last[lane]):,} of {found.calls:,} calls"


def _seconds_behind(group: GroupTimeline, lane: int, *, clearly: bool) -> float:
    """How far a rank is behind the median in the calls in which it is (clearly) last, median."""
    own = group.timeline.segments(lane)
    return float(np.median(own.late_s[own.stands_out if clearly else own.is_last]))


def _if_clocks_differ(timeline: Timeline) -> str:
    return " (clocks may differ)" if timeline.clock.kind is Clocks.RECORDED else ""


def clock_said(timeline: Timeline) -> str:
    """Whose clock the times are on."""
    clock = timeline.clock
    if timeline.group is None:
        return "the rank's own clock"
    if clock.kind is Clocks.ONE_HOST:
        return "one clock"
    if clock.kind is Clocks.ESTIMATED:
        return f"clocks {duration_said(clock.apart_s)} apart, estimated and taken out"
    return "clocks as recorded"


def left_out_said(timeline: Timeline) -> str:
    """What is on one axis alone; empty when there is nothing."""
    said = []
    if timeline.untimed:
        said.append(f"calls without a time, by sequence number only: {timeline.untimed:,}")
    if timeline.off_axis:
        said.append(f"P2P calls, by time only: {timeline.off_axis:,}")
    return "; ".join(said)
