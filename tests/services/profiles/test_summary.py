"""Summaries against counting by hand over the same events."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.traces import trace_text
from tests.services.profiles.made import event, object_of, summary_of_text, written
from xpudbg.services.profiles import columns as columns_module
from xpudbg.services.profiles.gaps import KEPT
from xpudbg.services.profiles.reader import read_events
from xpudbg.services.profiles.repairs import Repair, Repairs
from xpudbg.services.profiles.summary import summarise

EVENTS = st.lists(
    st.builds(
        event,
        st.sampled_from(["aten::mm", "aten::add", "gelu", "ProfilerStep#1", "ProfilerStep#2"]),
        st.integers(0, 50).map(float),
        st.integers(0, 20).map(float),
        cat=st.sampled_from(["cpu_op", "kernel", "user_annotation"]),
        tid=st.integers(1, 3),
    ),
    max_size=30,
)


def by_hand(events: list[dict[str, Any]]) -> dict[tuple[str, str], tuple[int, float, float, float]]:
    """Calls, self time, total and longest of each operator."""
    found: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0, 0.0, 0.0, 0.0])
    for tid in {one["tid"] for one in events}:
        thread = sorted((one for one in events if one["tid"] == tid), key=lambda one: (one["ts"], -one["dur"]))
        for one in thread:
            row = found[one["name"].partition("#")[0], one["cat"]]
            row[0] += 1
            row[2] += one["dur"]
            row[3] = max(row[3], one["dur"])
        for instant in range(80):
            there = [one for one in thread if one["ts"] <= instant < one["ts"] + one["dur"]]
            if there:
                found[there[-1]["name"].partition("#")[0], there[-1]["cat"]][1] += 1
    return {key: (int(row[0]), row[1], row[2], row[3]) for key, row in found.items()}


@given(EVENTS)
@settings(deadline=None)
def test_operators_are_those_counted_by_hand(events: list[dict[str, Any]]) -> None:
    with TemporaryDirectory() as folder:
        summary = summary_of_text(Path(folder), object_of(events))
    said = {(row.name, row.category): (row.calls, row.self_time, row.total, row.longest) for row in summary.operators}
    assert said == by_hand(events)
    assert [row.self_time for row in summary.operators] == sorted(
        (row.self_time for row in summary.operators), reverse=True
    )
    assert summary.notes == ()


def test_a_trace_of_a_training_loop(tmp_path: Path) -> None:
    summary = summary_of_text(tmp_path, trace_text(10, rank=3))
    assert (summary.rank, summary.host, summary.events) == (3, "node-000", 10 * 22)
    mm = next(row for row in summary.operators if row.name == "aten::mm")
    assert (mm.calls, mm.self_time, mm.total, mm.longest) == (120, 7_200.0, 7_200.0, 60.0)
    linear = next(row for row in summary.operators if row.name == "aten::linear")
    assert (linear.calls, linear.self_time, linear.total) == (10, 1_200.0, 3_000.0)
    (collective,) = summary.collectives
    assert (collective.name, collective.group, collective.group_size) == ("allreduce", "0 (default_pg)", 4)
    assert (collective.calls, collective.total, collective.size) == (10, 3_000.0, 10 * 2 * 1_048_576)
    uses = {use.track: use for use in summary.uses}
    assert set(uses) == {"thread (python)", "device 0 stream 7", "device 0 stream 20"}
    assert uses["device 0 stream 7"].busy == 8_000.0
    assert summary.memberships is not None
    assert str(summary.memberships.groups[0].ranks) == "0-3"


def test_the_time_of_a_trace_is_told_by_its_clock(tmp_path: Path) -> None:
    told = {
        "ph": "X",
        "cat": "Trace",
        "name": "PyTorch Profiler (0)",
        "pid": "Spans",
        "tid": "x",
        "ts": 5.0,
        "dur": 100.0,
    }
    summary = summary_of_text(tmp_path, object_of([event(), told], baseTimeNanoseconds=7_000_000_000))
    assert (summary.began_at, summary.window, summary.events) == (7_000_005_000, 100.0, 1)
    assert summary_of_text(tmp_path, object_of([event()])).began_at is None


def test_pairs_of_begin_and_end_are_events(tmp_path: Path) -> None:
    begin, end = {"ph": "B", "name": "outer", "pid": 1, "tid": 1}, {"ph": "E", "pid": 1, "tid": 1}
    events = [begin | {"ts": 0.0}, begin | {"ts": 2.0, "name": "inner"}, end | {"ts": 5.0}, end | {"ts": 10.0}]
    summary = summary_of_text(tmp_path, object_of(events))
    assert {row.name: (row.self_time, row.total) for row in summary.operators} == {
        "outer": (7.0, 10.0),
        "inner": (3.0, 3.0),
    }
    summary = summary_of_text(tmp_path, object_of([end | {"ts": 1.0}, events[0], event(ts=4.0, dur=6.0, tid=2)]))
    assert {row.name: row.total for row in summary.operators} == {"outer": 10.0, "aten::mm": 6.0}
    assert list(summary.notes) == [
        "1 end had no beginning: left out",
        "1 beginning had no end: taken as lasting to the end of the trace",
    ]


def test_too_many_names_are_counted_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns_module, "MOST_NAMES", 3)
    summary = summary_of_text(tmp_path, object_of([event(f"op{number}", ts=float(number)) for number in range(9)]))
    assert sum(row.calls for row in summary.operators) == 9
    assert len(summary.operators) == 3
    assert summary.notes == ("6 events have one of too many different names: counted together",)


def test_too_many_events_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns_module, "MOST_EVENTS", 4)
    summary = summary_of_text(tmp_path, object_of([event(ts=float(number)) for number in range(9)]))
    assert summary.events == 4
    assert summary.notes == (Repair.MANY_EVENTS.value.format(5),)


def test_pairs_of_begin_and_end_have_the_same_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns_module, "MOST_EVENTS", 4)
    monkeypatch.setattr(columns_module, "MOST_OPEN", 3)
    pairs = [event(ph=phase, ts=float(number)) for number in range(6) for phase in "BE"]
    assert summary_of_text(tmp_path, object_of(pairs)).notes == (Repair.MANY_EVENTS.value.format(2),)
    summary = summary_of_text(tmp_path, object_of([event(ph="B", ts=float(number)) for number in range(9)]))
    assert summary.events == 3
    assert Repair.MANY_EVENTS.value.format(6) in summary.notes


def test_long_names_are_not_kept_whole(tmp_path: Path) -> None:
    long = [event("x" * 500 + str(number), ts=float(number), tid=f"{number}" + "t" * 500) for number in range(3)]
    path = written(tmp_path / "trace.json", object_of(long))
    repairs = Repairs()
    columns = columns_module.read_columns(read_events(path, repairs), repairs)
    assert columns.operations == (("cpu_op", "x" * columns_module.NAME_LIMIT),)
    assert {len(str(thread)) for _process, thread in columns.tracks} == {columns_module.NAME_LIMIT}
    assert len(columns.tracks) == 3
    gatherer = columns_module._Numbers(2)
    assert [gatherer["c", "x" * length] for length in (500, 600, 300)] == [0, 0, 0]
    assert [len(name) for _category, name in gatherer] == [300]  # type: ignore[arg-type]


def test_of_many_gaps_the_longest_and_the_first_are_kept(tmp_path: Path) -> None:
    events = [event(f"op{number}", ts=number * 10.0, dur=5.0) for number in range(KEPT + 50)]
    events += [event("late", ts=(KEPT + 50) * 10.0 + 20.0, dur=1.0), event("within", ts=101.0, dur=4.0)]
    summary = summary_of_text(tmp_path, json.dumps(events))
    assert len(summary.gaps) == KEPT
    assert (summary.gaps[0].length, summary.gaps[0].after) == (25.0, "late")
    assert [(gap.start, gap.before) for gap in summary.gaps[1:3]] == [(5.0, "op0"), (15.0, "op1")]
    assert (
        next(gap.before for gap in summary.gaps if gap.start == 105.0) == "within"
    )  # it ended as op10 did, began last
    (use,) = summary.uses
    assert use.gaps == KEPT + 50


def test_hostile_values_of_the_header_are_no_header(tmp_path: Path) -> None:
    text = object_of([event()], baseTimeNanoseconds="x", host_name=[1], distributedInfo=[3])
    summary = summary_of_text(tmp_path, text)
    assert (summary.began_at, summary.host, summary.rank, summary.events) == (None, "", None, 1)


def test_reading_can_be_ended(tmp_path: Path) -> None:
    class EndedError(Exception):
        pass

    def stop(read: int) -> None:
        raise EndedError(read)

    with pytest.raises(EndedError):
        summarise(written(tmp_path / "trace.json", trace_text(5)), stop)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        summarise(tmp_path / "none.json")


GLOO = {"Input Dims": [[100, 2]], "Input type": ["float"]}


@pytest.mark.parametrize(
    ("given_events", "wanted"),
    [
        ([event("gloo:all_reduce", cat="user_annotation", args=GLOO)], [("all_reduce", "", 800, "host")]),
        ([event("gloo:all_reduce", cat="user_annotation", args={"Input Dims": "?"})], [("all_reduce", "", 0, "host")]),
        (
            [
                event("record_param_comms", args={"Collective name": "allreduce", "In msg nelems": 8, "dtype": "Half"}),
                event("ncclDevKernel_X(int)", cat="kernel", args={"Collective name": "allreduce", "In msg nelems": 8}),
            ],
            [("allreduce", "", 0, "device")],
        ),
        ([event("ncclDevKernel_X(int)", cat="kernel", args={})], [("ncclDevKernel_X", "", 0, "device")]),
        ([event("nccl:all_reduce", args={})], []),
        ([event("aten::mm")], []),
        (
            [
                event(
                    "record_param_comms",
                    args={"Collective name": "a", "Process Group Name": "1", "Process Group Description": "tp"},
                )
            ],
            [("a", "1 (tp)", 0, "host")],
        ),
    ],
    ids=[
        "gloo",
        "gloo without sizes",
        "device before host",
        "a kernel alone",
        "an annotation",
        "an operator",
        "a group",
    ],
)
def test_collectives(
    tmp_path: Path, given_events: list[dict[str, Any]], wanted: list[tuple[str, str, int, str]]
) -> None:
    summary = summary_of_text(tmp_path, object_of(given_events))
    assert [(row.name, row.group, row.size, row.where.value) for row in summary.collectives] == wanted


def test_gaps_of_the_main_thread(tmp_path: Path) -> None:
    step = event("ProfilerStep#3", ts=0.0, dur=100.0, cat="user_annotation")
    events = [step, event("a", ts=10.0, dur=20.0), event("b", ts=12.0, dur=3.0), event("c", ts=60.0, dur=10.0)]
    other = event("d", ts=0.0, dur=99.0, tid=2)
    summary = summary_of_text(tmp_path, json.dumps([*events, other]))
    assert [(gap.start, gap.length, gap.before, gap.after) for gap in summary.gaps] == [
        (30.0, 30.0, "a", "c"),
        (70.0, 30.0, "c", ""),
        (0.0, 10.0, "", "a"),
    ]
    (use,) = summary.uses
    assert (use.busy, use.idle, use.gaps) == (30.0, 70.0, 3)
