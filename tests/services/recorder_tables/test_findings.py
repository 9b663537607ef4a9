"""Findings: each column, the collective they lead to, and that passing ones accuse nobody."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from tests.services.flight_recorder.looking import analysed
from xpudbg.services.flight_recorder.analysis import analyse
from xpudbg.services.flight_recorder.causes import Kind
from xpudbg.services.flight_recorder.decode import decode
from xpudbg.services.flight_recorder.diagnosis import diagnose
from xpudbg.services.flight_recorder.motion import Pace
from xpudbg.services.judging.witness import Witness
from xpudbg.services.looks.recorders import DUMP_FILE, RecorderLook
from xpudbg.services.recorder_tables.browser import RecorderTables
from xpudbg.services.recorder_tables.table import Sign
from xpudbg.services.snapshot import RankAddress, RankClass, RankState

from .making import TP, WORLD, cells, fact, left, mixed_job, tables_of


def test_each_column() -> None:
    tables = tables_of(mixed_job(Fault(3, 5, "stops")))
    assert cells(tables.findings, 0) == {
        "id": "1",
        "kind": "not_joined",
        "severity": "critical",
        "confidence": "certain",
        "stands": "stands",
        "culprits": "3",
        "group": "0:default_pg",
        "seq": "4",
        "op": "nccl:ALLGATHER_coalesced",
        "waiting": "3",
        "waited": "—",
        "followers": "0",
        "text": "Rank 3 has not joined all_gather #4 of default_pg; ranks 0-2 wait.",
    }
    assert tables.findings.target_of(0) == 9
    assert str(tables.findings.ranks(0)) == "3"
    assert fact(tables.findings, 0, "refuted by").text.startswith("A later dump of rank 3")


def test_a_mismatch_leads_to_its_call() -> None:
    tables = tables_of(mixed_job(Fault(1, 1, "wrong", Call("0", inputs=((512,),), outputs=((512,),)))))
    target = tables.findings.target_of(0)
    assert target is not None
    assert cells(tables.collectives, target)["mismatch"] == "size"
    assert left(tables.findings, "is:mismatch rank:1 seq:1 group:default") == [0]


def test_an_unmatched_send_leads_to_its_call() -> None:
    pair = FakeGroup("0", "default_pg", (0, 1))
    sends = [Call("0", pairs=((0, 1),), batched=False)] * 2
    tables = tables_of(FakeJob(2, [pair], [Call("0"), *sends], faults=[Fault(1, 2, "stops")]))
    assert cells(tables.findings, 0)["kind"] == Kind.P2P_UNMATCHED
    target = tables.findings.target_of(0)
    assert target is not None
    assert cells(tables.collectives, target) | {"op": "nccl:send 0->1", "p2p_seq": "2"} == cells(
        tables.collectives, target
    )


def test_a_deadlock_tells_its_steps() -> None:
    swapped = FakeJob(4, [WORLD, FakeGroup("5", "dp", (0, 1, 2, 3)), *TP], [Call("0"), Call("5")])
    swapped = FakeJob(4, swapped.groups, swapped.program, faults=[Fault(1, 0, "swaps")])
    findings = tables_of(swapped).findings
    assert cells(findings, 0)["kind"] == "deadlock"
    assert [one.label for one in findings.details(0) if one.label.startswith("step")] == ["step 1", "step 2"]


def test_what_may_pass_accuses_nobody_unless_something_backs_it() -> None:
    one = diagnose(analysed(mixed_job(Fault(3, 5, "stops"))))
    early = replace(one.findings[0], early=True, pace=Pace.FROZEN, usual_s=None)
    look = RecorderLook(1, {"x": replace(one, findings=(), passing=(early,))})
    findings = RecorderTables(look, "x").findings
    assert cells(findings, 0) | {"severity": "info", "confidence": "possible", "stands": "may pass"} == cells(
        findings, 0
    )
    assert findings.cell(0, findings.place("stands")).sign is Sign.FAINT
    assert left(findings, "state:stands") == []
    dead = RankState(3, RankAddress(3, "", "", "node-a"), RankClass.DEAD)
    backed = RecorderTables(look, "x", beside=Witness({3: dead})).findings
    assert cells(backed, 0) | {"severity": "critical", "stands": "stands"} == cells(backed, 0)


def test_a_healthy_job_has_none() -> None:
    assert len(tables_of(mixed_job()).findings) == 0


@pytest.mark.parametrize(
    ("source", "culprits", "confidence", "text"),
    [
        ("fr_trace_json", "—", "possible", "Who holds up all_reduce #2 of default_pg is not to be seen: rank 3 is not"),
        (DUMP_FILE, "3", "likely", "Rank 3 left no flight recorder dump, and others wait in all_reduce #2"),
    ],
)
def test_ranks_that_nobody_asked_are_not_accused(source: str, culprits: str, confidence: str, text: str) -> None:
    job = FakeJob(4, [WORLD], [Call("0")] * 3, faults=[Fault(3, 1, "stops")])
    diagnosis = diagnose(analyse([decode(job.as_json(rank), rank) for rank in range(3)]))
    beside = Witness({rank: RankState(rank, RankAddress(rank, "", "", "")) for rank in range(3)})
    rows = RecorderTables(RecorderLook(1, {source: diagnosis}), source, beside=beside).findings
    shown = cells(rows, 0)
    assert (shown["culprits"], shown["confidence"]) == (culprits, confidence)
    assert shown["text"].startswith(text)
    assert [one.text for one in rows.details(0) if one.label == "not asked"] == (["3 (1)"] if culprits == "—" else [])
