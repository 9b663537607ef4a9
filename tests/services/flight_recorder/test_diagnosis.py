"""Findings out of causes: what stands, what passes, in which order, how sure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from xpudbg.services.findings import Confidence, Severity
from xpudbg.services.flight_recorder.analysis import Analysis, analyse
from xpudbg.services.flight_recorder.decode import decode
from xpudbg.services.flight_recorder.diagnosis import PATIENCE_S, diagnose
from xpudbg.services.flight_recorder.motion import Pace

from .looking import analysed, said, the_finding
from .recorded import dump_of, entry

GROUP = FakeGroup("0", "default_pg", (0, 1, 2))
OPEN = {"state": "started", "retired": False}


def hung(at: int, calls: int = 6, **options: Any) -> Analysis:
    return analysed(FakeJob(3, [GROUP], [Call("0")] * calls, faults=[Fault(1, at, "stops")], **options))


def test_dumps_from_files_are_judged_as_they_stand() -> None:
    assert said(the_finding(diagnose(hung(3)))) == ("not_joined", "1", "0,2", "all_reduce", 4)


def test_live_one_look_is_not_enough() -> None:
    diagnosis = diagnose(hung(3), live=True)
    assert (diagnosis.findings, len(diagnosis.passing)) == ((), 1)


@pytest.mark.parametrize(("age_s", "stands"), [(PATIENCE_S - 1, False), (PATIENCE_S + 1, True)])
def test_live_a_long_wait_is_enough(age_s: float, stands: bool) -> None:
    made = entry("nccl:barrier", 1, **OPEN)
    taken_at = made["time_created_ns"] + int(age_s * 1e9)
    look = analyse([replace(dump_of(0, [made]), taken_at=taken_at), dump_of(1, [])])
    assert len(diagnose(look, live=True).findings) == stands


def test_a_time_before_the_epoch_is_no_time() -> None:
    made = entry("nccl:barrier", 1, time_created_ns=-5, **OPEN)
    look = analyse([replace(dump_of(0, [made]), taken_at=10**18), dump_of(1, [])])
    assert the_finding(diagnose(look)).waited_s is None


def live(at: int, waited_s: float, *, step_s: float, calls: int = 40) -> Analysis:
    """A job that makes a call every `step_s` seconds, hung for a while, as the recorders of its ranks tell it."""
    job = FakeJob(3, [GROUP], [Call("0")] * calls, faults=[Fault(1, at, "stops")], step_ns=int(step_s * 1e9))
    dumps = [decode(job.as_json(rank), rank) for rank in range(3)]
    newest = max(int(dump.entries.created.max()) for dump in dumps)
    return analyse([replace(dump, taken_at=newest + int(waited_s * 1e9)) for dump in dumps])


def test_live_a_second_look_decides() -> None:
    finding = the_finding(diagnose(live(30, 3.0, step_s=0.5), live(30, 1.0, step_s=0.5), live=True))
    assert finding.pace is Pace.FROZEN
    moved = diagnose(hung(4), hung(3), live=True)
    assert (moved.findings, len(moved.passing)) == ((), 1)
    assert moved.paces == {0: Pace.MOVING, 1: Pace.MOVING, 2: Pace.MOVING}


@pytest.mark.parametrize(
    ("at", "step_s", "waited_s", "stands", "early"),
    [
        (1, 6.0, 4.0, False, True),  # nothing but the gap that led to it: any step may be so long
        (2, 6.0, 4.0, False, True),
        (3, 6.0, 8.0, False, False),  # no longer than a step that was a bit slow
        (2, 6.0, PATIENCE_S + 1, True, False),
        (1, 60.0, 40.0, False, True),  # a minute went before the call: another one is nothing yet
        (1, 60.0, 100.0, True, False),
        (5, 6.0, 8.0, False, False),  # gaps of six seconds recur
        (5, 6.0, 10.0, True, False),
        (30, 0.5, 2.0, True, False),  # after many short steps a hang is named at once
    ],
)
def test_live_a_job_in_its_first_steps_is_not_hung_for_being_slow(
    at: int, step_s: float, waited_s: float, stands: bool, early: bool
) -> None:
    before = live(at, waited_s - 1.5, step_s=step_s)
    diagnosis = diagnose(live(at, waited_s, step_s=step_s), before, live=True)
    assert len(diagnosis.findings) == stands
    (one,) = (*diagnosis.findings, *diagnosis.passing)
    assert (one.early, str(one.culprits)) == (early, "1")


def test_live_a_deadlock_is_one_in_a_young_job_too() -> None:
    """No slow step makes two ranks wait for each other."""
    groups = [GROUP, FakeGroup("4", "tp", (0, 1, 2))]
    job = FakeJob(3, groups, [Call("0"), Call("4")] * 3, faults=[Fault(1, 2, "swaps")])
    look = analysed(job)
    assert the_finding(diagnose(look, look, live=True)).kind == "deadlock"


def test_a_culprit_that_gets_on_elsewhere_is_slow_not_hung() -> None:
    pair = FakeGroup("4", "side", (1, 3))
    world = FakeGroup("0", "default_pg", (0, 1, 2, 3))

    def look(side: int) -> Analysis:
        program = [Call("0"), *[Call("4")] * side, Call("0")]
        return analysed(FakeJob(4, [world, pair], program, faults=[Fault(1, side + 1, "stops")]))

    assert said(the_finding(diagnose(look(2), look(2))))[1] == "1"
    assert diagnose(look(5), look(2)).findings == ()


def test_findings_come_by_severity_confidence_and_number_of_ranks_waiting() -> None:
    groups = [FakeGroup(str(place), f"g{place}", tuple(range(4 * place, 4 * place + 4))) for place in range(3)]
    job = FakeJob(
        12,
        groups,
        [Call(group.name) for group in groups] * 3,
        faults=[Fault(1, 1, "stops"), Fault(8, 1, "stops"), Fault(9, 1, "stops")],
    )
    dumps = [decode(job.as_json(rank), rank) for rank in range(12) if rank != 5]
    findings = diagnose(analyse([*dumps, decode(b'{"version": "2.10", "entries": []}', 5)])).findings
    assert [(finding.severity, str(finding.culprits)) for finding in findings] == [
        (Severity.CRITICAL, "1"),
        (Severity.CRITICAL, "8-9"),
    ]


def test_a_mismatch_that_is_over_is_a_warning() -> None:
    sizes = [entry("nccl:all_reduce", 1, input_sizes=[[size]], output_sizes=[[size]]) for size in (4, 4, 5)]
    finding = the_finding(diagnose(analyse(dump_of(rank, [one], "[0, 1, 2]") for rank, one in enumerate(sizes))))
    assert (finding.severity, str(finding.culprits), str(finding.waiting)) == (Severity.WARNING, "2", "")


def test_members_that_nothing_names_leave_the_culprit_open() -> None:
    job = FakeJob(2, [FakeGroup("7", "undefined", (0, 1))], [Call("7")], backend="gloo", faults=[Fault(1, 0, "stops")])
    dumps = [decode(job.as_json(rank), rank) for rank in range(2)]
    finding = the_finding(diagnose(analyse(dumps, world_size=5, sizes={"7": 3})))
    assert said(finding) == ("not_joined", "", "0", "all_reduce", 1)
    assert (finding.unseen, finding.confidence) == (2, Confidence.POSSIBLE)
    everybody = the_finding(diagnose(analyse(dumps, world_size=2, sizes={"7": 2})))
    assert (str(everybody.culprits), everybody.confidence) == ("1", Confidence.LIKELY)


def test_every_finding_has_evidence_and_a_refutation() -> None:
    faults = [("stops", None), ("device", None), ("swaps", None), ("wrong", Call("0", "broadcast"))]
    groups = [GROUP, FakeGroup("4", "tp", (0, 1, 2))]
    for kind, instead in faults:
        job = FakeJob(3, groups, [Call("0"), Call("4")] * 3, faults=[Fault(1, 2, kind, instead)])
        finding = the_finding(diagnose(analysed(job)))
        assert finding.evidence
        assert finding.refutation.endswith(".")
        assert all("\n" not in fact.text for fact in finding.evidence)


def test_hints_about_the_dumps_are_noted() -> None:
    old = decode(b'[{"profiling_name": "nccl:barrier", "record_id": NaN}]', 0)
    notes = diagnose(analyse([old], unreadable={3: "empty"})).notes
    assert notes == (
        "the dump of rank 0 is not strict JSON, and slow to read",
        "the dump of rank 0 is of the oldest format, a bare list of entries",
        "members of 1 groups are inferred from who uses them",
        "rank 3: empty",
    )


def test_a_rank_without_a_dump_that_may_wait_for_the_guilty_one_is_accused_only_as_possible() -> None:
    tp = [FakeGroup(f"tp{at}", "tp", (at, at + 1)) for at in (0, 2)]
    dp = [FakeGroup(f"dp{at}", "dp", (at, at + 2)) for at in (0, 1)]
    calls = [Call(group.name) for _ in range(6) for group in (*tp, *dp)]
    job = FakeJob(4, [FakeGroup("0", "default_pg", (0, 1, 2, 3)), *tp, *dp], calls, faults=[Fault(3, 4, "stops")])
    diagnosis = diagnose(analyse([decode(job.as_json(rank), rank) for rank in (0, 1, 3)]))
    told = {finding.kind.value: finding for finding in diagnosis.findings}
    assert (str(told["not_joined"].culprits), told["not_joined"].confidence) == ("3", Confidence.CERTAIN)
    assert (str(told["no_dump"].culprits), told["no_dump"].confidence) == ("2", Confidence.POSSIBLE)
    assert "may itself wait for rank 3" in told["no_dump"].refutation
    alone = diagnose(analyse([decode(job.as_json(rank), rank) for rank in (0, 1)]))
    missing = [(finding.kind.value, str(finding.culprits), finding.confidence.value) for finding in alone.findings]
    assert sorted(missing) == [("no_dump", "2", "likely"), ("no_dump", "3", "likely")]
