"""Ranks by the call they are inside."""

from __future__ import annotations

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from tests.services.flight_recorder.looking import analysed
from xpudbg.services.flight_recorder.diagnosis import diagnose
from xpudbg.services.judging.pending_calls import CallSpot, PendingCalls
from xpudbg.services.looks.recorders import RecorderLook
from xpudbg.services.ranksets import RankSet

WORLD = FakeGroup("0", "default_pg", tuple(range(6)))
TP = [FakeGroup("1", "tp0", (0, 1)), FakeGroup("2", "tp1", (2, 3)), FakeGroup("3", "tp2", (4, 5))]


def pending(*faults: Fault, **by_source: FakeJob) -> PendingCalls:
    """Each step a gather in the tp groups, then an all_reduce of all."""
    program = [*(Call(group.name, "all_gather") for group in TP), Call("0")] * 4
    jobs = by_source or {"nccl": FakeJob(6, [WORLD, *TP], program, faults=faults)}
    return PendingCalls(RecorderLook(1, {source: diagnose(analysed(job)) for source, job in jobs.items()}))


def told(calls: PendingCalls, ranks: str = "0-5") -> list[tuple[str, str]]:
    return [(str(at.ranks), str(at)) for at in calls.split(RankSet.parse(ranks))]


def test_ranks_in_different_calls_are_told_apart_and_equal_groups_have_one_name() -> None:
    calls = pending(Fault(3, 3, "stops"))  # 3 has not come to the second all_reduce
    assert told(calls) == [("3", "not in a call"), ("0-2,4-5", "all_reduce #2 of default_pg")]
    calls = pending(Fault(1, 2, "stops"), Fault(3, 2, "stops"))
    assert told(calls) == [
        ("0,2", "all_gather #2 of tp (2 groups)"),
        ("1,3", "not in a call"),
        ("4-5", "all_reduce #2 of default_pg"),
    ]
    assert calls.together(0) == RankSet([0, 2])
    assert calls.together(1) == RankSet()


def test_a_rank_without_a_dump_is_not_outside_all_calls() -> None:
    assert told(pending(Fault(3, 3, "stops")), "3,7") == [("3", "not in a call"), ("7", "no dump")]
    nothing = PendingCalls(RecorderLook(0))
    assert not nothing
    assert told(nothing, "0-1") == [("0-1", "no dump")]


def test_the_spot_leads_to_the_call_in_the_tables() -> None:
    calls = pending(Fault(3, 3, "stops"))
    spot = calls.spot(0)
    assert spot is not None
    assert (spot.source, spot.group, spot.seq, spot.p2p) == ("nccl", 0, 2, False)
    assert spot.created > 0
    assert calls.spot(3) is None


def test_of_two_recorders_the_first_counts() -> None:
    cpu = FakeJob(6, [WORLD], [Call("0", "barrier")] * 3, faults=[Fault(rank, 0, "stops") for rank in (4, 5)])
    nccl = FakeJob(6, [WORLD], [Call("0")] * 3, faults=[Fault(rank, 1, "stops") for rank in (3, 4, 5)])
    calls = pending(nccl=nccl, cpu=cpu)
    assert told(calls) == [
        ("3", "barrier #1 of default_pg"),
        ("4-5", "not in a call"),
        ("0-2", "all_reduce #2 of default_pg"),
    ]
    assert isinstance(calls.spot(3), CallSpot)


def test_ranks_by_operation_and_group() -> None:
    calls = pending(Fault(1, 2, "stops"))
    assert calls.inside("op", "GATHER") == RankSet([0])
    assert calls.inside("op", "reduce") == RankSet([2, 3, 4, 5])
    assert calls.inside("group", "tp0") == RankSet([0])
    assert calls.inside("group", "default") == RankSet([2, 3, 4, 5])
    assert calls.inside("group", "nothing") == RankSet()
    states = calls.inside("state", "scheduled") | calls.inside("state", "started")
    assert states == calls.inside("op", "")
    assert calls.inside("state", "completed") == RankSet()
