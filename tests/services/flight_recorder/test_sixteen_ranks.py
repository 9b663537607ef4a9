"""Sixteen ranks in the groups of a Megatron job, with the two kinds of faults that real dumps of that shape had."""

from __future__ import annotations

import pytest

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from tests.services.flight_recorder.looking import analysed
from xpudbg.services.flight_recorder.coordinates import coordinates
from xpudbg.services.flight_recorder.diagnosis import diagnose
from xpudbg.services.ranksets import RankSet

WORLD = 16


def megatron() -> list[FakeGroup]:
    """Tensor parallel pairs, four pipeline stages of four ranks, data parallel across, expert parallel halves."""
    groups = [FakeGroup("0", "default_pg", tuple(range(WORLD)))]
    groups += [
        FakeGroup(f"tp{first}", "TENSOR_MODEL_PARALLEL_GROUP", (first, first + 1)) for first in range(0, WORLD, 2)
    ]
    groups += [
        FakeGroup(f"dp{stage}{side}", "DATA_PARALLEL_GROUP", (4 * stage + side, 4 * stage + side + 2))
        for stage in range(4)
        for side in range(2)
    ]
    groups += [
        FakeGroup(f"ep{half}", "EXPERT_MODEL_PARALLEL_GROUP", tuple(range(8 * half, 8 * half + 8))) for half in range(2)
    ]
    return groups


def program(steps: int) -> list[Call]:
    step = [Call(f"tp{first}", "_all_gather_base", ((64,),), ((128,),)) for first in range(0, WORLD, 2)]
    step += [Call(f"ep{half}", "all_to_all", ((512,),), ((512,),)) for half in range(2)]
    step += [Call(f"dp{stage}{side}") for stage in range(4) for side in range(2)]
    return [*(step * steps), Call("0")]


@pytest.mark.parametrize("form", ["json", "pickle"])
@pytest.mark.parametrize("only_active", [False, True])
@pytest.mark.parametrize(("culprits", "kind"), [((12, 14), "device"), ((9, 14), "stops")])
def test_exactly_the_guilty_ranks_are_named(culprits: tuple[int, int], kind: str, only_active: bool, form: str) -> None:
    faults = [Fault(rank, 6, kind) for rank in culprits]
    job = FakeJob(WORLD, megatron(), program(6), faults=faults, ring=12, first_seq=40_000)
    diagnosis = diagnose(analysed(job, form=form, only_active=only_active))
    named = RankSet(rank for one in diagnosis.findings for rank in one.culprits)
    assert named == RankSet(culprits)
    assert {one.kind.value for one in diagnosis.findings} == {"device_stuck" if kind == "device" else "not_joined"}


def test_without_a_fault_nobody_is_named_and_each_rank_has_its_place() -> None:
    analysis = analysed(FakeJob(WORLD, megatron(), program(3), ring=12))
    assert diagnose(analysis).findings == ()
    assert coordinates(analysis.job.groups)[13] == {"dp": 0, "tp": 1, "ep": 5}
