"""What holds for the timelines of any job: nothing is lost, nothing is shown twice."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.flight_recorder_jobs import FakeJob, Fault
from tests.services.flight_recorder.job_shapes import group_layouts, programs
from tests.services.flight_recorder.looking import diagnosed
from tests.services.flight_recorder.recorded import dump_of, entry
from xpudbg.services.flight_recorder.analysis import analyse
from xpudbg.services.flight_recorder.diagnosis import diagnose
from xpudbg.services.recorder_timeline.cells import CellKind, cells_by_call, cells_by_time
from xpudbg.services.recorder_timeline.facts import facts_of
from xpudbg.services.recorder_timeline.sentences import clock_said, how_late, left_out_said, who_is_last
from xpudbg.services.recorder_timeline.timelines import Timelines


@st.composite
def jobs(draw: st.DrawFn) -> FakeJob:
    world, groups = draw(group_layouts())
    program = draw(programs(groups))
    rank, at = draw(st.integers(0, world - 1)), draw(st.integers(0, 20))
    faults = [Fault(rank, at, draw(st.sampled_from(["stops", "device"])))] if draw(st.booleans()) else []
    ring = draw(st.none() | st.integers(0, 8))
    return FakeJob(world, groups, program, backend=draw(st.sampled_from(["nccl", "gloo"])), faults=faults, ring=ring)


def looked_through(timelines: Timelines) -> None:
    """Every timeline, every lane, every call, every sentence."""
    matched = timelines.diagnosis.analysis.matched
    for group in timelines.diagnosis.analysis.job.groups:
        made = timelines.of_group(group.index)
        shown = made.timeline
        lanes = range(len(shown.lanes))
        parts = list(chain.from_iterable(shown.segments(lane).part.tolist() for lane in lanes))
        assert len(parts) == len(set(parts)) == timelines.size_of(group.index)
        for lane in lanes:
            own = shown.segments(lane)
            assert (matched.part_rank[own.part] == shown.lanes[lane].rank).all()
            assert (matched.part_call[own.part] == own.call).all()
            on_axis = own.place[own.place >= 0]
            kinds = cells_by_call(shown, (lane,), 0, 1, shown.places).kind[0]
            painted = np.flatnonzero((kinds != CellKind.NOTHING) & (kinds != CellKind.MISSING))
            assert painted.tolist() == sorted(on_axis.tolist())
            for call in own.call.tolist():
                facts = facts_of(timelines, shown.lanes[lane].rank, call)
                assert facts is not None
                assert facts.state is not None
                assert not facts.came & facts.missing
        span = max(shown.newest - shown.oldest, 1)
        cells = cells_by_time(shown, lanes, -span, span / 7, 8)
        assert cells.kind.shape == cells.level.shape == (len(shown.lanes), 8)
        assert ((cells.kind == CellKind.NOTHING) == (cells.level == 0)).all()
        assert who_is_last(made).text
        assert clock_said(shown)
        left_out_said(shown)
    for rank in timelines.diagnosis.analysis.job.world:
        shown = timelines.of_rank(rank)
        places = list(chain.from_iterable(shown.segments(lane).place.tolist() for lane in range(len(shown.lanes))))
        assert sorted(places) == list(range(shown.places))
        assert how_late(shown, rank)


@settings(max_examples=60)
@given(jobs())
def test_any_job(job: FakeJob) -> None:
    looked_through(Timelines(diagnosed(job)))


@pytest.mark.parametrize(
    ("created", "completed"),
    [(-(2**63), 0), (2**63 - 1, 2**63 - 1), (0, 5), (10**18, 3), (1, 2**63 - 1), (10**18, -1)],
)
def test_times_that_cannot_be(created: int, completed: int) -> None:
    odd = {"time_created_ns": created, "time_discovered_completed_ns": completed}
    dumps = [
        dump_of(rank, [entry("nccl:all_reduce", seq, **(odd if (seq + rank) % 3 == 0 else {})) for seq in range(1, 31)])
        for rank in range(2)
    ]
    with np.errstate(all="raise"):
        looked_through(Timelines(diagnose(analyse(dumps))))
