"""Recorders that are empty, or hold nothing of a group, accuse nobody by themselves."""

from __future__ import annotations

import pytest

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from xpudbg.services.findings import Confidence, Severity
from xpudbg.services.flight_recorder.analysis import Analysis, analyse
from xpudbg.services.flight_recorder.decode import decode
from xpudbg.services.flight_recorder.diagnosis import diagnose
from xpudbg.services.flight_recorder.dump import Dump
from xpudbg.services.judging.recorder_findings import sentence_of

from .looking import the_finding
from .recorded import dump_of, entry

EMPTY = b'{"version": "2.10", "entries": []}'
OPEN = {"state": "started", "retired": False}
WORLD = FakeGroup("0", "default_pg", (0, 1, 2, 3))


def dumps(backend: str = "nccl", *, calls: int = 5, empty: int = 3, guilty: int | None = None) -> list[Dump]:
    faults = [] if guilty is None else [Fault(guilty, 3, "stops")]
    job = FakeJob(4, [WORLD], [Call("0")] * calls, backend=backend, faults=faults)
    return [decode(EMPTY if rank == empty else job.as_json(rank), rank) for rank in range(4)]


@pytest.mark.parametrize("backend", ["nccl", "gloo"])
def test_an_empty_recorder_in_a_healthy_job_is_no_finding(backend: str) -> None:
    assert diagnose(analyse(dumps(backend))).findings == ()


@pytest.mark.parametrize("backend", ["nccl", "gloo"])
def test_the_guilty_one_is_named_and_the_empty_one_is_not(backend: str) -> None:
    finding = the_finding(diagnose(analyse(dumps(backend, guilty=1), world_size=4)))
    assert (finding.kind.value, str(finding.culprits)) == ("not_joined", "1")
    assert str(finding.unknown) == "3"


def hidden_guilt(empty: bytes) -> Analysis:
    """Ranks 0 to 2 wait in #4 for rank 3, whose recorder is empty."""
    job = FakeJob(4, [WORLD], [Call("0")] * 5, faults=[Fault(3, 3, "stops")])
    return analyse([decode(empty if rank == 3 else job.as_json(rank), rank) for rank in range(4)])


def test_an_empty_recorder_alone_accuses_nobody_and_is_told() -> None:
    finding = the_finding(diagnose(hidden_guilt(EMPTY)))
    assert (finding.kind.value, str(finding.culprits), str(finding.blank)) == ("no_dump", "", "3")
    assert (finding.severity, finding.confidence) == (Severity.WARNING, Confidence.POSSIBLE)
    assert sentence_of(finding, str) == (
        "Who holds up all_reduce #4 of default_pg is not to be seen: the flight recorder of 3 holds nothing of that "
        "group; 0-2 wait."
    )
    (told,) = (fact.text for fact in finding.evidence if fact.rank == 3)
    assert told == (
        "its flight recorder holds nothing of default_pg, though it has called #3 there: it was off, or has lost it"
    )


def test_a_recorder_that_lists_its_groups_and_no_call_was_on() -> None:
    listed = (
        b'{"version": "2.10", "entries": [], '
        b'"pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1, 2, 3]"}}}'
    )
    finding = the_finding(diagnose(hidden_guilt(listed)))
    assert (finding.kind.value, str(finding.culprits), finding.confidence) == ("not_joined", "3", Confidence.LIKELY)


def test_a_ring_that_has_lost_a_group_without_counters_convicts_nobody() -> None:
    """Rank 1 has called much in another group since; dumps of this age have no counters."""
    configs = {
        "0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"},
        "5": {"name": "5", "desc": "own", "ranks": "[1]"},
    }
    later = entry("nccl:barrier", 90, process_group=["5", "own"], record_id=700)
    look = analyse(
        [dump_of(0, [entry("nccl:broadcast", 8, **OPEN)]), dump_of(1, [later], version="2.1", pg_config=configs)]
    )
    finding = the_finding(diagnose(look))
    assert (str(finding.culprits), str(finding.blank), finding.confidence) == ("", "1", Confidence.POSSIBLE)
    whole = later | {"record_id": 0}
    look = analyse(
        [dump_of(0, [entry("nccl:broadcast", 8, **OPEN)]), dump_of(1, [whole], version="2.1", pg_config=configs)]
    )
    finding = the_finding(diagnose(look))
    assert (str(finding.culprits), finding.confidence) == ("1", Confidence.LIKELY)
