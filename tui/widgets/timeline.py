"""The flight recorder as a timeline: a lane a rank or a group, a cell a stretch of time or of calls (line API)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

from ...services.recorder_timeline.lanes import LaneContent
from ..actions.registry import Scope, bindings
from ..recorder.timeline_view import CallKey, Subject, make
from .timeline_lanes import TimelineLanes
from .timeline_words import why_empty

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual import events

    from ...services.flight_recorder.diagnosis import Diagnosis
    from ...services.ranksets import RankSet
    from ...services.recorder_timeline.timelines import Timelines

__all__ = ["CallKey", "TimelinePane"]


class TimelinePane(TimelineLanes, can_focus=True):
    """The timeline widget. Its cursor is a call of a lane; what is chosen is in `view`."""

    BINDINGS = bindings(Scope.TIMELINE)

    class CallChosen(Message):
        """A call was chosen, to be looked at elsewhere."""

        def __init__(self, rank: int, group_index: int, seq: int, p2p: bool) -> None:
            super().__init__()
            self.rank = rank
            self.group_index = group_index
            self.seq = seq
            self.p2p = p2p

    class RankChosen(Message):
        """The cursor came to the lane of another rank."""

        def __init__(self, rank: int) -> None:
            super().__init__()
            self.rank = rank

    class Made(Message):
        """A timeline that takes long is made."""

        def __init__(self, timelines: Timelines, subject: Subject) -> None:
            super().__init__()
            self.timelines = timelines
            self.subject = subject

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._asked: tuple[int | None, int | None] | None = None
        """Group and rank that were wanted last."""
        self._selected: int | None = None
        self._then: tuple[int | None, CallKey | None] = None, None
        """Where the cursor is to go when there are lanes."""
        self._under_way: tuple[Timelines, Subject] | None = None
        """What a thread is making."""

    # what it shows --------------------------------------------------------------------------------------------

    def show(
        self,
        diagnosis: Diagnosis | None,
        *,
        group: int | None = None,
        rank: int | None = None,
        shown: RankSet | None = None,
        cursor: CallKey | None = None,
        selected: int | None = None,
        hosts: Mapping[int, str] | None = None,
    ) -> None:
        """Show a look. What a person chose in the pane stays, until another group or rank is wanted.

        Args:
            diagnosis: what one recorder says; None when there is nothing.
            group: index of the group whose ranks are the lanes; the cursor goes to `rank`.
            rank: without a group: the rank whose groups are the lanes. Without both: the group of the first finding,
                or the largest.
            shown: ranks that have a lane; None is all.
            cursor: call to go to.
            selected: the rank selected elsewhere; when it changes the cursor goes to its lane.
            hosts: host of each rank, where the dumps do not name it: ranks of one host share a clock.
        """
        asked = (group, rank)
        subject = None
        if self._asked is None or group != self._asked[0]:
            subject = Subject(group, None) if group is not None else Subject(None, rank) if rank is not None else None
        elif group is None and rank is not None and rank != self._asked[1]:
            subject = Subject(None, rank) if self.view.subject is None or self.view.subject.group is None else None
        turned_to = rank if self._asked is None or rank != self._asked[1] else None
        self._asked = asked
        if cursor is not None and subject is None and self.view.subject not in (None, Subject(None, cursor.rank)):
            subject = Subject(cursor.group, None)
        self.view.columns = self.strip_width
        self.view.show(diagnosis, hosts or {}, subject, shown)
        if turned_to is None and self._selected not in (None, selected):
            turned_to = selected
        self._selected = selected
        self._go(turned_to, cursor)
        self._make_beside()

    def _go(self, rank: int | None, cursor: CallKey | None) -> None:
        """To a rank, to a call, when there are lanes; else when there are."""
        if self.view.timeline is None:
            self._then = self._then[0] if rank is None else rank, cursor or self._then[1]
            self.paint_anew()
            return
        self._then = None, None
        if rank is not None:
            self.view.go_to_rank(rank)
        if cursor is not None:
            self.view.go_to(cursor)
        self.paint_anew()

    def _make_beside(self) -> None:
        """Bring a big group together on a thread of its own."""
        if self.view.wanted is None or self.view.wanted == self._under_way:
            return
        self._under_way = self.view.wanted
        timelines, subject = self.view.wanted

        def carry_out() -> None:
            make(timelines, subject)
            self.post_message(self.Made(timelines, subject))

        self.run_worker(carry_out, group="timeline", exclusive=True, thread=True)

    def on_timeline_pane_made(self, message: Made) -> None:
        message.stop()
        if self._under_way == (message.timelines, message.subject):
            self._under_way = None
        if self.view.take(message.timelines, message.subject):
            self._go(*self._then)

    # moving ---------------------------------------------------------------------------------------------------

    def do_up(self) -> None:
        self._to_lane(self.view.place - 1)

    def do_down(self) -> None:
        self._to_lane(self.view.place + 1)

    def do_page_up(self) -> None:
        self._to_lane(self.view.place - self.page)

    def do_page_down(self) -> None:
        self._to_lane(self.view.place + self.page)

    def do_first(self) -> None:
        self._to_lane(0)

    def do_last(self) -> None:
        self._to_lane(len(self.view.order) - 1)

    def do_left(self) -> None:
        self.view.step(-1)
        self.paint_anew()

    def do_right(self) -> None:
        self.view.step(1)
        self.paint_anew()

    def do_pan_left(self) -> None:
        self.view.pan(-max(self.strip_width // 2, 1))
        self.paint_anew()

    def do_pan_right(self) -> None:
        self.view.pan(max(self.strip_width // 2, 1))
        self.paint_anew()

    def do_zoom_in(self) -> None:
        self.view.zoom(1)
        self.paint_anew()

    def do_zoom_out(self) -> None:
        self.view.zoom(-1)
        self.paint_anew()

    def do_fit_axis(self) -> None:
        self.view.fit()
        self.paint_anew()

    def do_axis(self) -> None:
        self.view.switch_axis()
        self.paint_anew()

    def do_lane_order(self) -> None:
        self.view.switch_order()
        self.paint_anew()

    def do_turn(self) -> None:
        """From the ranks of a group to the groups of a rank, and the other way."""
        subject, view = self.view.turned(), self.view
        if subject is None or view.timelines is None:
            return
        view.show(view.timelines.diagnosis, view.timelines.hosts, subject, view.filtered)
        self._make_beside()
        self.paint_anew()

    def choose_call(self) -> str:
        """Tell the screen that the call of the cursor is to be looked at; why not, where there is none."""
        key = self.view.key
        if key is not None:
            self.post_message(self.CallChosen(*key))
            return ""
        if self.view.wanted is not None:
            return "the calls are still being brought together"
        timeline, lane = self.view.timeline, self.view.lane
        if timeline is None or lane is None:
            return "there is no call to go to" + (": no rank is shown" if self.view.filtered is not None else "")
        own = timeline.lanes[lane]
        why = why_empty(timeline, own) if own.content is not LaneContent.CALLS else "no call under the cursor"
        return f"there is no call to go to: rank {own.rank}: {why}"

    def _to_lane(self, place: int) -> None:
        rank = self._rank
        self.view.go_to_lane(place)
        self.paint_anew()
        if self._rank is not None and self._rank != rank:
            self.post_message(self.RankChosen(self._rank))

    @property
    def _rank(self) -> int | None:
        """Rank of the cursor's lane."""
        timeline, lane = self.view.timeline, self.view.lane
        return None if timeline is None or lane is None else timeline.lanes[lane].rank

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None:
            return
        place = self.place_at(offset.y)
        if place is None:
            return
        self._to_lane(place)
        column = offset.x - self.label_width
        if column >= 0:
            self.view.go_to_column(place, column)
            self.paint_anew()
        if event.chain == 2:
            self.choose_call()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        if event.ctrl:
            self.do_zoom_out()
        else:
            self._to_lane(self.view.place + 1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        if event.ctrl:
            self.do_zoom_in()
        else:
            self._to_lane(self.view.place - 1)
