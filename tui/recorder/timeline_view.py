"""Which timeline is shown, along which axis, its lanes in which order, and the call that the cursor is on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...services.recorder_timeline.cells import Cells, cells_by_call, cells_by_time
from ...services.recorder_timeline.facts import CallFacts, facts_of
from ...services.recorder_timeline.timelines import Timelines
from .timeline_reach import Reach
from .timeline_window import Window

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ...services.flight_recorder.diagnosis import Diagnosis
    from ...services.ranksets import RankSet
    from ...services.recorder_timeline.lanes import Timeline

__all__ = ["Axis", "CallKey", "Subject", "TimelineView", "make"]

AT_ONCE = 500_000
"""Calls of ranks that are brought together on the spot; more are done beside the screen."""
TAIL = 0.25
"""Open calls are shown up to the time of the dumps when that takes no more than this part of the axis."""


class Axis(StrEnum):
    """What runs from left to right in a timeline."""

    CALLS = "by sequence"
    TIME = "by time"


class CallKey(NamedTuple):
    """A call of a rank, the same in every look."""

    rank: int
    group: int
    seq: int
    p2p: bool


@dataclass(frozen=True, slots=True)
class Subject:
    """What the lanes are: the ranks of a group, or the groups of a rank."""

    group: int | None
    rank: int | None


def make(timelines: Timelines, subject: Subject) -> Timeline | None:
    """The timeline of a subject; slow for a big job the first time. None when there is no group."""
    if subject.group is not None:
        return timelines.of_group(subject.group).timeline
    return None if subject.rank is None else timelines.of_rank(subject.rank)


def _cost(timelines: Timelines, subject: Subject) -> int:
    if subject.group is not None:
        return timelines.size_of(subject.group)
    groups = [] if subject.rank is None else timelines.groups_of(subject.rank)
    return sum(timelines.size_of(group) for group in groups)


class TimelineView:
    """The choice over one diagnosis. It has no widget and paints nothing."""

    def __init__(self) -> None:
        self.timelines: Timelines | None = None
        self.subject: Subject | None = None
        self.axis = Axis.CALLS
        self.worst_first = True
        self.columns = 1
        self.window = Window.whole(0, 0, 1, by_call=True)
        self.order: NDArray[np.intp] = np.empty(0, np.intp)
        """Lanes that are shown, in their order."""
        self.place = 0
        """The cursor's place in `order`."""
        self.call: int | None = None
        """The cursor's call, as index into `Matched`."""
        self.filtered: RankSet | None = None
        """Ranks that have a lane; None is all."""
        self._timeline: Timeline | None = None
        self.wanted: tuple[Timelines, Subject] | None = None
        """What takes long to make: it is to be made beside the screen (`make`), then taken."""
        self._sorted: tuple[Timeline, NDArray[np.intp]] | None = None
        """The order of the lanes by lateness, worked out once for a timeline."""
        self._parked: CallKey | None = None
        """The cursor's call while nothing is shown."""

    # what is shown --------------------------------------------------------------------------------------------

    @property
    def timeline(self) -> Timeline | None:
        """None as long as there is nothing, or it is still being made."""
        return self._timeline

    @property
    def lane(self) -> int | None:
        """The lane the cursor is on."""
        return int(self.order[self.place]) if self.place < len(self.order) else None

    @property
    def key(self) -> CallKey | None:
        """The call the cursor is on."""
        if self.timeline is None or self.call is None or self.lane is None:
            return None
        matched, lane = self.timeline.diagnosis.analysis.matched, self.timeline.lanes[self.lane]
        return CallKey(lane.rank, lane.group, int(matched.call_seq[self.call]), bool(matched.call_p2p[self.call]))

    def show(
        self, diagnosis: Diagnosis | None, hosts: Mapping[int, str], subject: Subject | None, shown: RankSet | None
    ) -> None:
        """Another look, subject or filter; the cursor stays on its call, and that at its place on the screen.

        What takes long is left in `wanted`; until `take` the look before is shown, if it is of the same subject.

        Args:
            subject: None keeps the one that is shown, or takes the usual one.
        """
        self.filtered = shown
        if diagnosis is None:
            self.timelines, self._timeline, self.subject, self.wanted = None, None, None, None
            self._arrange(None, None, None)
            return
        known = [self.timelines, self.wanted[0] if self.wanted else None]
        timelines = next((one for one in known if one is not None and one.diagnosis is diagnosis), None)
        timelines = timelines or Timelines(diagnosis, hosts)
        subject = subject or (self.wanted[1] if self.wanted else self.subject)
        if subject is None or (subject.group or 0) >= len(diagnosis.analysis.job.groups):
            subject = Subject(timelines.usual_group(), None)
        if _cost(timelines, subject) <= AT_ONCE:
            self.wanted = timelines, subject
            self.take(timelines, subject)
            return
        if (timelines, subject) == (self.timelines, self.subject):
            self._arrange(self.key, self.column_of_cursor(), self._timeline)
            return
        self.wanted = timelines, subject
        if subject != self.subject:
            self._parked = self.key or self._parked
            self.timelines, self.subject, self._timeline = timelines, subject, None
            self._arrange(None, None, None)

    @property
    def cost(self) -> int:
        """Calls of ranks that have to be brought together for what is wanted."""
        return _cost(*self.wanted) if self.wanted else 0

    def take(self, timelines: Timelines, subject: Subject) -> bool:
        """Show what was wanted; slow for a big job as long as `make` has not run. False when it is wanted no more."""
        if self.wanted != (timelines, subject):
            return False
        self.wanted = None
        key, column, before = self.key or self._parked, self.column_of_cursor(), self._timeline
        if subject != self.subject:
            column, before = None, None
        self.timelines, self.subject, self._parked = timelines, subject, None
        self._timeline = make(timelines, subject)
        self._arrange(key, column, before)
        return True

    def go_to(self, key: CallKey) -> None:
        """To a call, where the lanes have it."""
        self._arrange(key, None, None)

    def _arrange(self, key: CallKey | None, column: int | None, before: Timeline | None) -> None:
        """Lanes and window anew, the cursor on a call where it is still there.

        Args:
            column: where on the screen the call is kept; None = it was not on the screen.
            before: the timeline of the same subject that was shown until now; None shows all of the axis.
        """
        timeline = self._timeline
        if timeline is None:
            self.order, self.call, self.place = np.empty(0, np.intp), None, 0
            return
        order = self._by_lateness(timeline) if self.worst_first else np.arange(len(timeline.lanes))
        if self.filtered is not None and timeline.group is not None:
            ranks = np.array([lane.rank in self.filtered for lane in timeline.lanes], dtype=np.bool_)
            order = order[ranks[order]]
        self.order = order
        kept = self.window
        low, high = self._span(timeline)
        self.window = Window.whole(low, high, self.columns, by_call=self.axis is Axis.CALLS)
        self._stand_on(key)
        x = self._x()
        if before is not None and not kept.fitted and kept.by_call == self.window.by_call:
            zoomed = Window(low, high, self.columns, kept.by_call, kept.start, kept.per_cell, fitted=False)
            if column is not None and x is not None:
                self.window = zoomed.placed(x, column)
            else:
                moved = 0 if kept.by_call else before.newest - timeline.newest
                self.window = zoomed.placed(kept.start + moved, 0)

    def _by_lateness(self, timeline: Timeline) -> NDArray[np.intp]:
        if self._sorted is None or self._sorted[0] is not timeline:
            self._sorted = timeline, timeline.by_lateness()
        return self._sorted[1]

    def _span(self, timeline: Timeline) -> tuple[float, float]:
        if self.axis is Axis.CALLS:
            return 0.0, float(timeline.places)
        recorded = float(timeline.newest - timeline.oldest) if timeline.oldest else 0.0
        tail = float(timeline.end - timeline.newest)
        return -recorded, tail if tail <= TAIL * recorded else max(recorded * 0.04, 1.0)

    def _stand_on(self, key: CallKey | None) -> None:
        timeline = self._timeline
        if timeline is None:
            return
        lanes = timeline.lanes
        places = [
            place
            for place, lane in enumerate(self.order.tolist())
            if key is not None and (lanes[lane].rank, lanes[lane].group) == key[:2]
        ]
        self.place = places[0] if places else min(self.place, max(len(self.order) - 1, 0)) if key else 0
        reach = self._reach()
        self.call = None
        if not len(reach):
            return
        matched = timeline.diagnosis.analysis.matched
        if key is not None and places:
            same = np.flatnonzero((matched.call_seq[reach.call] == key.seq) & (matched.call_p2p[reach.call] == key.p2p))
            if len(same):
                self.call = int(reach.call[same[0]])
                return
        self.call = reach.best(np.arange(len(reach)), newest=True)

    def resize(self, columns: int) -> None:
        if columns != self.columns:
            self.columns = max(columns, 1)
            self.window = self.window.resized(self.columns)

    def cells(self, lanes: Sequence[int]) -> Cells | None:
        """What the cells of some lanes say, in the columns of the window."""
        if self._timeline is None or not lanes:
            return None
        window = self.window
        if self.axis is Axis.TIME:
            if not self._timeline.oldest:
                return None
            return cells_by_time(self._timeline, lanes, window.start, window.per_cell, window.columns)
        wide = window.cells_per_call
        calls = -(-window.columns // wide)
        made = cells_by_call(self._timeline, lanes, int(window.start), max(round(window.per_cell), 1), calls)
        if wide == 1:
            return made
        kind, level = (np.repeat(part, wide, axis=1)[:, : window.columns] for part in (made.kind, made.level))
        kind[:, wide - 1 :: wide] = 0  # a gap, so that the calls can be told apart
        return Cells(kind, level)

    def facts(self) -> CallFacts | None:
        """What is known of the call the cursor is on."""
        if self.timelines is None or self._timeline is None or self.call is None or self.lane is None:
            return None
        return facts_of(self.timelines, self._timeline.lanes[self.lane].rank, self.call)

    # moving ---------------------------------------------------------------------------------------------------

    def switch_axis(self) -> None:
        key = self.key
        self.axis = Axis.TIME if self.axis is Axis.CALLS else Axis.CALLS
        self._arrange(key, None, None)

    def switch_order(self) -> None:
        key, column = self.key, self.column_of_cursor()
        self.worst_first = not self.worst_first
        self._arrange(key, column, self._timeline)

    def turned(self) -> Subject | None:
        """The subject that crosses this one at the cursor: the rank of the lane, or its group."""
        if self._timeline is None or self.lane is None:
            return None
        lane = self._timeline.lanes[self.lane]
        return Subject(None, lane.rank) if self._timeline.group is not None else Subject(lane.group, None)

    def zoom(self, steps: int) -> None:
        x = self._x()
        self.window = self.window.zoomed(steps, self.window.start if x is None else x)

    def fit(self) -> None:
        self.window = self.window.fit()

    def pan(self, cells: int) -> None:
        self.window = self.window.panned(cells)

    def go_to_lane(self, place: int) -> None:
        """To a lane, and to its call that is the same as, or nearest to, the one before."""
        if not len(self.order):
            return
        x, call = self._x(), self.call
        self.place = min(max(place, 0), len(self.order) - 1)
        reach = self._reach()
        self.call = None
        if call is not None and (reach.call == call).any():
            self.call = call
        elif len(reach):
            self.call = reach.best(reach.nearest(x), newest=True)

    def go_to_rank(self, rank: int) -> None:
        """To the lane of a rank, where the lanes are ranks and it is among them."""
        if self._timeline is None or self._timeline.group is None:
            return
        for place, lane in enumerate(self.order.tolist()):
            if self._timeline.lanes[lane].rank == rank:
                if place != self.place:
                    self.go_to_lane(place)
                return

    def step(self, direction: int) -> None:
        """To the next call of the lane that is in another cell, to the right or to the left."""
        reach, x = self._reach(), self._x()
        columns = reach.columns(self.window)
        here = -np.inf if x is None else float(self.window.column(x))
        beyond = columns[columns > here] if direction > 0 else columns[columns < here]
        if not len(beyond):
            return
        target = beyond.min() if direction > 0 else beyond.max()
        self.call = reach.best(np.flatnonzero(columns == target), newest=direction < 0)
        x = self._x()
        if x is not None:
            self.window = self.window.showing(x)

    def go_to_column(self, place: int, column: int) -> None:
        """To a lane, and to the call nearest to a column."""
        self.go_to_lane(place)
        reach = self._reach()
        away = np.abs(reach.columns(self.window) - column)
        if not np.isnan(away).all():
            self.call = reach.best(np.flatnonzero(away == np.nanmin(away)), newest=True)

    def _reach(self) -> Reach:
        """The calls of the cursor's lane that the cursor can be on."""
        timeline = self._timeline
        if timeline is None or self.lane is None or self.timelines is None:
            return Reach.none()
        own, lane = timeline.segments(self.lane), timeline.lanes[self.lane]
        if self.axis is Axis.CALLS:
            xs = np.where(own.place >= 0, own.place, np.nan)
        else:
            xs = np.where(own.created > 0, own.created - timeline.newest, np.nan)
        made = Reach(own.call, xs, own.open, own.stands_out)
        if self.axis is Axis.TIME or timeline.group is None or lane.missing_from is None:
            return made
        first = self.timelines.calls_of(timeline.group).start
        return made.with_missing(np.arange(lane.missing_from, timeline.places), first)

    def _x(self) -> float | None:
        """Where the cursor's call is on the axis."""
        reach = self._reach()
        here = reach.x[reach.call == self.call] if self.call is not None else reach.x[:0]
        return float(here[0]) if len(here) and not np.isnan(here[0]) else None

    def column_of_cursor(self) -> int | None:
        """The column of the cursor's call, None when it is not on the screen."""
        x = self._x()
        return None if x is None or not self.window.sees(x) else self.window.column(x)
