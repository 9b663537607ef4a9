"""Torch's periodic dumps as evidence of ranks."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.artifacts.periodic import PeriodicKind, read_periodic
from xpudbg.services.stacks import faulthandler
from xpudbg.services.stacks.model import Failure
from xpudbg.services.stacks.pyspy_errors import ADVICE

from .log_texts import faulthandler_text, periodic_text, put, pyspy_text

AT = 1_758_610_505_000_000_000
"""2025-09-23 06:55:05 UTC."""
STAMP = "20250923_065505"


def test_stacks_of_all_ranks_at_the_time_of_the_name() -> None:
    text = periodic_text("dump_traceback", [faulthandler_text(0, 1), (408, "TimeoutError: "), faulthandler_text(2)])
    dump = read_periodic(PeriodicKind.STACKS, f"run/stacks_{STAMP}.txt", text.encode(), 5, put)
    assert (dump.taken_at, dump.world_size, dump.notes) == (AT, 3, ())
    assert [(one.rank, one.source, one.taken_at, one.host) for one in dump.evidence] == [
        (rank, "dump_traceback", AT, f"node-{rank // 2}") for rank in range(3)
    ]
    assert [one.error for one in dump.evidence] == ["", "no answer in time (HTTP 408): TimeoutError:", ""]
    assert dump.evidence[1].body.size == 0
    main = faulthandler.parse(dump.evidence[2].body.read()).main_thread
    assert main is not None
    assert main.frames[0].line == 102


def test_the_files_own_time_where_the_name_has_none() -> None:
    text = periodic_text("pyspy_dump", [pyspy_text(0)], "nonblocking=1")
    dump = read_periodic(PeriodicKind.PYSPY, "stacks.txt", text.encode(), 5, put)
    assert (dump.taken_at, dump.evidence[0].taken_at, dump.evidence[0].source) == (5, 5, "pyspy_dump")
    assert dump.evidence[0].body.read().decode() == pyspy_text(0)


def test_a_failure_of_py_spy_that_is_known_comes_with_what_to_do() -> None:
    text = periodic_text("pyspy_dump", [(500, "sh: 1: py-spy: not found"), (500, "odd"), (408, "py-spy: not found")])
    errors = [one.error for one in read_periodic(PeriodicKind.PYSPY, "p", text.encode(), 5, put).evidence]
    assert errors[0] == ADVICE[Failure.NOT_INSTALLED]
    assert errors[1] == "the rank answered with an error (HTTP 500): odd"
    assert errors[2] == "no answer in time (HTTP 408): py-spy: not found"


def test_counters_are_the_handlers_json() -> None:
    counters = {"pytorch.wait_counter.TCPStore__get": {"active_count": 1, "total_calls": 4}}
    text = periodic_text("wait_counter_values", [json.dumps(counters, indent=2)] * 2)
    dump = read_periodic(PeriodicKind.COUNTERS, "w", text.encode(), 5, put)
    assert [(one.source, json.loads(one.body.read())) for one in dump.evidence] == [
        ("wait_counter_values", counters)
    ] * 2


def test_health_ends_before_the_dumps_that_torch_asks_for() -> None:
    text = periodic_text("torchcomms_health_check", ['{"healthy": true}', '{"healthy": false}'])
    text += "\n\n=== Unhealthy rank detected, triggering FR dump ===\n"
    text += "--- Rank 0: http://x/handler/torchcomms_fr_dump_file? ---\nok"
    dump = read_periodic(PeriodicKind.HEALTH, "h", text.encode(), 5, put)
    assert [json.loads(one.body.read()) for one in dump.evidence] == [{"healthy": True}, {"healthy": False}]
    assert dump.notes[0].startswith("torch found a rank unhealthy")


def test_a_job_without_torchcomms_has_no_health_and_that_is_no_news() -> None:
    text = periodic_text("torchcomms_health_check", [(404, "Handler torchcomms_health_check not found")] * 2)
    dump = read_periodic(PeriodicKind.HEALTH, "h", text.encode(), 5, put)
    assert (dump.evidence, dump.world_size, dump.notes) == ((), 2, ())


def test_the_store_and_the_recorder() -> None:
    store = read_periodic(PeriodicKind.STORE, f"tcpstore_{STAMP}.txt", b"rank0: b'http://vm:1'", 5, put)
    assert store.store is not None
    assert (store.store.keys, store.taken_at) == ((("rank0", b"http://vm:1"),), AT)
    tables = b"=== FR Trace ===\n--- Groups ---\nid  desc  size"
    recorder = read_periodic(PeriodicKind.RECORDER, "fr", tables, 5, put)
    assert recorder.recorders[0].tables["Groups"].columns == ("id", "desc", "size")
    assert recorder.notes == recorder.recorders[0].notes
    nothing = read_periodic(PeriodicKind.TORCHCOMMS_RECORDER, "fr", b"", 5, put)
    assert nothing.notes == ("no table of a flight recorder is in the file",)


def test_a_file_of_another_kind_is_said() -> None:
    dump = read_periodic(PeriodicKind.STACKS, "s", b"hello", 5, put)
    assert (dump.evidence, dump.world_size) == ((), None)
    assert dump.notes == ("no part of a rank is in the file: no line === Rank 0: .../handler/dump_traceback? ===",)


@given(st.sampled_from(PeriodicKind), st.binary(max_size=200))
def test_any_bytes_are_read(kind: PeriodicKind, data: bytes) -> None:
    read_periodic(kind, "x", data, 5, put)
