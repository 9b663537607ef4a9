"""A rank that a recorder names, and that waits itself by its wait counters, is not accused outright."""

from __future__ import annotations

from tests.fakes.counter_answers import answer, counter, looks
from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from tests.tui.progress_scripts import recorder_job
from xpudbg.services.counters.look import CounterLook
from xpudbg.services.events import Analysed, Event, TargetOpening
from xpudbg.services.findings import Confidence, Finding, Severity
from xpudbg.services.judging.witness import UNSEEN, Witness
from xpudbg.services.ranksets import RankSet
from xpudbg.services.session import Session

WAITS = answer(TCPStore__wait=counter(1, 50, 2))
FREE = answer(TCPStore__wait=counter(0, 50, 2))
FOUR = [FakeGroup("0", "default_pg", (0, 1, 2, 3))]
STOPS = FakeJob(4, FOUR, [Call("0")] * 9, faults=[Fault(3, 4, "stops")])
TWO_STOP = FakeJob(4, FOUR, [Call("0")] * 9, faults=[Fault(2, 4, "stops"), Fault(3, 4, "stops")])


def held(*ranks: int) -> CounterLook:
    said = {rank: WAITS if rank in ranks else FREE for rank in range(4)}
    return looks(said, said)[-1]


def judged(job: FakeJob, counters: CounterLook | None) -> tuple[Session, Finding]:
    session = Session()
    for event in recorder_job([job, job]):
        session.apply(_with(event, counters))
    return session, session.verdict.findings[0]


def _with(event: Event, counters: CounterLook | None) -> Event:
    if not isinstance(event, Analysed):
        return event
    return Analysed(event.look_id, event.stacks, event.recorder, event.recorded, counters)


def test_a_rank_that_others_wait_for_is_accused_where_no_counter_says_that_it_waits() -> None:
    for counters in (None, held(), looks({3: WAITS})[0]):
        _, first = judged(STOPS, counters)
        assert (str(first.culprits), first.severity) == ("3", Severity.CRITICAL)
        assert "waits in communication itself" not in first.text


def test_one_that_waits_itself_is_only_possible() -> None:
    session, first = judged(STOPS, held(3))
    assert (str(first.culprits), first.severity, first.confidence) == ("3", Severity.WARNING, Confidence.POSSIBLE)
    assert first.text.endswith("By its wait counter it waits in communication itself.")
    assert any(one.source == "wait_counter_values" and one.rank == 3 for one in first.evidence)
    assert session.counters.waits == {3: "TCPStore__wait"}


def test_of_two_the_one_that_does_not_wait_is_accused() -> None:
    _, first = judged(TWO_STOP, held(3))
    assert (str(first.culprits), first.severity) == ("2", Severity.CRITICAL)
    assert 3 in first.waiting
    assert [one.rank for one in first.evidence if one.source == "wait_counter_values"] == [3]


def test_what_tells_that_a_rank_waits_is_named() -> None:
    beside = Witness(counters=held(1))
    assert [beside.may_wait(rank) for rank in (0, 1)] == [False, True]
    assert beside.shown_by(held(1).ranks) == "stack"
    assert beside.shown_by(RankSet([1])) == "wait counter"
    assert not UNSEEN.may_wait(1)


def test_another_target_forgets_the_counters() -> None:
    session, _ = judged(STOPS, held(3))
    session.apply(TargetOpening("other"))
    assert not session.counters.look_id
