"""The tables of one recorder of a look: made once, hostile names kept as recorded, a big job in order."""

from __future__ import annotations

import pytest

from tests.fakes.big_flight_recorder import big_dumps
from tests.services.flight_recorder.recorded import dump_of, entry
from xpudbg.services.flight_recorder.analysis import analyse
from xpudbg.services.flight_recorder.decode import decode
from xpudbg.services.flight_recorder.diagnosis import diagnose
from xpudbg.services.looks.recorders import DUMP_FILE, RecorderLook
from xpudbg.services.recorder_tables.browser import RecorderTables, source_name, sources_of
from xpudbg.services.recorder_tables.order import Sort, ordered

from .making import cells, column, fact, left, mixed_job, tables_of

HOSTILE = "nccl:\x1b[2J[red]\u202e\n" + "x" * 5_000


def test_sources_have_names() -> None:
    one = diagnose(analyse([]))
    look = RecorderLook(1, {"dump_nccl_trace_json": one, "fr_trace_json": one, DUMP_FILE: one, "new_trace": one})
    assert [name for _, name in sources_of(look)] == ["NCCL", "CPU (Gloo)", "dump files", "new_trace"]
    assert source_name("torchcomms_fr_trace_json") == "torchcomms"
    with pytest.raises(KeyError):
        RecorderTables(look, "torchcomms_fr_trace_json")


def test_tables_are_made_once_and_named_as_those_of_torch() -> None:
    tables = tables_of(mixed_job())
    assert [table.name for table in tables.all] == ["Findings", "Collectives", "NCCL Calls", "Groups", "Memberships"]
    assert all(one is other for one, other in zip(tables.all, tables.all, strict=True))
    for table in tables.all:
        assert len({field.key for field in table.fields}) == len(table.fields)


def test_hostile_texts_stay_as_recorded_and_do_no_harm() -> None:
    dump = dump_of(0, [entry(HOSTILE, 1, process_group=["0", HOSTILE], input_dtypes=[HOSTILE], thread_name=HOSTILE)])
    tables = tables_of([dump])
    assert column(tables.calls, "op") == [HOSTILE]
    assert left(tables.calls, "op:[red]") == left(tables.collectives, 're:"2J.red"') == [0]
    assert cells(tables.calls, 0)["inputs"] == f"[4] {HOSTILE}"
    assert fact(tables.calls, 0, "thread").text == HOSTILE
    for table in tables.all:
        for field in table.fields:
            assert sorted(ordered(table, [Sort(field.key, True)]).tolist()) == list(range(len(table)))


def test_sizes_and_numbers_of_no_sense() -> None:
    wild = entry(
        "nccl:all_reduce",
        2**64 - 1,
        input_sizes=[[2**63 - 1] * 64],
        time_created_ns=2**63 - 1,
        time_discovered_completed_ns=1,
        timeout_ms=2**63 - 1,
        duration_ms=1e308,
    )
    tables = tables_of([dump_of(0, [wild]), dump_of(1, [entry("nccl:all_reduce", 1, time_created_ns=-5)])])
    for table in tables.all:
        for row in range(len(table)):
            assert cells(table, row)
            assert all(one.text is not None for one in table.details(row))
        for field in table.fields:
            assert sorted(ordered(table, [Sort(field.key)]).tolist()) == list(range(len(table)))


def test_rows_of_a_column_sort_as_a_person_reads_them() -> None:
    calls = tables_of(mixed_job()).calls
    ranks = [int(column(calls, "rank")[row]) for row in ordered(calls, [Sort("rank", True)])]
    assert ranks == sorted(ranks, reverse=True)
    both = ordered(calls, [Sort("group"), Sort("rank", True)], calls.lines.p2p == 0)
    told = [(cells(calls, int(row))["group"], -int(cells(calls, int(row))["rank"])) for row in both]
    assert told == sorted(told)
    assert all("send" not in cells(calls, int(row))["op"] for row in both)


def test_a_big_job_made_of_columns_is_the_job_it_says() -> None:
    look = diagnose(analyse(big_dumps(16, 30, late=(5,))))
    tables = RecorderTables(RecorderLook(1, {"x": look}), "x")
    assert [(one.kind.value, str(one.culprits)) for one in look.findings] == [("not_joined", "5")]
    assert tables.findings.target_of(0) == left(tables.collectives, "is:missing group:default")[0]
    assert len(tables.calls) == 16 * 30 - 1
    assert cells(tables.collectives, 0) | {"op": "nccl:all_reduce", "group": "1:tp", "here": "8 of 8"} == cells(
        tables.collectives, 0
    )
    assert cells(tables.calls, 0)["age"] == "10.2 s"
    healthy = diagnose(analyse([decode(mixed_job().as_json(rank), rank) for rank in range(4)]))
    assert not healthy.findings
    assert not diagnose(analyse(big_dumps(16, 30))).findings
