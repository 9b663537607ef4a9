"""The choice over a timeline: subject, axis, order, cursor, and what stays when another look comes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob
from tests.services.flight_recorder.looking import diagnosed
from tests.services.recorder_timeline.timed_jobs import TimedJob
from xpudbg.services.ranksets import RankSet
from xpudbg.services.recorder_timeline.cells import CellKind
from xpudbg.tui.recorder import timeline_view
from xpudbg.tui.recorder.timeline_view import Axis, CallKey, Subject, TimelineView


def view_of(job: TimedJob, columns: int = 50, subject: Subject | None = None) -> TimelineView:
    view = TimelineView()
    view.columns = columns
    view.show(job.diagnosis(), {}, subject, None)
    return view


def take_wanted(view: TimelineView) -> None:
    """What is done beside the screen."""
    assert view.wanted is not None
    assert view.take(*view.wanted)
    assert view.wanted is None


def walked(view: TimelineView, steps: int) -> list[int]:
    seqs = []
    for _ in range(abs(steps)):
        view.step(1 if steps > 0 else -1)
        assert view.key is not None
        seqs.append(view.key.seq)
    return seqs


def test_it_begins_with_the_call_that_is_missing() -> None:
    view = view_of(TimedJob(8, 64, stops={3: 40}), 15)
    assert view.key == CallKey(3, 0, 41, False)
    facts, cells, column = view.facts(), view.cells([3]), view.column_of_cursor()
    assert facts is not None
    assert facts.state is None
    assert cells is not None
    assert cells.kind[0, column] == CellKind.MISSING
    view.go_to_lane(1)
    assert view.key is not None
    assert view.key.seq == 41  # the same call, in which this one waits


def test_steps_go_from_cell_to_cell() -> None:
    view = view_of(TimedJob(2, 200), 50)
    assert view.window.per_cell == 4
    assert view.key is not None
    assert view.key.seq == 200
    assert walked(view, -3) == [196, 192, 188]
    view.step(1)
    assert view.key.seq in range(189, 193)


def test_a_step_beyond_the_edge_moves_the_window() -> None:
    view = view_of(TimedJob(2, 200), 50)
    view.zoom(2)
    before = view.window.start
    assert view.window.per_cell == 1
    walked(view, -60)
    assert view.window.start < before
    assert view.column_of_cursor() is not None


def test_no_step_leads_out_of_the_lane() -> None:
    view = view_of(TimedJob(2, 5), 50)
    assert walked(view, -9)[-1] == 1
    assert walked(view, 9)[-1] == 5


def test_lanes_keep_the_moment() -> None:
    view = view_of(TimedJob(8, 64, {5: 12.0}), 64)
    view.switch_axis()
    assert view.axis is Axis.TIME
    walked(view, -10)
    key = view.key
    assert key is not None
    view.go_to_lane(3)
    assert view.key is not None
    assert view.key.rank != key.rank
    assert view.key.seq == key.seq
    view.go_to_lane(99)
    assert view.place == 7
    view.go_to_lane(-4)
    assert view.place == 0


def test_order_by_rank_and_back() -> None:
    view = view_of(TimedJob(8, 64, {5: 12.0}))
    assert view.timeline is not None
    assert view.timeline.lanes[view.order[0]].rank == 5
    key = view.key
    view.switch_order()
    assert view.order.tolist() == list(range(8))
    assert (view.key, view.place) == (key, 5)


def test_another_look_keeps_the_call_at_its_place_on_the_screen() -> None:
    view = view_of(TimedJob(4, 400, {1: 9.0}), 50)
    view.zoom(3)
    walked(view, -30)
    key, column, per_cell = view.key, view.column_of_cursor(), view.window.per_cell
    view.show(TimedJob(4, 430, {1: 9.0}).diagnosis(), {}, None, None)
    assert (view.key, view.column_of_cursor(), view.window.per_cell) == (key, column, per_cell)


def test_all_stays_all_when_another_look_comes() -> None:
    view = view_of(TimedJob(4, 400), 50)
    view.show(TimedJob(4, 800).diagnosis(), {}, None, None)
    assert view.window.per_cell == 16
    assert view.window.fitted


def test_only_ranks_that_match_have_a_lane() -> None:
    view, diagnosis = view_of(TimedJob(8, 64)), TimedJob(8, 64).diagnosis()
    view.show(diagnosis, {}, None, RankSet.parse("2-4"))
    assert view.timeline is not None
    assert sorted(view.timeline.lanes[lane].rank for lane in view.order) == [2, 3, 4]
    view.show(diagnosis, {}, None, RankSet())
    assert (view.lane, view.key, view.facts()) == (None, None, None)
    view.step(1)
    view.go_to_lane(0)
    view.show(diagnosis, {}, None, None)
    assert len(view.order) == 8


def test_from_the_group_to_the_rank_and_back() -> None:
    groups = [FakeGroup("0", "default_pg", (0, 1, 2, 3)), FakeGroup("1", "tp", (0, 1))]
    diagnosis = diagnosed(FakeJob(4, groups, [Call("0"), Call("1"), Call("0")]))
    view = TimelineView()
    view.show(diagnosis, {}, Subject(1, None), None)
    assert view.timeline is not None
    assert view.turned() == Subject(None, view.timeline.lanes[view.order[0]].rank)
    view.show(diagnosis, {}, Subject(None, 1), None)
    assert view.timeline is not None
    assert [lane.group for lane in view.timeline.lanes] == [0, 1]
    view.go_to_lane(view.order.tolist().index(1))
    assert view.turned() == Subject(1, None)


def test_a_group_that_is_gone_gives_way_to_the_usual_one() -> None:
    view = view_of(TimedJob(4, 8))
    view.show(TimedJob(4, 8).diagnosis(), {}, Subject(17, None), None)
    assert view.subject == Subject(0, None)


def test_nothing_to_show() -> None:
    view = view_of(TimedJob(4, 8))
    view.show(None, {}, None, None)
    assert (view.timeline, view.key, view.lane, view.cells([])) == (None, None, None, None)
    view.zoom(1)
    view.pan(4)
    view.step(1)
    view.switch_axis()


def test_what_is_big_is_not_made_on_the_spot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline_view, "AT_ONCE", 100)
    view = view_of(TimedJob(4, 64))
    assert (view.timeline, view.cost) == (None, 256)
    first = view.wanted
    take_wanted(view)
    view.step(-1)
    key, shown = view.key, view.timeline
    view.show(TimedJob(4, 70).diagnosis(), {}, None, None)
    assert view.timeline is shown  # the look before, until the new one is made
    assert first is not None
    assert not view.take(*first)
    take_wanted(view)
    assert view.timeline is not shown
    assert view.key == key
    view.show(shown.diagnosis if shown else None, {}, Subject(None, 2), None)
    take_wanted(view)
    assert view.subject == Subject(None, 2)


def test_a_window_without_the_cursor_stays_where_it_is() -> None:
    view = view_of(TimedJob(4, 400, {1: 9.0}), 50)
    view.zoom(3)
    view.pan(-500)
    assert view.column_of_cursor() is None
    view.show(TimedJob(4, 430, {1: 9.0}).diagnosis(), {}, None, None)
    assert (view.window.start, view.window.per_cell) == (0, 1)
    view.switch_axis()
    view.zoom(3)
    view.pan(-100)
    instant = view.window.start + (view.timeline.newest if view.timeline else 0)
    view.show(TimedJob(4, 460, {1: 9.0}).diagnosis(), {}, None, None)
    assert view.window.start + (view.timeline.newest if view.timeline else 0) == pytest.approx(instant)


def test_wide_calls_have_a_gap_between_them() -> None:
    view = view_of(TimedJob(2, 5), 20)
    cells = view.cells([0, 1])
    assert cells is not None
    assert cells.kind.shape == (2, 20)
    assert not cells.kind[:, 3::4].any()
    assert (cells.kind[:, 0::4] >= CellKind.CALL).all()


def test_a_click_takes_the_nearest_call() -> None:
    view = view_of(TimedJob(2, 200), 50)
    view.go_to_column(1, 10)
    assert view.key is not None
    assert view.key.seq in range(41, 45)
    assert view.column_of_cursor() == 10


def test_the_open_call_is_on_both_axes() -> None:
    view = view_of(TimedJob(4, 64, stops={3: 40}), 50)
    cells = view.cells(range(4))
    assert cells is not None
    assert np.flatnonzero((cells.kind == CellKind.WAITING).any(axis=1)).tolist() == [0, 1, 2]
    view.switch_axis()
    cells = view.cells(range(4))
    assert cells is not None
    assert (cells.kind[:3, -1] == CellKind.WAITING).all()
    assert cells.kind[3, -1] == CellKind.NOTHING
