"""Dumps of one moment: a rank that was about to make its call is no culprit, and what is not known is said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from xpudbg.services.findings import Confidence, Severity
from xpudbg.services.flight_recorder.analysis import Analysis, analyse
from xpudbg.services.flight_recorder.decode import decode
from xpudbg.services.flight_recorder.diagnosis import diagnose

from .looking import the_finding

GROUP = FakeGroup("0", "default_pg", (0, 1, 2))
UNKNOWN = "These dumps do not tell how long the wait has lasted"


def look(*, taken_after_s: float | None, step_s: float = 0.001, kind: str = "stops") -> Analysis:
    """Rank 1 has not made its 31st call; the dumps were written so many seconds after the others made it."""
    job = FakeJob(3, [GROUP], [Call("0")] * 40, faults=[Fault(1, 30, kind)], step_ns=int(step_s * 1e9))
    dumps = [decode(job.as_json(rank), rank) for rank in range(3)]
    if taken_after_s is None:
        return analyse(dumps)
    newest = max(int(dump.entries.created.max()) for dump in dumps)
    return analyse([replace(dump, taken_at=newest + int(taken_after_s * 1e9)) for dump in dumps])


@pytest.mark.parametrize(
    ("kind", "taken_after_s", "step_s", "confidence"),
    [
        ("stops", 1.0, 0.001, Confidence.POSSIBLE),
        ("stops", 60.0, 0.001, Confidence.CERTAIN),
        ("stops", 60.0, 50.0, Confidence.POSSIBLE),  # steps of this job take as long
        ("stops", 100.0, 50.0, Confidence.CERTAIN),
        ("device", 1.0, 0.001, Confidence.POSSIBLE),
        ("device", 60.0, 0.001, Confidence.CERTAIN),
    ],
)
def test_a_short_wait_is_a_hint(kind: str, taken_after_s: float, step_s: float, confidence: Confidence) -> None:
    finding = the_finding(diagnose(look(taken_after_s=taken_after_s, step_s=step_s, kind=kind)))
    assert (str(finding.culprits), finding.confidence) == ("1", confidence)
    hint = confidence is Confidence.POSSIBLE
    assert finding.severity is (Severity.WARNING if hint else Severity.CRITICAL)
    assert ("just about to make its call" in finding.refutation) is hint


def test_where_no_time_tells_it_is_said_what_would() -> None:
    finding = the_finding(diagnose(look(taken_after_s=None)))
    assert finding.confidence is Confidence.CERTAIN
    assert UNKNOWN in finding.refutation
    assert finding.refutation.endswith("a second dump some seconds later tells it.")


def test_the_newest_time_in_a_dump_is_no_time_of_the_dump() -> None:
    """Files without a time in their name have that of their newest entry."""
    now = look(taken_after_s=None)
    dumps = [replace(dump, taken_at=int(dump.entries.completed.max())) for dump in now.job.dumps]
    assert UNKNOWN in the_finding(diagnose(analyse(dumps))).refutation


def test_a_second_look_tells_it() -> None:
    now = look(taken_after_s=None)
    assert UNKNOWN not in the_finding(diagnose(now, now)).refutation


def test_calls_that_others_made_long_after_show_that_the_wait_has_lasted() -> None:
    groups = [GROUP, FakeGroup("4", "side", (3,))]
    job = FakeJob(4, groups, [Call("0")] * 3 + [Call("4")] * 30, faults=[Fault(1, 2, "stops")], step_ns=10**9)
    finding = the_finding(diagnose(analyse([decode(job.as_json(rank), rank) for rank in range(4)])))
    assert (str(finding.culprits), finding.confidence) == ("1", Confidence.CERTAIN)
    assert UNKNOWN not in finding.refutation


def test_a_deadlock_is_one_at_any_moment() -> None:
    groups = [GROUP, FakeGroup("4", "tp", (0, 1, 2))]
    job = FakeJob(3, groups, [Call("0"), Call("4")] * 3, faults=[Fault(1, 2, "swaps")])
    dumps = [replace(decode(job.as_json(rank), rank), taken_at=job.start_ns + 10**8) for rank in range(3)]
    finding = the_finding(diagnose(analyse(dumps)))
    assert (finding.kind.value, finding.severity) == ("deadlock", Severity.CRITICAL)
    assert "about to make its call" not in finding.refutation
