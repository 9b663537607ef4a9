"""Traces of flight recorders: right by the format, with every call, readable by our own reader."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from tests.services.recorder_timeline.timed_jobs import MS, TimedJob
from tests.services.recorder_trace.trace_schema import check
from tests.tui.recorder_scripts import CPU, HOSTILE, NCCL, recorder_job, stuck, train
from xpudbg.services.looks.recorders import RecorderLook
from xpudbg.services.profiles.columns import read_columns
from xpudbg.services.profiles.merge import merge_traces
from xpudbg.services.profiles.reader import read_events
from xpudbg.services.profiles.repairs import Repairs
from xpudbg.services.recorder_trace.lanes import MOST_LANES, lanes_of
from xpudbg.services.recorder_trace.writing import write_recorder_trace
from xpudbg.services.session import Session


def look_of(jobs: dict[str, FakeJob] | FakeJob) -> RecorderLook:
    session = Session()
    for event in recorder_job(jobs, looks=1, stacks=False):
        session.apply(event)
    return session.recorder


def written(look: RecorderLook, folder: Path, **more: Any) -> dict[str, Any]:
    path = folder / "t.json"
    made = write_recorder_trace(look, path, **more)
    trace: dict[str, Any] = json.loads(path.read_bytes())
    check(trace)
    assert made.slices == len(of(trace, "X"))
    assert 2 * made.flows == len(of(trace, "s")) + len(of(trace, "f"))
    assert os.listdir(folder) == ["t.json"]
    return trace


def of(trace: dict[str, Any], phase: str) -> list[dict[str, Any]]:
    return [event for event in trace["traceEvents"] if event["ph"] == phase]


def test_a_slice_for_each_call_of_each_rank_and_a_track_for_each_group(tmp_path: Path) -> None:
    look = look_of(stuck())
    trace = written(look, tmp_path, title="job", hosts={3: "node-3"})
    slices = of(trace, "X")
    assert len(slices) == sum(len(one.analysis.job.columns) for one in look.diagnoses.values())
    names = {
        (event["pid"], event["name"], event["args"].get("name") or event["args"].get("labels"))
        for event in of(trace, "M")
    }
    assert {(3, "process_name", "rank 3"), (3, "process_labels", "node-3"), (3, "thread_name", "10:tp0")} <= names
    assert {(0, "thread_name", "0:default_pg")} <= names
    pending = [one for one in slices if one["args"].get("pending")]
    assert {(one["pid"], one["name"], one["args"]["collective_seq_id"]) for one in pending} == {
        *((rank, "all_gather (pending)", 4) for rank in (4, 6, 7)),
        *((rank, "all_reduce (pending)", 4) for rank in (0, 1, 2, 3)),
    }
    taken = {dump.rank: dump.taken_at for dump in look.diagnoses[NCCL].analysis.job.dumps}
    for one in pending:
        ends = trace["baseTimeNanoseconds"] + round((one["ts"] + one["dur"]) * 1000)
        assert abs(ends - (taken[one["pid"]] or 0)) < 1000
    first = slices[0]["args"]
    assert first["op"] == "nccl:all_reduce"
    assert first["inputs"] == "[1024] f32 4 KiB"
    assert first["state"] == "completed"


def test_flows_go_from_the_first_rank_to_the_last(tmp_path: Path) -> None:
    job = TimedJob(4, 10, {2: 8.0}, jitter_ms=0.0)
    trace = written(RecorderLook(1, {NCCL: job.diagnosis()}), tmp_path)
    assert len(of(trace, "s")) == 10
    assert {event["pid"] for event in of(trace, "f")} == {2}
    late = [one["args"]["after_first_us"] for one in of(trace, "X") if one["pid"] == 2]
    assert min(late) > 7_000


def test_our_own_reader_reads_it(tmp_path: Path) -> None:
    look = look_of(train())
    path = tmp_path / "t.json.gz"
    made = write_recorder_trace(look, path)
    repairs = Repairs()
    columns = read_columns(read_events(path, repairs), repairs)
    assert len(columns.start) == made.slices
    assert not repairs.counts
    assert {name for _, name in columns.operations} == {"all_gather", "all_reduce"}
    assert merge_traces([(0, path)], tmp_path / "merged.json.gz") > made.slices


@pytest.mark.parametrize("name", ["x.json", "x.json.gz", "X.JSON.GZ"])
def test_the_ending_says_whether_it_is_packed(name: str, tmp_path: Path) -> None:
    write_recorder_trace(look_of(train()), tmp_path / name)
    data = (tmp_path / name).read_bytes()
    check(json.loads(gzip.decompress(data) if name.lower().endswith("gz") else data))


def test_clocks_are_brought_together_where_calls_tell_how(tmp_path: Path) -> None:
    hosts = {rank: f"node-{rank}" for rank in range(4)}
    job = TimedJob(4, 60, {}, jitter_ms=0.2, work_ms=(0.05, 30.0), clocks_ms={1: 500.0}, hosts=hosts)
    look = RecorderLook(1, {NCCL: job.diagnosis()})
    for one_clock, apart_us in ((False, 500_000), (True, 0)):
        trace = written(look, tmp_path, one_clock=one_clock)
        firsts = {one["pid"]: one["ts"] for one in reversed(of(trace, "X"))}
        assert abs(firsts[1] - firsts[0] - apart_us) < 2_000
        assert ("brought together" in trace["otherData"]["clocks"]) == one_clock


def test_several_recorders_stand_in_one_process(tmp_path: Path) -> None:
    gloo = FakeJob(8, [FakeGroup("0", "default_pg", tuple(range(8)))], [Call("0")] * 3, backend="gloo", timing=False)
    trace = written(look_of({NCCL: train(), CPU: gloo}), tmp_path)
    titles = {event["args"]["name"] for event in of(trace, "M") if event["name"] == "thread_name" and event["pid"] == 0}
    assert {"NCCL 0:default_pg", "CPU (Gloo) 0:default_pg"} <= titles
    assert len({event["pid"] for event in of(trace, "M") if event["name"] == "process_name"}) == 8


def test_calls_that_ended_at_no_known_time_are_marks(tmp_path: Path) -> None:
    trace = written(RecorderLook(1, {CPU: TimedJob(2, 5, ends=False).diagnosis()}), tmp_path)
    assert [one["args"]["end_recorded"] for one in of(trace, "X")] == [False] * 10
    assert {one["dur"] for one in of(trace, "X")} == {0.001}


def test_calls_without_a_time_are_counted_and_not_there(tmp_path: Path) -> None:
    look = look_of(train())
    columns = look.diagnoses[NCCL].analysis.job.columns
    columns.created[:3] = 0
    columns.started[:3] = 0
    made = write_recorder_trace(look, tmp_path / "t.json")
    assert (made.untimed, made.slices) == (3, len(columns) - 3)


def test_nothing_recorded_is_a_trace_too(tmp_path: Path) -> None:
    assert written(RecorderLook(1), tmp_path)["traceEvents"] == []


def test_hostile_names_stay_names(tmp_path: Path) -> None:
    trace = written(look_of(stuck(tp=HOSTILE + '"},{"ph":"X')), tmp_path, title="\ud800", hosts={0: "\ud800\x1b"})
    assert f'10:{HOSTILE}"}},{{"ph":"X0' in {event["args"].get("name") for event in of(trace, "M")}


def test_lone_surrogates_in_names_are_written_as_escapes(tmp_path: Path) -> None:
    job = FakeJob(2, [FakeGroup("0", "w\ud800", (0, 1))], [Call("0", "op\udfff", dtype="f\ud800")] * 2)
    trace = written(look_of(job), tmp_path)
    assert {one["name"] for one in of(trace, "X")} == {"op\\udfff"}
    assert {one["args"]["group"] for one in of(trace, "X")} == {"0:w\\ud800"}
    assert "0:w\\ud800" in {one["args"].get("name") for one in of(trace, "M")}


def test_it_stops_when_told_and_leaves_nothing(tmp_path: Path) -> None:
    answers = iter((False, True))
    made = write_recorder_trace(look_of(train()), tmp_path / "t.json", stopped=lambda: next(answers))
    assert not made.ended
    assert os.listdir(tmp_path) == []


def test_what_can_not_be_written_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "t.json").mkdir()
    with pytest.raises(OSError, match=r"t\.json"):
        write_recorder_trace(look_of(train()), tmp_path / "t.json")
    assert os.listdir(tmp_path) == ["t.json"]


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 200)), max_size=150))
@settings(max_examples=60)
def test_lanes_never_overlap_and_are_as_few_as_can_be(calls: list[tuple[int, int]]) -> None:
    begin = np.cumsum([gap for gap, _ in calls]).astype(np.int64) if calls else np.empty(0, np.int64)
    end = begin + np.array([lasts for _, lasts in calls], dtype=np.int64)
    lanes, shifted = lanes_of(begin, end)
    assert np.all(shifted >= begin)
    for lane in np.unique(lanes):
        mine = lanes == lane
        ends = np.maximum(end[mine], shifted[mine] + 1)
        assert np.all(shifted[mine][1:] >= ends[:-1])
    most = max((int(np.sum((begin <= at) & (end > at))) for at in begin), default=0)
    assert len(np.unique(lanes)) == min(most, MOST_LANES)
    if most <= MOST_LANES:
        assert np.array_equal(shifted, begin)


@pytest.mark.parametrize(
    "faults",
    [(), (Fault(1, 2, "stops"),), (Fault(2, 1, "device"),)],
    ids=["healthy", "one stops", "device"],
)
@pytest.mark.parametrize("run_ahead", [1, 4])
def test_whatever_the_job_did_the_trace_is_right(faults: tuple[Fault, ...], run_ahead: int, tmp_path: Path) -> None:
    groups = [FakeGroup("0", "default_pg", (0, 1, 2, 3)), FakeGroup("1", "pp", (0, 1))]
    program = [Call("0"), Call("1", "send", pairs=((0, 1),)), Call("0", inner=(("all_gather", 2),)), Call("0")] * 2
    job = FakeJob(4, groups, program, faults=faults, run_ahead=run_ahead)
    trace = written(look_of(job), tmp_path)
    assert {one["cat"] for one in of(trace, "X")} == {"collective", "p2p"}


def test_times_are_exact_to_a_thousandth_of_a_microsecond(tmp_path: Path) -> None:
    job = TimedJob(2, 3, jitter_ms=0.0)
    trace = written(RecorderLook(1, {NCCL: job.diagnosis()}), tmp_path)
    for one in of(trace, "X"):
        at = trace["baseTimeNanoseconds"] + round(one["ts"] * 1000)
        assert at == int(one["args"]["created_ns"])
    assert MS == 1_000_000
