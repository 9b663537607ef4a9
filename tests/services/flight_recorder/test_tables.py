"""The four tables: columns, rows, and where they differ from the reference on purpose (see docs)."""

from __future__ import annotations

import pytest

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from xpudbg.services.flight_recorder.tables import (
    CollectivesTable,
    GroupsTable,
    MembershipsTable,
    NCCLCallsTable,
    rows_of,
)

from .looking import analysed

GROUPS = [FakeGroup("0", "default_pg", (0, 1, 2)), FakeGroup("4", "undefined", (0, 2))]


def test_groups_and_memberships() -> None:
    look = analysed(FakeJob(3, GROUPS, [Call("0")]))
    assert [(row.desc, row.size) for row in map(GroupsTable(look).__getitem__, range(2))] == [
        ("default_pg", 3),
        ("undefined", 2),
    ]
    groups, members = GroupsTable(look), MembershipsTable(look)
    assert list(rows_of(members)) == [
        *((groups[0].id, rank) for rank in (0, 1, 2)),
        *((groups[1].id, rank) for rank in (0, 2)),
    ]
    with pytest.raises(IndexError):
        members[5]


def test_collectives_and_calls() -> None:
    look = analysed(FakeJob(3, GROUPS, [Call("4"), Call("0"), Call("0")], faults=[Fault(1, 1, "stops")], frames=True))
    collectives = CollectivesTable(look)
    rows = [collectives[index] for index in range(len(collectives))]
    assert [(row.id, row.pg_desc, row.collective_seq_id, row.missing_ranks, row.pass_check) for row in rows] == [
        (0, "4", 1, None, True),
        (1, "0:default_pg", 1, None, True),
        (2, "0:default_pg", 2, (1,), True),
    ]
    assert rows[0].collective_frames[0] == {"name": "forward", "filename": "/job/train_0.py", "line": 100}
    calls = NCCLCallsTable(look, collectives)
    assert [(row[1], row[3]) for row in rows_of(calls)] == [
        *[(0, 0), (0, 2)],
        *[(1, 0), (1, 1), (1, 2)],
        *[(None, 0), (None, 2)],
    ]


def test_a_mismatch_fails_its_check() -> None:
    wrong = Call("0", "all_reduce", ((9,),), ((9,),))
    look = analysed(FakeJob(3, GROUPS, [Call("0")], faults=[Fault(2, 0, "wrong", wrong)]))
    row = CollectivesTable(look)[0]
    assert (row.pass_check, row.type_of_mismatch) == (False, "size")
    assert row.mismatch_collectives == {2: "nccl:all_reduce in 9 out 9 elements"}


def test_what_a_ring_has_lost_is_not_missing() -> None:
    look = analysed(FakeJob(3, GROUPS, [Call("0")] * 6, rings={1: 2}))
    assert [row[15] for row in rows_of(CollectivesTable(look))] == [None] * 6


def test_a_batch_of_sends_and_receives_is_one_row_for_each_rank() -> None:
    look = analysed(FakeJob(3, GROUPS, [Call("0", pairs=((0, 1), (1, 2)))]))
    collectives = CollectivesTable(look)
    assert [(row.collective_name, row.missing_ranks) for row in map(collectives.__getitem__, range(1))] == [
        ("nccl:send 0->1", None)
    ]
    assert len(NCCLCallsTable(look, collectives)) == 3
