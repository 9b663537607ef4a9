"""Timelines of made-up jobs: who is late by whose clock, who has not come, what has no time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from tests.services.flight_recorder.looking import diagnosed
from tests.services.flight_recorder.recorded import dump_of, entry
from xpudbg.services.flight_recorder.analysis import analyse
from xpudbg.services.flight_recorder.diagnosis import diagnose
from xpudbg.services.recorder_timeline.clocks import Clocks
from xpudbg.services.recorder_timeline.facts import facts_of
from xpudbg.services.recorder_timeline.lanes import LaneContent
from xpudbg.services.recorder_timeline.segments import CallState
from xpudbg.services.recorder_timeline.sentences import clock_said, duration_said, how_late, left_out_said, who_is_last
from xpudbg.services.recorder_timeline.timelines import GroupTimeline, Timelines

from .timed_jobs import TimedJob

NEAR = (40.0, 0.1, 0.1)
"""Work before each call in turn: most follow at once, so that the clocks can be told."""


def group_of(job: TimedJob) -> GroupTimeline:
    return Timelines(job.diagnosis()).of_group(0)


# who is last ------------------------------------------------------------------------------------------------------


def test_the_slow_rank_is_last_in_all_calls() -> None:
    made = group_of(TimedJob(8, 64, {5: 12.0}))
    said = who_is_last(made)
    assert said.stands
    assert said.text == "rank 5 is last in 64 of 64 calls, 12 ms behind the median (clocks may differ)"
    assert made.timeline.lanes[made.timeline.by_lateness()[0]].rank == 5
    lane = made.timeline.lanes[5]
    assert (lane.last, lane.compared) == (64, 64)
    assert lane.late_s == pytest.approx(0.012, abs=0.001)
    own = made.timeline.segments(5)
    assert own.is_last.all()
    assert own.stands_out.all()
    assert np.median(own.late_s) == pytest.approx(0.012, abs=0.001)


def test_on_one_host_no_clock_is_doubted() -> None:
    made = group_of(TimedJob(8, 64, {5: 12.0}, hosts=dict.fromkeys(range(8), "node-1")))
    assert made.timeline.clock.kind is Clocks.ONE_HOST
    assert who_is_last(made).text == "rank 5 is last in 64 of 64 calls, 12 ms behind the median"
    assert clock_said(made.timeline) == "one clock"


def test_hosts_may_be_told_from_outside() -> None:
    diagnosis = TimedJob(8, 64, {5: 12.0}).diagnosis()
    made = Timelines(diagnosis, dict.fromkeys(range(8), "node-1")).of_group(0)
    assert made.timeline.clock.kind is Clocks.ONE_HOST


def test_nobody_is_accused_of_jitter() -> None:
    said = who_is_last(group_of(TimedJob(8, 64)))
    assert not said.stands
    assert said.text.startswith("no rank is always last; rank ")


def test_always_last_by_less_than_the_others_are_apart() -> None:
    said = who_is_last(group_of(TimedJob(8, 64, {2: 30.0}, jitter_ms=29.0)))
    assert not said.stands
    assert said.text.startswith("no rank stands out: rank 2 is last in ")


def test_late_in_every_third_call_only() -> None:
    made = group_of(TimedJob(8, 90, {2: 30.0}, work_ms=NEAR))
    said = who_is_last(made)
    assert not said.stands
    assert said.text == "no rank is always last; rank 2 is clearly last in 30 of 90 calls, 30 ms behind the median"


def test_few_calls_prove_nothing() -> None:
    said = who_is_last(group_of(TimedJob(4, 5, {2: 30.0})))
    assert said == ("rank 2 is last in 5 of 5 calls: too few to tell whether it always is", False)


# clocks -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ends", [True, False], ids=["nccl", "gloo"])
def test_clocks_are_brought_together_where_calls_follow_at_once(ends: bool) -> None:
    clocks = {0: 5000.0, 1: -3000.0, 3: 800.0}
    made = group_of(TimedJob(8, 90, {2: 30.0}, clocks_ms=clocks, ends=ends, work_ms=NEAR))
    assert made.timeline.clock.kind is Clocks.ESTIMATED
    assert made.timeline.clock.apart_s == pytest.approx(8.0, abs=0.01)
    assert clock_said(made.timeline) == "clocks 8.0 s apart, estimated and taken out"
    assert who_is_last(made).text.startswith("no rank is always last; rank 2 is clearly last in 30 of 90 calls, 30 ms")
    apart = np.ptp([made.timeline.segments(lane).created[1] for lane in range(8)])
    assert apart < 1_000_000


def test_an_offset_and_slowness_that_look_the_same_are_left_as_they_are() -> None:
    """Every call follows at the same distance: the clock of rank 3 may be ahead, or it may be slow."""
    made = group_of(TimedJob(8, 64, clocks_ms={3: 50.0}))
    assert made.timeline.clock.kind is Clocks.RECORDED
    assert not made.timeline.clock.offsets.any()
    assert "(clocks may differ)" in who_is_last(made).text


def test_ranks_of_one_host_share_an_estimate() -> None:
    hosts = {rank: f"node-{rank // 4}" for rank in range(8)}
    clocks = dict.fromkeys(range(4), 700.0)
    made = group_of(TimedJob(8, 90, {2: 30.0}, clocks_ms=clocks, hosts=hosts, work_ms=NEAR))
    assert len(set(made.timeline.clock.offsets[:4].tolist())) == 1
    assert made.timeline.clock.apart_s == pytest.approx(0.7, abs=0.01)


def test_a_rank_is_shown_on_its_own_clock() -> None:
    timelines = Timelines(TimedJob(8, 90, clocks_ms={0: 5000.0}, work_ms=NEAR).diagnosis())
    assert timelines.of_group(0).timeline.clock.kind is Clocks.ESTIMATED
    recorded = timelines.diagnosis.analysis.job.dumps[0].entries.created
    assert timelines.of_rank(0).segments(0).created.tolist() == recorded.tolist()


# who has not come -------------------------------------------------------------------------------------------------


def test_a_rank_that_does_not_come() -> None:
    job = TimedJob(8, 64, stops={3: 40}, without_dump=(6,))
    timelines = Timelines(job.diagnosis())
    made = timelines.of_group(0)
    assert made.timeline.places == 41
    assert [lane.missing_from for lane in made.timeline.lanes] == [None, None, None, 40, None, None, None, None]
    assert made.timeline.lanes[6].content is LaneContent.NO_DUMP
    assert len(made.timeline.segments(6)) == 0
    assert made.timeline.lanes[made.timeline.by_lateness()[0]].rank == 3
    waiting = made.timeline.segments(0)
    assert waiting.open.tolist() == [False] * 40 + [True]
    assert waiting.state[-1] == CallState.SCHEDULED
    assert made.timeline.end - made.timeline.newest >= 90_000_000_000
    facts = facts_of(timelines, 0, made.first_call + 40)
    assert facts is not None
    assert (facts.seq, facts.open, str(facts.came), str(facts.missing), str(facts.unknown)) == (
        41,
        True,
        "0-2,4-5,7",
        "3",
        "6",
    )
    assert facts.waited_s == pytest.approx(95, abs=1)
    assert how_late(timelines.of_rank(3), 3).startswith("rank 3 has not come to #41 of default_pg; is last in ")
    absent = facts_of(timelines, 3, made.first_call + 40)
    assert absent is not None
    assert (absent.state, absent.op, absent.late_s) == (None, "nccl:all_reduce", None)


def test_open_past_its_timeout() -> None:
    own = group_of(TimedJob(4, 8, stops={3: 5}, waited_s=700)).timeline.segments(0)
    assert own.state[-1] == CallState.TIMED_OUT
    assert own.open[-1]


def test_a_rank_that_has_recorded_nothing() -> None:
    silent = FakeJob(4, [FakeGroup("0", "default_pg", (0, 1, 2, 3))], [Call("0")] * 3, faults=[Fault(2, 0, "stops")])
    made = Timelines(diagnosed(silent)).of_group(0)
    assert made.timeline.lanes[2].content is LaneContent.NOTHING
    assert made.timeline.lanes[2].missing_from == 0


def test_a_dump_that_is_older_than_the_others_does_not_tell_who_has_not_come() -> None:
    """Live, dumps are taken one after another: a call that has ended elsewhere was made by all."""
    now, earlier = TimedJob(4, 64, stops={3: 60}), TimedJob(4, 40)
    timelines = Timelines(diagnose(analyse([earlier.dump(0), *(now.dump(rank) for rank in (1, 2, 3))])))
    made = timelines.of_group(0)
    assert [lane.missing_from for lane in made.timeline.lanes] == [None, None, None, 60]
    facts = facts_of(timelines, 1, made.first_call + 60)
    assert facts is not None
    assert (str(facts.missing), str(facts.unknown)) == ("3", "0")


def test_nobody_is_last_in_a_call_to_which_some_have_not_come() -> None:
    groups = [FakeGroup("0", "default_pg", (0, 1, 2, 3))]
    job = FakeJob(4, groups, [Call("0")] * 30, faults=[Fault(2, 0, "stops")], run_ahead=30)
    made = Timelines(diagnosed(job)).of_group(0)
    assert made.timeline.segments(0).open.sum() == 30
    assert made.statistics.calls == 0
    assert who_is_last(made).text.startswith("nobody can be called last")


def test_a_short_ring_is_not_taken_for_calls_that_are_missing() -> None:
    job = TimedJob(4, 64)
    dumps = [job.dump(rank) for rank in range(3)] + [TimedJob(4, 64, ring=16).dump(3)]
    made = Timelines(diagnose(analyse(dumps))).of_group(0)
    assert [lane.missing_from for lane in made.timeline.lanes] == [None] * 4
    assert made.timeline.segments(3).place.tolist() == list(range(48, 64))
    assert made.statistics.calls == 16


# all kinds of calls -----------------------------------------------------------------------------------------------


def test_groups_of_a_rank_in_the_order_of_its_calls() -> None:
    groups = [FakeGroup("0", "default_pg", (0, 1, 2, 3)), FakeGroup("1", "tp", (0, 1)), FakeGroup("2", "dp", (0, 2))]
    job = FakeJob(4, groups, [Call("0"), Call("1"), Call("2"), Call("1")])
    timelines = Timelines(diagnosed(job))
    made = timelines.of_rank(0)
    names = [timelines.diagnosis.analysis.job.groups[lane.group].desc for lane in made.lanes]
    places = {name: made.segments(lane).place.tolist() for lane, name in enumerate(names)}
    assert places == {"default_pg": [0], "tp": [1, 3], "dp": [2]}
    assert made.places == 4
    assert [lane.missing_from for lane in made.lanes] == [None] * 3
    assert how_late(made, 0) == "rank 0 is last in 1 of 1 calls of dp and 1 of 2 calls of tp"
    assert [len(Timelines(timelines.diagnosis).of_rank(3).lanes), timelines.groups_of(3)] == [1, [0]]


def test_p2p_calls_are_along_time_and_nobody_is_late_in_them() -> None:
    group = FakeGroup("0", "pp", (0, 1, 2))
    sends = Call("0", pairs=((0, 1), (1, 2)))
    timelines = Timelines(diagnosed(FakeJob(3, [group], [Call("0"), sends, Call("0"), sends])))
    made = timelines.of_group(0).timeline
    assert (made.places, made.off_axis) == (2, 6)
    assert left_out_said(made) == "P2P calls, by time only: 6"
    own = made.segments(1)
    assert own.place.tolist() == [0, 1, -1, -1]
    assert np.isnan(own.late_s[2:]).all()
    assert not own.is_last[2:].any()
    facts = facts_of(timelines, 1, int(own.call[2]))
    assert facts is not None
    assert (facts.p2p, facts.inner, facts.spread_s, facts.last, str(facts.missing)) == (True, 3, None, None, "")


def test_only_p2p_calls_have_the_axis_to_themselves() -> None:
    job = FakeJob(2, [FakeGroup("0", "pp", (0, 1))], [Call("0", pairs=((0, 1),))] * 3)
    made = Timelines(diagnosed(job)).of_group(0)
    assert (made.timeline.places, made.timeline.off_axis) == (3, 0)
    assert made.timeline.segments(0).place.tolist() == [0, 1, 2]
    assert made.statistics.calls == 0


def test_a_coalesced_call_begins_with_its_first_entry() -> None:
    inner = Call("0", "ALLGATHER_coalesced", inner=(("_broadcast_oop", 4), ("_broadcast_oop", 8)))
    timelines = Timelines(diagnosed(FakeJob(2, [FakeGroup("0", "x", (0, 1))], [inner])))
    own = timelines.of_group(0).timeline.segments(0)
    assert len(own) == 1
    facts = facts_of(timelines, 0, int(own.call[0]))
    assert facts is not None
    assert (facts.op, facts.inner) == ("nccl:ALLGATHER_coalesced", 3)


def test_calls_without_times_stand_on_the_sequence_axis_alone() -> None:
    def untimed(rank: int) -> list[dict[str, Any]]:
        return [entry("nccl:all_reduce", seq, **({"time_created_ns": 0} if rank else {})) for seq in range(1, 4)]

    made = Timelines(diagnose(analyse(dump_of(rank, untimed(rank)) for rank in range(2)))).of_group(0)
    assert made.timeline.untimed == 3
    assert left_out_said(made.timeline) == "calls without a time, by sequence number only: 3"
    assert made.timeline.segments(1).place.tolist() == [0, 1, 2]
    assert np.isnan(made.timeline.segments(0).late_s).all()
    assert who_is_last(made).text == "nobody can be called last: no collective has all ranks with their times"


def test_gloo_records_no_end() -> None:
    own = group_of(TimedJob(4, 8, ends=False)).timeline.segments(0)
    assert not own.open.any()
    assert not own.completed.any()
    assert (own.state == CallState.COMPLETED).all()


def test_a_job_without_calls() -> None:
    timelines = Timelines(diagnosed(FakeJob(2, [FakeGroup("0", "x", (0, 1))], [])))
    made = timelines.of_group(0)
    assert (made.timeline.places, made.timeline.oldest, len(made.timeline.lanes)) == (0, 0, 2)
    assert who_is_last(made).text == "no call is recorded"
    assert timelines.of_rank(7).lanes == ()
    assert how_late(timelines.of_rank(7), 7) == "rank 7 is in no group that is recorded"
    assert Timelines(diagnose(analyse([]))).usual_group() is None


def test_the_group_of_the_first_finding_comes_first() -> None:
    groups = [FakeGroup("0", "default_pg", (0, 1, 2, 3)), FakeGroup("1", "tp", (0, 1))]
    job = FakeJob(4, groups, [*[Call("0")] * 5, Call("1"), Call("0")], faults=[Fault(1, 5, "stops")])
    diagnosis = diagnosed(job)
    assert Timelines(diagnosis).usual_group() == 1
    assert Timelines(replace(diagnosis, findings=())).usual_group() == 0


def test_lanes_are_read_once_and_the_oldest_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    from xpudbg.services.recorder_timeline import lanes

    monkeypatch.setattr(lanes, "LANES_KEPT", 2)
    made = group_of(TimedJob(4, 4)).timeline
    first = made.segments(0)
    assert made.segments(0) is first
    made.segments(1)
    made.segments(2)
    assert made.segments(0) is not first


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        *[(0.0, "0 ns"), (8.5e-7, "850 ns"), (1.2e-5, "12 µs"), (3.44e-3, "3.4 ms"), (-0.0126, "13 ms")],
        *[(1.24, "1.2 s"), (95.4, "95 s"), (720, "12 min"), (11_160, "3.1 h")],
    ],
)
def test_durations(seconds: float, said: str) -> None:
    assert duration_said(seconds) == said
