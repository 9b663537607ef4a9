"""Calls that a ring has lost, or that a dump of active calls leaves out: nobody innocent is taken for free or stuck."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from xpudbg.services.findings import Confidence
from xpudbg.services.flight_recorder.analysis import analyse
from xpudbg.services.flight_recorder.diagnosis import Diagnosis, diagnose
from xpudbg.services.flight_recorder.hidden_calls import counted_inside

from .looking import diagnosed, said, the_finding
from .recorded import dump_of, entry

OPEN = {"state": "started", "retired": False}
FOUR = "[0, 1, 2, 3]"


def counters(enqueued: int, completed: int, group: str = "0") -> dict[str, Any]:
    numbers = {"enqueued": enqueued, "started": -1, "completed": completed}
    return {group: {f"last_{what}_collective": number for what, number in numbers.items()}}


def accused(diagnosis: Diagnosis, *, at_least: Confidence = Confidence.LIKELY) -> set[int]:
    order = list(Confidence)
    return {
        rank
        for one in diagnosis.findings
        if order.index(one.confidence) <= order.index(at_least)
        for rank in one.culprits
    }


def test_a_rank_whose_ring_has_lost_its_open_call_is_inside_it() -> None:
    """Rank 0 waits for rank 1 in the second group; rank 1's ring is empty, its counters say it waits in the first one,
    for rank 2."""
    groups = [
        FakeGroup("0", "default_pg", (0, 1, 2)),
        FakeGroup("3", "tp", (1, 2)),
        FakeGroup("6", "dp", (0, 1)),
    ]
    program = [Call("3"), Call("6")] * 6
    job = FakeJob(3, groups, program, rings={1: 0}, faults=[Fault(2, 4, "stops")])
    finding = the_finding(diagnosed(job))
    assert said(finding)[:3] == ("not_joined", "2", "0-1")


def test_a_call_that_no_entry_shows_is_told_by_its_number() -> None:
    dumps = [dump_of(0, [], pg_status=counters(5, 4)), dump_of(1, [entry("nccl:barrier", 4)], pg_status=counters(4, 4))]
    look = analyse(dumps)
    (call,) = look.waits.calls
    assert (call.seq, str(call.hidden), str(call.inside), str(call.missing)) == (5, "0", "", "1")
    finding = the_finding(diagnose(look))
    assert said(finding) == ("not_joined", "1", "0", "", 5)
    assert (finding.op, finding.confidence) == (None, Confidence.LIKELY)
    assert finding.refutation.endswith("a second dump some seconds later tells it.")
    assert finding.evidence[0].text == "rank 0 is inside call #5 of default_pg by counters; the entry is lost"


def test_a_second_look_at_a_lost_call_shows_that_it_stands() -> None:
    dumps = [dump_of(0, [], pg_status=counters(5, 4)), dump_of(1, [entry("nccl:barrier", 4)], pg_status=counters(4, 4))]
    look = analyse(dumps)
    assert str(the_finding(diagnose(look, look)).culprits) == "1"


@pytest.mark.parametrize(("lost", "inside"), [(0, False), (7, True)])
def test_counters_tell_of_an_open_call_where_the_ring_has_lost_entries(lost: int, inside: bool) -> None:
    one = dump_of(0, [entry("nccl:barrier", 4, record_id=lost)], pg_status=counters(5, 4))
    assert counted_inside(analyse([one]).job, 0) is inside


def test_active_calls_that_a_ring_has_lost_are_not_over() -> None:
    """Ranks 1 and 2 call a step more than the others: all wait in #3. The small ring of rank 2 has only its newest."""
    wrong = Call("0", "all_reduce", ((9,),), ((9,),))
    group = FakeGroup("0", "default_pg", (0, 1, 2, 3))
    job = FakeJob(4, [group], [Call("0")] * 8, run_ahead=3, rings={2: 1}, faults=[Fault(0, 2, "wrong", wrong)])
    diagnosis = diagnosed(job, only_active=True)
    assert diagnosis.findings
    assert accused(diagnosis) <= {0}


def test_numbers_in_entries_tell_of_sends_that_are_left_out() -> None:
    """The counter of rank 1 has the number of a send: it does not say that rank 1 has completed collective #2."""
    fields = {"p2p_seq_id": 4}
    dumps = [
        dump_of(0, [entry("nccl:barrier", 2, **OPEN, **fields)], "[0, 1, 2]", pg_status=counters(2, 1)),
        dump_of(1, [], "[0, 1, 2]", pg_status=counters(4, 4)),
        dump_of(2, [entry("nccl:barrier", 2, **OPEN, **fields)], "[0, 1, 2]", pg_status=counters(2, 1)),
    ]
    look = analyse(dumps)
    assert look.positions.at(1, 0).completed is None  # type: ignore[union-attr]
    assert all(one.confidence is not Confidence.CERTAIN for one in diagnose(look).findings)


