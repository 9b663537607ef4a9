"""Collectives: the value of each column, jumps, what is missing and what differs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.flight_recorder_jobs import Call, FakeJob, Fault
from tests.services.flight_recorder.job_shapes import BACKENDS, group_layouts, programs, rings
from tests.services.flight_recorder.recorded import dump_of, entry
from xpudbg.services.flight_recorder.tables import CollectivesTable
from xpudbg.services.recorder_tables.table import Sign

from .making import WORLD, cells, column, fact, left, mixed_job, tables_of


def test_each_column() -> None:
    rows = tables_of(mixed_job(Fault(3, 5, "stops"))).collectives
    assert cells(rows, 9) == {
        "id": "9",
        "group": "0:default_pg",
        "seq": "4",
        "p2p_seq": "2",
        "op": "nccl:ALLGATHER_coalesced",
        "state": "scheduled",
        "here": "3 of 4",
        "open": "3",
        "missing": "3",
        "mismatch": "",
        "inputs": "[4], [5] f32 36 B",
        "outputs": "[4], [5] f32 36 B",
        "dtype": "f32",
        "created": "-0.50 ms",
        "spread": "2 µs",
        "last": "2",
        "duration": "—",
        "age": "—",
        "timeout": "10 m 00 s",
        "created_utc": "2026-11-30T13:55:29.007Z",
        "record": "13",
        "expected": "0-3",
    }


def test_a_call_in_which_ranks_are_missing() -> None:
    rows = tables_of(mixed_job(Fault(3, 5, "stops"))).collectives
    assert left(rows, "is:missing") == left(rows, "is:open") == [9]
    assert column(rows, "missing") == ["", "", "", "", "", "", "", "", "", "3"]
    missing = rows.cell(9, rows.place("missing"))
    assert (missing.text, missing.sign) == ("3", Sign.MISSING)
    assert rows.cell(9, rows.place("state")).sign is Sign.OPEN
    assert fact(rows, 9, "missing ranks").text == "3 (1), not come to this call"
    assert fact(rows, 9, "open on").text == "0-2 (3)"


def test_the_rows_of_calls_that_belong_to_it() -> None:
    tables = tables_of(mixed_job())
    for row in range(len(tables.collectives)):
        calls = tables.collectives.calls_of(row)
        assert {tables.calls.collective_of(int(call)) for call in calls} == {row}
    assert sum(len(tables.collectives.calls_of(row)) for row in range(len(tables.collectives))) == len(tables.calls)


@pytest.mark.parametrize("call", [Call("0", inputs=((512,),), outputs=((512,),)), Call("0", dtype="Half")])
def test_a_mismatch_is_marked(call: Call) -> None:
    rows = tables_of(mixed_job(Fault(1, 1, "wrong", call))).collectives
    (row,) = left(rows, "is:mismatch")
    said = rows.cell(row, rows.place("mismatch"))
    assert (said.text, said.sign) == ("size" if call.dtype == "Float" else "dtype", Sign.MISMATCH)
    assert fact(rows, row, "mismatch").text.endswith("; the odd ones: 1")
    assert fact(rows, row, "rank 1").sign is Sign.MISMATCH


@pytest.mark.parametrize(
    ("fields", "sign"),
    [
        ({"state": "completed"}, Sign.FAINT),
        ({"state": "started", "retired": False}, Sign.MISSING),
        ({"timeout_ms": 1, "time_discovered_completed_ns": 10**12}, Sign.MISSING),
    ],
)
def test_a_rank_without_the_call_is_missed_only_where_it_is_not_over_in_time(
    fields: dict[str, object], sign: Sign
) -> None:
    rows = tables_of([dump_of(0, [entry("nccl:all_reduce", 2, **fields)]), dump_of(1, [])]).collectives
    assert rows.cell(0, rows.place("missing")) == ("1", sign)
    assert fact(rows, 0, "missing ranks").sign is sign
    assert left(rows, "is:missing") == ([0] if sign is Sign.MISSING else [])


def test_what_the_ring_has_lost_and_who_left_no_dump() -> None:
    job = FakeJob(4, [WORLD], [Call("0")] * 6, rings={1: 2})
    rows = tables_of(job).collectives
    assert cells(rows, 0) | {"here": "3 of 4", "missing": ""} == cells(rows, 0)
    assert fact(rows, 0, "not in the ring").text.startswith("1:")
    dumps = [dump_of(rank, [entry("nccl:all_reduce", 1)], "[0, 1, 2]") for rank in (0, 1)]
    rows = tables_of(dumps).collectives
    assert fact(rows, 0, "without a dump").text.startswith("2:")
    assert rows.ranks(0) == rows.members.groups[0].members


def test_times_of_a_call() -> None:
    second = 1_000_000_000
    times = [(5 * second, 9 * second), (7 * second, 8 * second), (0, 0)]
    dumps = [
        dump_of(
            rank,
            [entry("nccl:all_reduce", 1, time_created_ns=made, time_discovered_completed_ns=over)],
            "[0, 1, 2]",
        )
        for rank, (made, over) in enumerate(times)
    ]
    rows = tables_of(dumps).collectives
    assert cells(rows, 0) | {"created": "-4.0 s", "spread": "2.0 s", "last": "1", "duration": "4.0 s"} == cells(rows, 0)
    assert "rank 1, 2.0 s (2.000000 s) after the first" in fact(rows, 0, "last call").text
    nothing = [dump_of(0, [entry("nccl:all_reduce", 1, time_created_ns=0)], "[0]")]
    rows = tables_of(nothing).collectives
    assert {cells(rows, 0)[key] for key in ("created", "spread", "last", "duration", "created_utc")} == {"—"}


@pytest.mark.parametrize(
    ("entries", "state"),
    [
        ([{"state": "completed"}, {"state": "started", "retired": False}], "started"),
        ([{"state": "scheduled", "retired": True}, {"state": "completed"}], "over (was scheduled)"),
        ([{"state": "completed"}, {"timeout_ms": 1, "time_discovered_completed_ns": 10**12}], "completed late"),
    ],
)
def test_the_state_is_that_of_the_least_advanced_rank(entries: list[dict[str, object]], state: str) -> None:
    dumps = [dump_of(rank, [entry("nccl:all_reduce", 1, **fields)]) for rank, fields in enumerate(entries)]
    assert cells(tables_of(dumps).collectives, 0)["state"] == state


def test_p2p_calls_of_a_larger_group_have_no_common_arrival() -> None:
    rows = tables_of(mixed_job()).collectives
    (first, _) = left(rows, "is:p2p")
    assert (cells(rows, first)["spread"], cells(rows, first)["here"], str(rows.ranks(first))) == ("—", "3", "0-2")


def test_a_ring_that_reaches_further_back_does_not_come_after_what_followed() -> None:
    dumps = [
        dump_of(
            rank, [entry("nccl:all_reduce", seq, time_created_ns=seq * 10**9) for seq in range(first, 6)], "[0, 1, 2]"
        )
        for rank, first in enumerate((4, 1, 3))
    ]
    assert column(tables_of(dumps).collectives, "seq") == ["1", "2", "3", "4", "5"]


def test_calls_of_two_groups_stand_in_the_order_of_time() -> None:
    groups = (["0", "a"], ["1", "b"])
    times = {("0", 1): 1, ("1", 1): 2, ("0", 2): 3, ("1", 2): 5, ("1", 3): 4, ("0", 3): 6, ("0", 4): 0}

    def order(unit: int) -> list[tuple[str, str]]:
        entries = [
            entry(
                "nccl:all_reduce", seq, process_group=next(g for g in groups if g[0] == name), time_created_ns=at * unit
            )
            for (name, seq), at in times.items()
        ]
        rows = tables_of([dump_of(0, entries)]).collectives
        return [(group[0], seq) for group, seq in zip(column(rows, "group"), column(rows, "seq"), strict=True)]

    # The clock of 1 #3 was set back, 0 #4 has no time: neither goes before an earlier call of its group.
    timed = [("0", "1"), ("1", "1"), ("0", "2"), ("1", "2"), ("1", "3"), ("0", "3"), ("0", "4")]
    assert order(10**9) == timed
    recorded = [(name, str(seq)) for name, seq in times]
    assert order(0) == recorded, "without times in the order of recording"


def test_calls_are_found_by_group_and_number() -> None:
    rows = tables_of(mixed_job()).collectives
    for row in range(len(rows)):
        p2p = bool(rows.p2p[row])
        assert rows.row_of(rows.group_of(row), int(rows.sequence[row]), p2p=p2p) == row
    assert rows.row_of(0, 99, p2p=False) is None
    with pytest.raises(IndexError):
        rows.cell(len(rows), 0)


@st.composite
def jobs(draw: st.DrawFn) -> FakeJob:
    world, groups = draw(group_layouts())
    program = draw(programs(groups))
    backend = draw(st.sampled_from(BACKENDS))
    faults = [
        Fault(rank, draw(st.integers(0, 8)), "stops") for rank in draw(st.sets(st.integers(0, world - 1), max_size=2))
    ]
    return FakeJob(world, groups, program, backend=backend, rings=draw(rings(world)), faults=faults)


@settings(max_examples=60, deadline=None)
@given(jobs())
def test_the_rows_are_those_of_the_table_of_torch(job: FakeJob) -> None:
    tables = tables_of(job)
    rows, other = tables.collectives, CollectivesTable(tables.diagnosis.analysis)
    assert len(rows) == len(other)
    places = np.argsort(other.order)[tables.lines.order].tolist()
    assert sorted(places) == list(range(len(rows)))
    for row, their in enumerate(places):
        wanted, shown = other[their], cells(rows, row)
        assert shown["op"] == wanted.collective_name
        assert shown["seq"] == str(wanted.collective_seq_id)
        assert shown["record"] == str(wanted.record_id)
        assert tuple(rows.missing_ranks(row)) == (wanted.missing_ranks or ())
        assert int(rows.missing[row]) == len(wanted.missing_ranks or ())
        assert (rows.mismatch(row) is None) == wanted.pass_check


@settings(max_examples=60, deadline=None)
@given(jobs())
def test_calls_of_a_group_are_never_out_of_order(job: FakeJob) -> None:
    rows = tables_of(job).collectives
    for lane in {(int(group), bool(p2p)) for group, p2p in zip(rows.group, rows.p2p, strict=True)}:
        mine = rows.sequence[(rows.group == lane[0]) & (rows.p2p == lane[1])]
        assert mine.tolist() == sorted(mine.tolist())
