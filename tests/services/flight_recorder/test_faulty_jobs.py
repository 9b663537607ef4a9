"""Faults put into made-up jobs: the culprits are the ones that were made guilty, and nobody else."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from xpudbg.services.findings import Confidence
from xpudbg.services.flight_recorder.analysis import analyse
from xpudbg.services.flight_recorder.causes import Kind
from xpudbg.services.flight_recorder.decode import decode
from xpudbg.services.flight_recorder.diagnosis import diagnose
from xpudbg.services.flight_recorder.mismatch import What
from xpudbg.services.ranksets import RankSet

from .job_shapes import group_layouts, programs, rings
from .looking import diagnosed, said, the_finding

WORLD = FakeGroup("0", "default_pg", tuple(range(8)))
TP = [FakeGroup(str(1 + pair), "tp", (2 * pair, 2 * pair + 1)) for pair in range(4)]
DP = [FakeGroup(str(5 + side), "dp", tuple(range(side, 8, 2))) for side in range(2)]
PP = [FakeGroup(str(20 + side), "pp", tuple(range(side, 8, 2))) for side in range(2)]
GROUPS = [WORLD, *TP, *DP, *PP]
STEP = [
    *[Call(group.name, "_all_gather_base", ((4,),), ((8,),)) for group in TP],
    *[Call(group.name) for group in DP],
    Call("0", "all_reduce", ((7,),), ((7,),)),
]


def job(*faults: Fault, backend: str = "nccl", run_ahead: int = 1, **options: object) -> FakeJob:
    return FakeJob(8, GROUPS, STEP * 6, backend=backend, run_ahead=run_ahead, faults=faults, **options)  # type: ignore[arg-type]


backends = pytest.mark.parametrize("backend", ["nccl", "gloo"])
filters = pytest.mark.parametrize("only_active", [False, True])


@backends
def test_one_rank_stops_and_seven_wait(backend: str) -> None:
    finding = the_finding(diagnosed(job(Fault(5, 6, "stops"), backend=backend)))
    assert said(finding) == ("not_joined", "5", "0-4,6-7", "all_gather_base", 3)
    assert finding.groups_behind == 2
    assert finding.confidence is (Confidence.LIKELY if backend == "gloo" else Confidence.CERTAIN)


@filters
def test_active_calls_tell_the_same(only_active: bool) -> None:
    finding = the_finding(diagnosed(job(Fault(5, 6, "stops"), run_ahead=4), only_active=only_active))
    assert said(finding) == ("not_joined", "5", "0-4,6-7", "all_gather_base", 3)


def test_two_ranks_asleep_before_one_collective_are_one_finding() -> None:
    finding = the_finding(diagnosed(job(Fault(5, 8, "stops"), Fault(2, 8, "stops"))))
    assert said(finding) == ("not_joined", "2,5", "0-1,3-4,6-7", "all_reduce", 3)


def test_two_ranks_asleep_in_different_groups_are_two_causes() -> None:
    findings = diagnosed(job(Fault(5, 7, "stops"), Fault(2, 7, "stops"))).findings
    assert [(str(finding.culprits), finding.base) for finding in findings] == [("2", "all_reduce"), ("5", "all_reduce")]


def test_a_chain_through_subgroups_has_one_culprit() -> None:
    """Rank 5 hangs, 4 waits for it in tp, the dp groups wait for 4."""
    finding = the_finding(diagnosed(job(Fault(5, 9, "stops"))))
    assert said(finding)[:4] == ("not_joined", "5", "0-4,6-7", "all_gather_base")
    assert {follower.group.desc for follower in finding.followers} == {"dp"}


@backends
def test_a_deadlock_names_the_circle_and_nobody(backend: str) -> None:
    finding = the_finding(diagnosed(job(Fault(3, 7, "swaps"), backend=backend)))
    assert said(finding)[:3] == ("deadlock", "", "0-7")
    assert [(step.group.desc, str(step.waits_for)) for step in finding.cycle] == [("dp", "3"), ("default_pg", "1,5,7")]


@filters
@pytest.mark.parametrize("run_ahead", [1, 4])
def test_a_device_that_does_not_finish(run_ahead: int, only_active: bool) -> None:
    finding = the_finding(diagnosed(job(Fault(3, 6, "device"), run_ahead=run_ahead), only_active=only_active))
    assert said(finding) == ("device_stuck", "3", "0-2,4-7", "all_gather_base", 3)
    assert finding.confidence is Confidence.CERTAIN


@backends
@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        (Call("0", "all_reduce", ((9,),), ((9,),)), What.SIZE),
        (Call("0", "all_reduce", ((7,),), ((7,),), "Half"), What.DTYPE),
        (Call("0", "broadcast", ((7,),), ((7,),)), What.OPERATION),
    ],
)
def test_one_rank_calls_something_else(wrong: Call, what: What, backend: str) -> None:
    finding = the_finding(diagnosed(job(Fault(3, 8, "wrong", wrong), backend=backend)))
    assert said(finding)[:3] == ("mismatch", "3", "0-2,4-7")
    assert finding.seq == 3
    assert finding.mismatch is not None
    assert finding.mismatch.what is what


def test_calls_in_another_order_are_told_from_a_wrong_call() -> None:
    program = [*STEP, Call("0", "all_reduce", ((3,),), ((3,),)), Call("0", "barrier", (), ()), *STEP]
    swapped = FakeJob(8, GROUPS, program, faults=[Fault(3, 3, "swaps")], run_ahead=4)
    finding = the_finding(diagnosed(swapped))
    assert said(finding)[:2] == ("mismatch", "3")
    assert finding.mismatch is not None
    assert finding.mismatch.what is What.ORDER


def test_one_against_one_names_nobody() -> None:
    pair = FakeGroup("0", "default_pg", (0, 1))
    wrong = Call("0", "all_reduce", ((9,),), ((9,),))
    finding = the_finding(diagnosed(FakeJob(2, [pair], [Call("0")] * 3, faults=[Fault(1, 1, "wrong", wrong)])))
    assert said(finding) == ("mismatch", "", "0-1", "all_reduce", 2)


@pytest.mark.parametrize("batched", [True, False])
def test_a_receive_that_is_never_posted(batched: bool) -> None:
    program = [Call("20", pairs=((0, 1),), batched=batched) for _ in range(4)]
    finding = the_finding(diagnosed(FakeJob(8, GROUPS, program, faults=[Fault(2, 2, "stops")])))
    assert said(finding)[:3] == ("p2p_unmatched", "2", "0")
    assert finding.confidence is Confidence.CERTAIN


def test_two_sends_towards_each_other_are_a_deadlock() -> None:
    group = FakeGroup("4", "pp", (0, 1))
    first, second = Call("4", pairs=((0, 1),), batched=False), Call("4", pairs=((1, 0),), batched=False)
    crossing = FakeJob(2, [group], [first, second, first, second], faults=[Fault(1, 2, "swaps")])
    finding = the_finding(diagnosed(crossing))
    assert said(finding)[:3] == ("deadlock", "", "0-1")


def test_missing_dumps_are_an_inference() -> None:
    made = job(Fault(5, 6, "stops"))
    look = analyse([decode(made.as_json(rank), rank) for rank in range(8) if rank != 5], unreadable={5: "refused"})
    finding = the_finding(diagnose(look))
    assert said(finding)[:3] == ("no_dump", "5", "0-4,6-7")
    assert finding.confidence is Confidence.LIKELY
    assert finding.evidence[-1].text == "no dump: refused"


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_only_the_rank_that_stops_is_accused(data: st.DataObject) -> None:
    world, groups = data.draw(group_layouts())
    backend = data.draw(st.sampled_from(["nccl", "hccl", "gloo"]))
    # On Gloo a rank that waits in a send or receive looks as if it were outside all calls: they are not recorded.
    program = [call for call in data.draw(programs(groups, longest=16)) if backend != "gloo" or not call.pairs]
    guilty = data.draw(st.integers(0, world - 1))
    stopped = FakeJob(
        world,
        groups,
        program,
        backend=backend,
        faults=[Fault(guilty, data.draw(st.integers(0, 8)), "stops")],
        run_ahead=data.draw(st.integers(1, 3)),
    )
    assume(stopped.open_ranks)
    gloo = stopped.gloo
    findings = diagnosed(stopped, form=data.draw(st.sampled_from(["json", "pickle"]))).findings
    named = RankSet()
    for finding in findings:
        # Members that have never used a group of Gloo are not known: then all that are known wait in it.
        expected = (Kind.NOT_JOINED, Kind.P2P_UNMATCHED, Kind.DEADLOCK)
        assert finding.kind in expected or (gloo and finding.everybody_inside)
        named |= finding.culprits
    # Ranks that run ahead may be open in calls that wait for each other; nobody else is ever accused.
    assert named <= RankSet((guilty,))
    # On Gloo a rank that has never used a group is unknown there.
    assert named or gloo or any(finding.kind is Kind.DEADLOCK for finding in findings)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_only_the_rank_with_the_stuck_device_is_accused(data: st.DataObject) -> None:
    world, groups = data.draw(group_layouts())
    program = [call for call in data.draw(programs(groups, longest=16)) if not call.pairs and call.op != "brand_new_op"]
    guilty = data.draw(st.integers(0, world - 1))
    stuck = FakeJob(
        world,
        groups,
        program,
        faults=[Fault(guilty, data.draw(st.integers(0, 8)), "device")],
        run_ahead=data.draw(st.integers(1, 3)),
    )
    named = RankSet()
    for finding in diagnosed(stuck).findings:
        named |= finding.culprits
    assert named <= RankSet((guilty,))


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_lost_and_left_out_entries_accuse_nobody_else(data: st.DataObject) -> None:
    """Rings that have wrapped, dumps of active calls only, either format: less is known, nothing wrong is said."""
    world, groups = data.draw(group_layouts())
    backend = data.draw(st.sampled_from(["nccl", "gloo"]))
    kind = data.draw(st.sampled_from(["stops", "device"]))
    program = [call for call in data.draw(programs(groups, longest=16)) if not (backend == "gloo" and call.pairs)]
    if kind == "device":
        program = [call for call in program if call.op != "brand_new_op" and not call.pairs]
    guilty = data.draw(st.integers(0, world - 1))
    faulty = FakeJob(
        world,
        groups,
        program,
        backend=backend,
        faults=[Fault(guilty, data.draw(st.integers(0, 8)), kind)],
        run_ahead=data.draw(st.integers(1, 3)),
        rings=data.draw(rings(world, fewest=15)),
        first_record=data.draw(st.dictionaries(st.integers(0, world - 1), st.integers(0, 2**20))),
        first_seq=1000,
        timing=data.draw(st.booleans()),
    )
    only_active = backend == "nccl" and data.draw(st.booleans())
    named = RankSet()
    for finding in diagnosed(
        faulty, form=data.draw(st.sampled_from(["json", "pickle"])), only_active=only_active
    ).findings:
        named |= finding.culprits
    assert named <= RankSet((guilty,))


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_only_the_rank_that_calls_something_else_is_accused(data: st.DataObject) -> None:
    program = STEP * 4
    guilty = data.draw(st.integers(0, 7))
    own = [call for call in program if guilty in next(g.ranks for g in GROUPS if g.name == call.group)]
    at = data.draw(st.integers(0, len(own) - 1))
    wrong = data.draw(st.sampled_from([("all_reduce", ((9,),), ((9,),)), ("broadcast", ((7,),), ((7,),))]))
    made = FakeJob(8, GROUPS, program, faults=[Fault(guilty, at, "wrong", Call(own[at].group, *wrong))])
    findings = diagnosed(made).findings
    assert [finding.kind for finding in findings] == [Kind.MISMATCH]
    members = next(group.ranks for group in GROUPS if group.name == own[at].group)
    assert findings[0].culprits == (RankSet((guilty,)) if len(members) > 2 else RankSet())