def test_a_number_beyond_the_other_kind_counts_all_the_same() -> None:
    made = [entry("nccl:barrier", 40, p2p_seq_id=2), entry("nccl:barrier", 41, p2p_seq_id=2, **OPEN)]
    at = analyse([dump_of(0, made, pg_status=counters(41, 40))]).positions.at(0, 0)
    assert at is not None
    assert (at.completed, at.ends_counted) == (40, True)


def test_a_ring_that_begins_with_the_open_call_may_have_lost_an_older_one() -> None:
    """Rank 1 is inside a barrier that rank 0 has completed. Sends of the group may lie before it in its ring."""
    begun = entry("nccl:barrier", 2, record_id=30, p2p_seq_id=1, **OPEN)
    over = dump_of(0, [entry("nccl:barrier", 2, p2p_seq_id=1)])
    finding = the_finding(diagnose(analyse([over, dump_of(1, [begun])])))
    assert (finding.kind.value, str(finding.culprits), finding.confidence) == ("device_stuck", "1", Confidence.POSSIBLE)
    older = entry("nccl:barrier", 1, record_id=29, p2p_seq_id=1)
    finding = the_finding(diagnose(analyse([over, dump_of(1, [older, begun])])))
    assert finding.confidence is Confidence.CERTAIN


def test_the_end_of_a_batch_among_active_calls_shows_that_it_is_open() -> None:
    p2p = {"is_p2p": True, "p2p_seq_id": 3, "state": "scheduled", "retired": False}
    batch = [entry("nccl:send 0->1", 9, record_id=5, **p2p), entry("nccl:coalesced", 9, record_id=6, **p2p)]
    dumps = [dump_of(0, batch, pg_status=counters(9, 9)), dump_of(1, [], pg_status=counters(9, 9))]
    assert [str(call.inside) for call in analyse(dumps).waits.calls] == ["0"]


def test_a_completed_call_needs_nobody_without_a_dump() -> None:
    """Rank 0 has completed an all_reduce: rank 2, of which nothing is known, has called it too."""
    made = [entry("nccl:all_reduce", 3, record_id=0)]
    stuck = [entry("nccl:all_reduce", 3, record_id=0, **OPEN)]
    finding = the_finding(diagnose(analyse([dump_of(0, made, "[0, 1, 2]"), dump_of(1, stuck, "[0, 1, 2]")])))
    assert (finding.kind.value, str(finding.culprits)) == ("device_stuck", "1")


def test_of_an_all_to_all_a_rank_may_want_nothing() -> None:
    made, stuck = entry("nccl:all_to_all", 3, record_id=0), entry("nccl:all_to_all", 3, record_id=0, **OPEN)
    finding = the_finding(diagnose(analyse([dump_of(0, [made], "[0, 1, 2]"), dump_of(1, [stuck], "[0, 1, 2]")])))
    assert (finding.kind.value, str(finding.culprits), finding.confidence) == ("no_dump", "2", Confidence.POSSIBLE)


def test_a_device_that_holds_up_others_from_a_group_of_its_own() -> None:
    groups = [FakeGroup("0", "default_pg", (0, 1, 2)), FakeGroup("4", "own", (2,))]
    job = FakeJob(3, groups, [Call("0"), Call("4"), Call("0")], faults=[Fault(2, 1, "device")])
    finding = the_finding(diagnosed(job))
    assert said(finding)[:3] == ("device_stuck", "2", "0-1")
    assert finding.confidence is Confidence.LIKELY


def test_a_broadcast_that_one_of_two_has_completed_is_told_as_possible() -> None:
    dumps = [dump_of(0, [entry("nccl:broadcast", 2)]), dump_of(1, [entry("nccl:broadcast", 2, **OPEN)])]
    finding = the_finding(diagnose(analyse(dumps)))
    assert (finding.kind.value, str(finding.culprits), finding.confidence) == ("device_stuck", "1", Confidence.POSSIBLE)


def test_waits_that_end_at_an_exchange_which_nothing_explains_name_nobody() -> None:
    p2p = {"is_p2p": True, "p2p_seq_id": 1, "record_id": 40} | OPEN
    other = entry("nccl:send 1->2", 0, is_p2p=True, p2p_seq_id=9, record_id=50)
    barrier = entry("nccl:barrier", 3, record_id=51, **OPEN)
    dumps = [
        dump_of(0, [entry("nccl:recv", 2, **p2p)], "[0, 1, 2]"),
        dump_of(1, [other, barrier], "[0, 1, 2]"),
        dump_of(2, [barrier], "[0, 1, 2]"),
    ]
    finding = the_finding(diagnose(analyse(dumps)))
    assert (str(finding.culprits), finding.confidence) == ("", Confidence.POSSIBLE)
