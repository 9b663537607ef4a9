"""Calls: each column, jumps, stacks, and that no recorded entry is lost."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from tests.services.flight_recorder.recorded import dump_of, entry
from xpudbg.services.flight_recorder.decode import decode
from xpudbg.services.flight_recorder.tables import CollectivesTable, NCCLCallsTable
from xpudbg.services.recorder_tables.table import Sign

from .making import WORLD, cells, column, fact, left, mixed_job, tables_of
from .test_collectives import jobs


def test_each_column() -> None:
    calls = tables_of(mixed_job()).calls
    assert cells(calls, 9) == {
        "id": "9",
        "collective": "3",
        "rank": "1",
        "group": "0:default_pg",
        "seq": "1",
        "p2p_seq": "1",
        "op": "nccl:recv 1<-0",
        "state": "completed",
        "peer": "0,2",
        "inputs": "2 x [1024] f32 8 KiB",
        "outputs": "2 x [1024] f32 8 KiB",
        "dtype": "f32",
        "entries": "3",
        "created": "-6.50 ms",
        "late": "—",
        "duration": "0.30 ms",
        "age": "—",
        "timeout": "10 m 00 s",
        "created_utc": "2026-11-30T13:55:29.002Z",
        "completed_utc": "2026-11-30T13:55:29.003Z",
        "thread": "pt_main_thread",
        "record": "2",
    }


@settings(max_examples=60, deadline=None)
@given(jobs())
def test_every_entry_stands_in_one_row_and_the_rows_are_those_of_torch(job: FakeJob) -> None:
    tables = tables_of(job)
    analysis, calls = tables.diagnosis.analysis, tables.calls
    rows = Counter(int(entry) for line in range(len(calls)) for entry in tables.lines.rows_of(line))
    assert rows == Counter(range(len(analysis.job.columns)))
    collectives = CollectivesTable(analysis)
    other = NCCLCallsTable(analysis, collectives)
    assert len(calls) == len(other)
    counts = np.diff(analysis.matched.call_start)[collectives.order]
    theirs = np.split(np.arange(len(other)), np.cumsum(counts)[:-1])
    places = np.argsort(collectives.order)[tables.lines.order]
    for row, their in enumerate(int(one) for place in places for one in theirs[place]):
        wanted, shown = other[their], cells(calls, row)
        assert shown["rank"] == str(wanted.global_rank)
        if wanted.collective_id is not None:
            assert int(shown["collective"]) == places.tolist().index(wanted.collective_id)
        collective = calls.collective_of(row)
        assert collective is not None
        assert row in tables.collectives.calls_of(collective)
        p2p = bool(tables.lines.p2p[row])
        assert calls.row_of(int(shown["rank"]), calls.group_of(row), int(tables.lines.sequence[row]), p2p) == row


def test_entries_of_an_earlier_group_of_the_same_name_are_not_lost() -> None:
    old = [entry("nccl:all_reduce", seq, record_id=seq, pg_id=0, state="scheduled", retired=False) for seq in (1, 2)]
    new = [entry("nccl:all_reduce", seq, record_id=seq + 2, pg_id=7) for seq in (1, 2)]
    tables = tables_of([dump_of(0, [*old, *new]), dump_of(1, new)])
    calls = tables.calls
    assert column(calls, "collective") == ["0", "0", "1", "1", "—", "—"]
    assert column(calls, "record") == ["3", "3", "4", "4", "1", "2"]
    assert [calls.collective_of(row) for row in (3, 4)] == [1, None]
    assert fact(calls, 4, "belongs to").text.startswith("an earlier group")
    assert left(calls, "is:open") == [4, 5]
    assert left(calls, "is:missing") == []
    assert calls.row_of(0, 0, 1) == 0


def test_a_coalesced_call_lists_its_entries() -> None:
    calls = tables_of(mixed_job()).calls
    row = left(calls, "op:coalesced")[0]
    assert cells(calls, row)["entries"] == "3"
    assert fact(calls, row, "entries").text == "3 under this sequence number on rank 0"
    told = [one.text for one in calls.details(row) if one.label.startswith("entry ")]
    assert [text.split(",")[0] for text in told] == [
        "nccl:_broadcast_oop",
        "nccl:_broadcast_oop",
        "nccl:ALLGATHER_coalesced",
    ]
    assert "in [5] f32 20 B" in told[1]


def test_stacks() -> None:
    calls = tables_of(mixed_job(frames=True)).calls
    assert [tuple(frame) for frame in calls.frames(4)][:2] == [
        ("forward", "/job/train_0.py", 100),
        ("step", "/job/train_0.py", 101),
    ]
    assert tables_of(mixed_job()).calls.frames(4) == ()


def test_the_odd_rank_of_a_mismatch_is_marked() -> None:
    wrong = Call("0", inputs=((512,),), outputs=((512,),))
    calls = tables_of(mixed_job(Fault(1, 1, "wrong", wrong))).calls
    (row,) = left(calls, "is:mismatch")
    assert (cells(calls, row)["rank"], calls.cell(row, calls.place("inputs")).sign) == ("1", Sign.MISMATCH)


def test_one_against_one_marks_both() -> None:
    pair = FakeGroup("0", "default_pg", (0, 1))
    job = FakeJob(2, [pair], [Call("0")], faults=[Fault(1, 0, "wrong", Call("0", "broadcast"))])
    assert left(tables_of(job).calls, "is:mismatch") == [0, 1]


@pytest.mark.parametrize("form", ["as_json", "as_pickle"])
def test_both_forms_of_a_dump_give_the_same_cells(form: str) -> None:
    job = mixed_job(frames=True)
    plain = tables_of(job).calls
    other = tables_of([decode(getattr(job, form)(rank), rank) for rank in range(4)]).calls
    assert [cells(other, row) for row in range(len(other))] == [cells(plain, row) for row in range(len(plain))]


def test_only_sends_and_receives() -> None:
    pair = FakeGroup("0", "default_pg", (0, 1))
    job = FakeJob(2, [pair], [Call("0", pairs=((0, 1),), batched=False)] * 2, faults=[Fault(1, 1, "stops")])
    tables = tables_of(job)
    assert column(tables.calls, "peer") == ["1", "0", "1"]
    assert column(tables.collectives, "missing") == ["", "1"]
    assert column(tables.collectives, "here") == ["2", "1"]


def test_a_peer_that_the_group_has_not() -> None:
    dump = dump_of(0, [entry("nccl:send 0->9", 0, p2p_seq_id=1, is_p2p=True)])
    calls = tables_of([dump]).calls
    assert (cells(calls, 0)["peer"], int(calls.peer[0])) == ("", -(2**63))


def test_a_rank_after_the_first() -> None:
    calls = tables_of(FakeJob(4, [WORLD], [Call("0")])).calls
    assert column(calls, "late") == ["0 ms", "1 µs", "2 µs", "3 µs"]
    assert fact(calls, 3, "recorded state").text == "completed, retired"
    assert fact(calls, 3, "on the device").text == "0.30 ms (0.3 ms)"
