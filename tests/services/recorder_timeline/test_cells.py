"""Cells of lanes against the same worked out segment by segment."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.recorder_timeline.cells import FULL, CellKind, cells_by_call, cells_by_time, lateness_level
from xpudbg.services.recorder_timeline.clocks import Clocks, CommonClock
from xpudbg.services.recorder_timeline.lanes import Lane, LaneContent, Timeline
from xpudbg.services.recorder_timeline.segments import CallState, Segments
from xpudbg.services.recorder_timeline.timelines import Timelines

from .timed_jobs import TimedJob

NEWEST = 1_000_000
NOBODY = TimedJob(1, 1).diagnosis()


@st.composite
def lanes(draw: st.DrawFn) -> Segments:
    """Calls of one rank one after another, some of them open, late, without an end or without any time."""
    rows = []
    now = 1
    for place in range(draw(st.integers(0, 12))):
        now += draw(st.integers(0, 40))
        wait, runs = draw(st.integers(0, 20)), draw(st.integers(0, 40))
        kind = draw(st.sampled_from(["ended", "ended", "ended", "no end", "no time", "open", "started", "overran"]))
        is_open = kind in ("open", "started")
        state = {"open": CallState.SCHEDULED, "started": CallState.STARTED, "overran": CallState.TIMED_OUT}
        rows.append(
            {
                "part": place,
                "call": place,
                "created": 0 if kind == "no time" else now,
                "started": now + wait if kind in ("ended", "started") else 0,
                "completed": now + wait + runs if kind in ("ended", "overran") else 0,
                "state": state.get(kind, CallState.COMPLETED),
                "open": is_open,
                "late_s": draw(st.sampled_from([math.nan, -1.0, 0.0, 0.4, 1.0, 3.0])),
                "is_last": False,
                "stands_out": kind != "no time" and draw(st.booleans()),
                "place": place + 1,
            }
        )
        now += 0 if is_open else wait + runs
    nothing = Segments.none()
    return Segments(
        **{
            name: np.array([row[name] for row in rows], dtype=getattr(nothing, name).dtype)
            for name in Segments.__slots__
        }
    )


def timeline(own: Segments, *, missing_from: int | None = None) -> Timeline:
    return Timeline(
        diagnosis=NOBODY,
        lanes=(Lane(0, 0, LaneContent.CALLS, missing_from=missing_from),),
        group=0,
        rank=None,
        clock=CommonClock(Clocks.RECORDED, np.zeros(1, dtype=np.int64)),
        places=14,
        oldest=1,
        newest=NEWEST,
        end=NEWEST,
        untimed=0,
        off_axis=0,
        scale_s=1.0,
        read=lambda _: own,
    )


@given(lanes(), st.integers(-20, 400), st.integers(1, 60), st.integers(1, 12))
def test_cells_along_time(own: Segments, left: int, width: int, columns: int) -> None:
    made = cells_by_time(timeline(own), (0,), left - NEWEST, width, columns)
    for column in range(columns):
        low, high = left + column * width, left + (column + 1) * width
        said, inside, queued = {CellKind.NOTHING}, 0, 0
        for row in range(len(own)):
            begin, end = int(own.created[row]), int(own.completed[row])
            if not begin:
                continue
            here = low <= begin < high
            if own.stands_out[row] and here:
                said.add(CellKind.LATE)
            if own.open[row]:
                meaning = CellKind.RUNNING if own.state[row] == CallState.STARTED else CellKind.WAITING
                said |= {meaning} if begin < high else set()
            elif own.state[row] == CallState.TIMED_OUT:
                said |= {CellKind.TIMED_OUT} if begin < high and max(end, begin) >= low else set()
            elif end > begin:
                device = min(max(int(own.started[row]) or begin, begin), end)
                inside += max(min(end, high) - max(begin, low), 0)
                queued += max(min(device, high) - max(begin, low), 0)
                said |= {CellKind.CALL} if begin < high and end >= low else set()
            elif here:
                said.add(CellKind.MADE)
        wanted = max(said)
        if wanted == CellKind.CALL and 2 * queued > inside:
            wanted = CellKind.QUEUED
        assert CellKind(made.kind[0, column]) == wanted
        if wanted in (CellKind.CALL, CellKind.QUEUED):
            assert made.level[0, column] == max(math.ceil(min(inside / width, 1) * FULL - 1e-9), 1)
        else:
            assert made.level[0, column] == (FULL if wanted else 0)


@given(lanes(), st.integers(0, 13), st.integers(1, 5), st.integers(1, 16), st.none() | st.integers(0, 13))
def test_cells_along_calls(own: Segments, first: int, per_cell: int, columns: int, missing_from: int | None) -> None:
    made = cells_by_call(timeline(own, missing_from=missing_from), (0,), first, per_cell, columns)
    for column in range(columns):
        places = range(first + column * per_cell, min(first + (column + 1) * per_cell, 14))
        rows = [row for row in range(len(own)) if own.place[row] in places]
        said, level = {CellKind.NOTHING}, 0
        for row in rows:
            level = max(level, 1 + math.floor(min(max(np.nan_to_num(own.late_s[row]), 0), 1) * 7))
            if own.state[row] == CallState.TIMED_OUT:
                said.add(CellKind.TIMED_OUT)
            elif own.open[row]:
                said.add(CellKind.RUNNING if own.state[row] == CallState.STARTED else CellKind.WAITING)
            elif own.stands_out[row]:
                said.add(CellKind.LATE)
            else:
                said.add(CellKind.CALL if own.created[row] else CellKind.MADE)
        if len(places) and missing_from is not None and places[-1] >= missing_from:
            said, level = said | {CellKind.MISSING}, FULL
        assert CellKind(made.kind[0, column]) == max(said)
        assert made.level[0, column] == level


@pytest.mark.parametrize(
    ("late", "level"), [(math.nan, 1), (-1.0, 1), (0.0, 1), (0.5, 4), (0.99, 7), (1.0, 8), (9.0, 8)]
)
def test_levels_of_lateness(late: float, level: int) -> None:
    assert lateness_level(np.array([late]), 1.0)[0] == level


def test_nobody_is_late_when_all_come_together() -> None:
    assert lateness_level(np.array([0.0, math.nan]), 0.0).tolist() == [1, 1]


def test_a_wide_window_keeps_short_calls() -> None:
    """However little of a cell a call takes, it is seen; sums over long times do not make calls that are not there."""
    shown = Timelines(TimedJob(2, 400, work_ms=(900_000.0,)).diagnosis()).of_group(0).timeline
    own, columns = shown.segments(0), 4001
    width = (shown.newest - shown.oldest) / columns
    made = cells_by_time(shown, (0,), shown.oldest - shown.newest, width, columns)
    begins, ends = ((instants - shown.oldest) / width for instants in (own.created, own.completed))
    wanted = {column for low, high in zip(begins, ends, strict=True) for column in range(int(low), int(high) + 1)}
    hit = np.flatnonzero(made.kind[0]).tolist()
    assert set(hit) <= wanted
    assert len(hit) >= len(own) - 1  # the newest may end on the right edge
