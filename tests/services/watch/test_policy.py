"""When a watch says that a job moves, stands or is slow, and when it rings."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.flight_recorder_jobs import Call, FakeJob, Fault
from tests.fakes.look_records import look_records
from tests.tui.progress_scripts import job_of, mesh, recorder_job
from tests.tui.scripted import NOW, SECOND, look, opened
from tests.tui.stack_scripts import TRAIN, stack_job, stacks, traceback
from xpudbg.services import events
from xpudbg.services.findings import Confidence, Finding, Severity, Verdict, VerdictValue
from xpudbg.services.looks.record import LookRecord
from xpudbg.services.looks.stacks import StackAnalyst
from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import RankClass
from xpudbg.services.watch.pace import JobPace, motion_of
from xpudbg.services.watch.policy import Alert, Decision, Reason, Rules, WatchState, decide

RULES = Rules(stall_s=15.0)


def steps(*done: int, faults: tuple[Fault, ...] = ()) -> list[LookRecord]:
    """Looks ten seconds apart at a job that has made so many steps by then."""
    groups = mesh(4, 2)
    jobs = [FakeJob(4, groups, [Call("0")] * number, faults=faults) for number in done]
    return look_records(recorder_job(jobs))


def decided(records: list[LookRecord], rules: Rules = RULES) -> list[Decision]:
    state, made = WatchState(), []
    for record in records:
        state, decision = decide(state, record, rules)
        made.append(decision)
    return made


def finding(kind: str = "not_joined", rank: int = 3, severity: Severity = Severity.CRITICAL) -> Finding:
    return Finding(kind, severity, Confidence.LIKELY, RankSet([rank]), f"rank {rank} {kind}", "advice", "refutation")


def judged(record: LookRecord, *findings: Finding) -> LookRecord:
    value = VerdictValue.HANG if findings else VerdictValue.OK
    return replace(record, verdict=Verdict(value, findings[0].text if findings else "fine", findings))


STOPS = (Fault(1, 6, "stops"),)


def test_a_job_moves_then_stands_and_the_time_is_told() -> None:
    made = decided(steps(2, 4, 9, 9, 9, faults=STOPS), Rules(stall_s=100))
    assert [one.pace for one in made] == [
        JobPace.UNKNOWN,
        JobPace.MOVING,
        JobPace.MOVING,
        JobPace.STANDING,
        JobPace.STANDING,
    ]
    assert [one.changed for one in made] == [False, True, False, True, False]
    assert [one.standing_s for one in made] == [0, 0, 0, 10, 20]
    assert made[1].ended_per_minute == pytest.approx(12)


def test_a_job_whose_calls_are_all_over_is_idle_and_never_rings() -> None:
    made = decided(steps(4, 4, 4, 4))
    assert [one.pace for one in made[1:]] == [JobPace.IDLE] * 3
    assert [one.alert for one in made] == [None] * 4


def test_slow_is_slower_than_its_own_usual_pace() -> None:
    done = [10 * number for number in range(8)] + [71, 72, 73, 74]
    made = decided(steps(*done))
    assert [one.pace for one in made[1:]] == [JobPace.MOVING] * 9 + [JobPace.SLOW] * 2
    assert made[-1].usual_per_minute == pytest.approx(60)
    assert made[-1].alert is None


def test_a_step_longer_than_the_time_between_looks_is_not_slow() -> None:
    records = steps(*[10 * (number // 2) for number in range(14)])
    elsewhere = [  # the recorder is still in between, so that only stacks tell that it moves
        replace(one, stacks=replace(one.stacks, standings=walking(number)[3].stacks.standings))
        for number, one in enumerate(records)
    ]
    paces = {one.pace for one in decided(elsewhere)[1:]}
    assert paces == {JobPace.MOVING}


def walking(number: int) -> list[LookRecord]:
    """A job whose stacks move at each look."""
    script: list[events.Event] = [events.TargetOpening("x"), opened(4)]
    analyst = StackAnalyst()
    for turn in range(4):
        text = traceback((f"busy /job/busy.py:{number + turn + 1}", *TRAIN))
        at = NOW + turn * 10 * SECOND
        script += stacks(turn + 1, 4, dict.fromkeys(range(4), text), analyst=analyst, at=at)
    return look_records(script)


def test_stacks_alone_tell_that_it_moves_or_that_it_waits_for_nobody() -> None:
    assert [one.pace for one in decided(walking(0))[1:]] == [JobPace.MOVING] * 3
    resting = stack_job(4, dict.fromkeys(range(4), traceback(TRAIN)), looks=3)
    assert [one.pace for one in decided(look_records(resting))[1:]] == [JobPace.IDLE] * 2


def test_without_stacks_and_recorders_the_pace_is_not_known() -> None:
    script = [opened(4), *look(1, 4, at=NOW - 10 * SECOND), *look(2, 4)]
    assert [one.pace for one in decided(look_records(script))] == [JobPace.UNKNOWN] * 2


def test_a_stall_rings_once_until_the_job_has_moved() -> None:
    records = [judged(one) for one in steps(9, 9, 9, 9, 9, faults=STOPS)]  # nobody has been found yet
    made = decided(records)
    assert [one.alert is not None for one in made] == [False, False, True, False, False]
    alert = made[2].alert
    assert alert is not None
    assert (alert.reasons, alert.first) == ((Reason.STANDING,), True)
    assert alert.verdict is VerdictValue.HANG
    assert alert.summary == (
        "The job has stood still for 20 s, ranks 0,2-3 inside collectives; nobody is found at fault yet."
    )


def test_a_finding_rings_once_and_anew_after_it_was_gone_while_the_job_moved() -> None:
    found = finding()
    plain = steps(*range(1, 8))
    records = [judged(one, *([found] if number in (1, 2, 4, 6) else [])) for number, one in enumerate(plain)]
    rang = [number for number, one in enumerate(decided(records)) if one.alert is not None]
    assert rang == [1, 4, 6]
    assert [number for number, one in enumerate(decided(records)) if one.over] == [3, 5]


def test_what_more_is_found_of_a_stall_rings_as_more_of_the_same() -> None:
    plain = steps(*[9] * 6, faults=STOPS)
    records = [judged(one, *([finding()] if number >= 4 else [])) for number, one in enumerate(plain)]
    alerts = [one.alert for one in decided(records)]
    assert [None if one is None else (one.reasons, one.first) for one in alerts] == [
        None,
        None,
        ((Reason.STANDING,), True),
        None,
        ((Reason.FINDING,), False),
        None,
    ]


def test_a_finding_that_has_rung_tells_of_the_stall_too() -> None:
    records = [judged(one, finding()) for one in steps(*[9] * 5, faults=STOPS)]
    assert [one.alert is not None for one in decided(records)] == [True, False, False, False, False]


def test_ranks_that_die_ring_with_their_number() -> None:
    script: list[events.Event] = [events.TargetOpening("x"), opened(8)]
    for number, sick in enumerate([{}, {3: "dead"}, {3: "dead"}, {3: "dead", 5: "dead"}], 1):
        script += look(number, 8, sick, at=NOW + number * 10 * SECOND)
    alerts = [one.alert for one in decided(look_records(script))]
    assert [alert and alert.died for alert in alerts] == [None, RankSet([3]), None, RankSet([5])]
    assert [alert.first for alert in alerts if alert is not None] == [True, False]


def test_one_answer_that_does_not_come_rings_nobody() -> None:
    script: list[events.Event] = [events.TargetOpening("x"), opened(8)]
    for number, sick in enumerate([{3: "stopped"}, {}, {3: "stopped"}, {3: "stopped"}], 1):
        script += look(number, 8, sick, at=NOW + number * 10 * SECOND)
    alerts = [one.alert for one in decided(look_records(script))]
    assert [alert and [one.kind for one in alert.findings] for alert in alerts] == [None, None, None, ["stopped"]]


def test_a_cancelled_look_tells_nothing() -> None:
    (one, other) = steps(2, 4)
    state, _ = decide(WatchState(), one, RULES)
    cancelled = replace(other, snapshot=replace(other.snapshot, cancelled=True))
    after, decision = decide(state, cancelled, RULES)
    assert after is state
    assert decision.alert is None


def test_a_recorder_that_began_anew_gains_nothing() -> None:
    before, after = steps(9, 2)
    assert motion_of(before, after).ended_per_minute is None


# the rules over any course of events --------------------------------------------------------------------------

MOVING, STANDING = steps(2, 4)[1], steps(9, 9, faults=STOPS)[1]
courses = st.lists(
    st.tuples(st.booleans(), st.frozensets(st.integers(0, 2)), st.frozensets(st.integers(0, 3), max_size=2)),
    max_size=12,
)


@given(courses)
def test_each_finding_and_each_death_rings_once_until_the_job_moves_without_it(
    course: list[tuple[bool, frozenset[int], frozenset[int]]],
) -> None:
    state = WatchState()
    told: set[tuple[str, int]] = set()
    for number, (moves, critical, dead) in enumerate(course):
        base = MOVING if moves else STANDING
        ranks = {
            rank: replace(one, rank_class=RankClass.DEAD if rank in dead else RankClass.ALIVE)
            for rank, one in base.snapshot.ranks.items()
        }
        at = NOW + number * 10 * SECOND
        record = judged(
            replace(base, snapshot=replace(base.snapshot, taken_at=at, ranks=ranks)),
            *(finding(rank=rank) for rank in sorted(critical)),
        )
        state, decision = decide(state, record, Rules(stall_s=1e9))
        there = {("finding", rank) for rank in critical} | {("dead", rank) for rank in dead}
        alert = decision.alert
        rung = set() if alert is None else _told(alert)
        assert rung == there - told
        told = there if moves else told | there
        assert decision.pace in ((JobPace.MOVING, JobPace.SLOW) if moves else (JobPace.STANDING,))


def _told(alert: Alert) -> set[tuple[str, int]]:
    found = {("finding", one.culprits.first or 0) for one in alert.findings}
    return found | {("dead", rank) for rank in alert.died}


def test_job_of_is_a_job_that_hangs() -> None:
    """The scripted jobs above stand because somebody waits, not because they are over."""
    records = look_records(recorder_job([job_of(mesh(16), faults=[Fault(9, 6, "stops")])] * 2))
    assert records[1].recorder.inside
