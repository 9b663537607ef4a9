"""Sends and receives that hang though both ends have called something: who is named, and how sure that is."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from xpudbg.services.findings import Confidence, Severity
from xpudbg.services.flight_recorder.analysis import analyse
from xpudbg.services.flight_recorder.diagnosis import FlightFinding, diagnose
from xpudbg.services.flight_recorder.dump import Dump
from xpudbg.services.flight_recorder.mismatch import What
from xpudbg.services.ranksets import RankSet

from .looking import diagnosed, said, the_finding
from .recorded import dump_of, entry

OPEN = {"state": "started", "retired": False}
STAGES = FakeGroup("9", "pp", (0, 1, 2, 3))


def p2p(name: str, seq: int, record: int = 0, **fields: Any) -> dict[str, Any]:
    return entry(f"nccl:{name}", 0, p2p_seq_id=seq, is_p2p=True, record_id=record, **(OPEN | fields))


def found(*dumps: Dump) -> FlightFinding:
    return the_finding(diagnose(analyse(dumps)))


def stages(batched: bool) -> list[Call]:
    ahead = [(place, place + 1) for place in range(3)]
    back = [(place + 1, place) for place in reversed(range(3))]
    return [Call("9", pairs=(pair,), inputs=((4,),), outputs=((4,),), batched=batched) for pair in (*ahead, *back)]


@pytest.mark.parametrize("batched", [True, False])
def test_an_exchange_that_is_over_on_the_other_side_alone_is_stuck_on_the_device(batched: bool) -> None:
    job = FakeJob(4, [STAGES], stages(batched) * 4, faults=[Fault(2, 6, "device")])
    finding = the_finding(diagnosed(job))
    assert said(finding)[:3] == ("device_stuck", "2", "0-1,3")
    assert finding.confidence is Confidence.LIKELY


@pytest.mark.parametrize("ring", [None, 6])
@pytest.mark.parametrize("batched", [True, False])
def test_without_a_fault_nothing_is_said(batched: bool, ring: int | None) -> None:
    rings = {} if ring is None else {0: ring, 2: ring - 3, 3: ring - 2}
    assert diagnosed(FakeJob(4, [STAGES], stages(batched) * 6, rings=rings)).findings == ()


def test_both_ends_inside_their_halves_are_told_and_nobody_is_named() -> None:
    finding = found(dump_of(0, [p2p("send 0->1", 1)]), dump_of(1, [p2p("recv 1<-0", 1)]))
    assert said(finding)[:3] == ("device_stuck", "", "0-1")
    assert (finding.severity, finding.confidence) == (Severity.WARNING, Confidence.POSSIBLE)


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"input_sizes": [[8]], "output_sizes": [[8]]}, What.SIZE),
        ({"input_dtypes": ["Half"], "output_dtypes": ["Half"]}, What.DTYPE),
    ],
)
def test_halves_that_do_not_fit(fields: dict[str, Any], what: What) -> None:
    finding = found(dump_of(0, [p2p("send 0->1", 1, **fields)]), dump_of(1, [p2p("recv 1<-0", 1)]))
    assert said(finding) == ("mismatch", "", "0-1", "send", 1)
    assert finding.mismatch is not None
    assert finding.mismatch.what is what


def test_another_shape_of_as_many_elements_fits() -> None:
    finding = found(
        dump_of(0, [p2p("send 0->1", 1, input_sizes=[[2, 2]], output_sizes=[[2, 2]])]),
        dump_of(1, [p2p("recv 1<-0", 1)]),
    )
    assert finding.kind == "device_stuck"


def test_messages_of_one_batch_are_compared_in_their_order() -> None:
    """Rings that lack the beginning leave the number alone, which both messages of the batch have."""
    sizes = [{"input_sizes": [[size]], "output_sizes": [[size]]} for size in (4, 8)]
    ends = []
    for name in ("send 0->1", "recv 1<-0"):
        made = [p2p(name, 7, 50 + place, **size) for place, size in enumerate(sizes)]
        ends.append([*made, p2p("coalesced", 7, 52, input_sizes=[], output_sizes=[])])
    assert found(dump_of(0, ends[0]), dump_of(1, ends[1])).kind == "device_stuck"


def test_a_batch_that_lacks_the_other_half() -> None:
    """Rank 1 is inside a batch too, which nothing holds up: it has posted no receive for what rank 0 sends."""
    close: dict[str, Any] = {"input_sizes": [], "output_sizes": []}
    whole = [p2p("send 0->1", 1), p2p("recv 0<-1", 1, 1), p2p("coalesced", 1, 2, **close)]
    half = [p2p("send 1->0", 1), p2p("coalesced", 1, 1, **close)]
    finding = found(dump_of(0, whole), dump_of(1, half))
    assert said(finding)[:3] == ("p2p_unmatched", "1", "0")
    assert finding.confidence is Confidence.LIKELY


def test_in_a_group_of_two_a_name_without_ranks_means_the_other_one() -> None:
    finding = found(dump_of(0, [p2p("send", 1)]), dump_of(1, []))
    assert said(finding)[:3] == ("p2p_unmatched", "1", "0")


RING = FakeGroup("0", "default_pg", (0, 1, 2, 3))


def test_a_peer_that_is_held_up_itself_is_not_the_culprit() -> None:
    """Rank 0 waits for halves of rank 2, which is in another exchange and waits for rank 3, whose device stands."""
    groups = [RING, FakeGroup("6", "tp", (2, 3)), FakeGroup("9", "pp", (0, 2)), FakeGroup("12", "pp", (1, 3))]
    gather = Call("6", "gather", ((10,),), ((10,),))
    program = [
        gather,
        Call("12", "all_gather", ((17,),), ((34,),)),
        Call("12", pairs=((1, 0),), batched=False),
        Call("6", pairs=((1, 0),), batched=False),
        Call("6", pairs=((1, 0), (0, 1))),
        gather,
        Call("9", pairs=((0, 1),)),
    ]
    job = FakeJob(4, groups, program, faults=[Fault(3, 0, "device")], run_ahead=3)
    named = diagnosed(job).findings
    assert named
    assert all(one.culprits <= RankSet((3,)) or one.confidence is Confidence.POSSIBLE for one in named)


@pytest.mark.parametrize("only_active", [False, True])
def test_a_peer_whose_ring_does_not_go_back_to_the_send_is_a_hint(only_active: bool) -> None:
    """Rank 1 has made its half and many calls since: its ring, or its dump of active calls, does not have it."""
    half = Call("0", pairs=((0, 1),), inputs=((4,),), outputs=((4,),), batched=False)
    others = [Call("5", "all_reduce")] * 12
    groups = [RING, FakeGroup("5", "rest", (1, 2, 3))]
    rings = {} if only_active else {1: 4}
    job = FakeJob(4, groups, [half, *others], rings=rings, faults=[Fault(0, 0, "device")])
    for finding in diagnosed(job, only_active=only_active).findings:
        assert finding.culprits <= RankSet((0,)) or finding.confidence is Confidence.POSSIBLE


def test_what_active_calls_have_left_of_a_batch_may_be_open() -> None:
    """Rank 1 is inside a batch, and its counter says the same of it as of the collective before: both are the first."""
    both = ((0, 1), (1, 2), (2, 3))
    batch = Call("6", pairs=both, inputs=((4,),), outputs=((4,),))
    groups = [RING, FakeGroup("6", "tp", (0, 1, 2, 3))]
    program = [Call("6", "all_gather", ((3,),), ((12,),)), batch, Call("0", "barrier", (), ())]
    job = FakeJob(4, groups, program, faults=[Fault(0, 1, "stops")])
    for finding in diagnosed(job, only_active=True).findings:
        assert finding.culprits <= RankSet((0,)) or finding.confidence is Confidence.POSSIBLE


def test_active_calls_from_the_first_record_on_are_not_all_calls() -> None:
    """What is left of the first batch has record 0; the half that rank 1 has ended since is left out all the same."""
    pair = FakeGroup("9", "pp", (0, 1))
    single = Call("9", pairs=((1, 0),), inputs=((7,),), outputs=((7,),), batched=False)
    job = FakeJob(2, [pair], [Call("9", pairs=((0, 1),)), single], faults=[Fault(0, 1, "device")])
    for finding in diagnosed(job, only_active=True).findings:
        assert finding.culprits <= RankSet((0,)) or finding.confidence is Confidence.POSSIBLE


def test_a_ring_that_has_lost_the_other_half_is_no_proof() -> None:
    """Rank 1 has made its receive long ago, and many calls since; rank 0 is inside its send."""
    later = [entry("nccl:barrier", place, record_id=800 + place) for place in range(3)]
    send = p2p("send 0->1", 1, time_created_ns=9 * 10**9)
    finding = found(dump_of(0, [send], "[0, 1, 2]"), dump_of(1, later, "[0, 1, 2]"))
    assert said(finding)[:3] == ("p2p_unmatched", "1", "0")
    assert finding.confidence is Confidence.POSSIBLE
    whole = [one | {"record_id": place} for place, one in enumerate(later)]
    finding = found(dump_of(0, [send], "[0, 1, 2]"), dump_of(1, whole, "[0, 1, 2]"))
    assert finding.confidence is Confidence.CERTAIN


@pytest.mark.parametrize(("over_s", "there"), [(9, True), (7, False)])
def test_a_half_made_ahead_of_its_time_is_told_by_when_it_was_over(over_s: int, there: bool) -> None:
    """Rank 1 has made all its receives at once. Rank 0 makes its third send in second 8: what was over before is the
    receive of another one."""
    ended: dict[str, Any] = {"state": "completed", "retired": True}
    sends = [
        p2p("send 0->1", 5, 70, time_created_ns=10**9, time_discovered_completed_ns=2 * 10**9, **ended),
        p2p("send 0->1", 6, 71, time_created_ns=8 * 10**9),
    ]
    receives = [
        p2p("recv 1<-0", 30, 90, time_created_ns=10**9, time_discovered_completed_ns=2 * 10**9, **ended),
        p2p("recv 1<-0", 31, 91, time_created_ns=10**9, time_discovered_completed_ns=over_s * 10**9, **ended),
    ]
    dumps = dump_of(0, sends, "[0, 1, 2]"), dump_of(1, receives, "[0, 1, 2]")
    (call,) = analyse(dumps).waits.calls
    assert str(call.missing) == ("" if there else "1")


def test_in_a_pair_the_counter_tells_of_a_half_that_is_gone() -> None:
    later = entry("nccl:barrier", 1, p2p_seq_id=4, record_id=900)
    (call,) = analyse([dump_of(0, [p2p("send 0->1", 4, 60)]), dump_of(1, [later])]).waits.calls
    assert call.missing == RankSet()


def test_a_peer_inside_an_exchange_with_others_is_no_more_than_a_hint() -> None:
    """Rank 0 waits for a half of rank 1, which is inside an exchange with rank 2."""
    dumps = [
        dump_of(0, [p2p("recv 0<-1", 1)], "[0, 1, 2]"),
        dump_of(1, [p2p("send 1->2", 1)], "[0, 1, 2]"),
        dump_of(2, [p2p("recv 2<-1", 1)], "[0, 1, 2]"),
    ]
    for finding in diagnose(analyse(dumps)).findings:
        assert finding.confidence is Confidence.POSSIBLE
