"""Groups and memberships: each column, jumps, members that are inferred, unseen or without a dump."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from tests.services.flight_recorder.looking import analysed
from tests.services.flight_recorder.recorded import dump_of, entry
from xpudbg.services.flight_recorder.diagnosis import diagnose
from xpudbg.services.looks.recorders import RecorderLook
from xpudbg.services.recorder_tables.browser import RecorderTables
from xpudbg.services.recorder_tables.table import Sign

from .making import TP, WORLD, cells, column, fact, left, mixed_job, tables_of
from .test_collectives import jobs


def test_each_column_of_a_group() -> None:
    groups = tables_of(mixed_job(Fault(3, 5, "stops"))).groups
    assert cells(groups, 0) == {
        "group": "0",
        "desc": "default_pg",
        "size": "4",
        "known": "4",
        "dumps": "4",
        "hindmost": "3",
        "foremost": "4",
        "lag": "1",
        "calls": "6",
        "open": "1",
        "how": "recorded",
        "ranks": "0-3",
    }
    assert groups.cell(0, groups.place("lag")).sign is Sign.MISSING
    assert left(groups, "is:missing") == left(groups, "is:open") == left(groups, "is:p2p") == [0]
    assert left(groups, "tp") == left(groups, "!is:missing") == [1, 2]
    assert left(groups, "rank:2") == [0, 2]
    assert fact(groups, 0, "foremost").text == "#4, ranks 0-2"


def test_jumps_from_a_group() -> None:
    tables = tables_of(mixed_job())
    groups, members = tables.groups, tables.memberships
    assert groups.row_of(2) == 2
    assert groups.row_of(3) is None
    assert [(members.group_of(int(row)), int(cells(members, int(row))["rank"])) for row in groups.members_of(2)] == [
        (2, 2),
        (2, 3),
    ]
    assert [members.row_of(group, rank) for group, rank in ((0, 3), (1, 1), (2, 2), (2, 1))] == [3, 5, 6, None]


def test_each_column_of_a_membership() -> None:
    job = mixed_job(Fault(3, 5, "stops"))
    look = RecorderLook(1, {"x": diagnose(analysed(job))}, coordinates={3: {"tp": 1, "pp": 0}})
    members = RecorderTables(look, "x", hosts={3: "node-a"}).memberships
    row = members.row_of(0, 3)
    assert row is not None
    assert cells(members, row) == {
        "group": "0:default_pg",
        "rank": "3",
        "host": "node-a",
        "place": "tp1 pp0",
        "enqueued": "3",
        "completed": "3",
        "lag": "1",
        "p2p_enqueued": "—",
        "p2p_completed": "—",
        "dump": "dump",
    }
    assert left(members, "is:missing") == [row]
    assert left(members, "node-a tp1") == [3, 7]
    assert str(members.ranks(row)) == "3"


def test_the_oldest_call_that_a_ring_still_has() -> None:
    members = tables_of(FakeJob(2, [FakeGroup("0", "", (0, 1))], [Call("0")] * 5, rings={1: 2})).memberships
    assert [fact(members, row, "oldest in its ring").text for row in (0, 1)] == ["#1", "#4"]


def test_members_without_a_dump() -> None:
    tables = tables_of([dump_of(rank, [entry("nccl:all_reduce", 1)], "[0, 1, 2]") for rank in (0, 1)])
    members, groups = tables.memberships, tables.groups
    assert column(members, "dump") == ["dump", "dump", "no dump"]
    assert column(members, "enqueued") == ["1", "1", "—"]
    assert left(members, "is:missing") == [2]
    assert "no dump of this rank" in fact(members, 2, "position").text
    assert cells(groups, 0) | {"size": "3", "dumps": "2"} == cells(groups, 0)
    assert fact(groups, 0, "without a dump").text == "2 (1)"


def test_groups_that_no_dump_declares() -> None:
    job = FakeJob(4, [WORLD, *TP], [Call("1"), Call("0")], backend="gloo")
    look = analysed(job, sizes={"1": 3})
    groups = RecorderTables(RecorderLook(1, {"x": diagnose(look)}), "x").groups
    assert column(groups, "how") == ["inferred", "inferred"]
    row = column(groups, "group").index("1")
    assert cells(groups, row) | {"size": "3", "known": "2", "ranks": "0-1"} == cells(groups, row)
    assert groups.cell(row, groups.place("known")).sign is Sign.MISSING
    assert fact(groups, row, "unseen members").text.startswith("1,")
    assert left(groups, "inferred") == [0, 1]


@settings(max_examples=40, deadline=None)
@given(jobs())
def test_positions_are_those_of_the_analysis(job: FakeJob) -> None:
    tables = tables_of(job)
    members, positions = tables.members, tables.diagnosis.analysis.positions
    for row in range(len(members)):
        at = positions.at(int(members.rank[row]), int(members.group[row]))
        for name in ("enqueued", "completed", "p2p_enqueued", "p2p_completed"):
            values, known = getattr(members, name)
            wanted = getattr(at, name) if at is not None else None
            assert (int(values[row]) if known[row] else None) == wanted
        assert bool(members.with_dump[row]) == (at is not None)


def test_counters_of_64_bits() -> None:
    most = 2**64 - 1
    dumps = [dump_of(0, [entry("nccl:all_reduce", most)]), dump_of(1, [entry("nccl:all_reduce", most - 3)])]
    tables = tables_of(dumps)
    assert column(tables.memberships, "enqueued") == [str(most), str(most - 3)]
    assert cells(tables.groups, 0)["lag"] == "3"
    assert np.argsort(tables.memberships.keys(tables.memberships.place("enqueued"))).tolist() == [1, 0]
    assert left(tables.collectives, f"seq:{most}") == [column(tables.collectives, "seq").index(str(most))]


@pytest.mark.parametrize("name", ["findings", "collectives", "calls", "groups", "memberships"])
def test_a_job_that_has_recorded_nothing(name: str) -> None:
    table = getattr(tables_of([]), name)
    assert len(table) == 0
    for place in range(len(table.fields)):
        assert table.keys(place).shape == (0,)
    for text in ("x", "rank:0", "seq:1", "is:open", "is:missing", "is:mismatch", "is:p2p"):
        assert left(table, text) == []
    with pytest.raises(IndexError):
        table.cell(0, 0)
