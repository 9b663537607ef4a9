"""Who holds up whom, on real Gloo jobs with a known fault: the verdict of two looks, through the engine."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.real.attached import Attached, store_of
from tests.real.job import RealJob, real_job
from xpudbg.services.engine import Engine
from xpudbg.services.findings import Finding, VerdictValue
from xpudbg.services.ranksets import RankSet

pytestmark = pytest.mark.torch

LONG = 300
"""Seconds for which a rank does something; longer than any test."""


def everywhere(job: RealJob, command: str, ranks: Iterable[int] | None = None) -> None:
    """A command on all ranks (or these), to its end."""
    chosen = list(range(job.world_size) if ranks is None else ranks)
    for rank in chosen:
        job.tell(rank, command)
    for rank in chosen:
        job.expect(rank, f"done {command.split()[0]}")


def asleep(job: RealJob, *ranks: int) -> None:
    for rank in ranks:
        job.tell(rank, f"load {LONG}")
        job.expect(rank, "loading")


def tell(job: RealJob, command: str, *ranks: int) -> None:
    for rank in ranks:
        job.tell(rank, command)


def until_inside(attached: Attached, ranks: Iterable[int], name: str) -> None:
    """Look until the main threads of these ranks are inside a call: the command takes a moment to get there."""
    for _ in range(100):
        mains = [attached.session.stacks.main(rank) for rank in ranks]
        if all(main is not None and any(frame.name == name for frame in main.frames) for main in mains):
            return
        attached.look()
    raise AssertionError(f"ranks {ranks} never came to {name}")


def serious(attached: Attached) -> list[Finding]:
    return [one for one in attached.session.verdict.findings if one.severity.accuses]


def test_a_rank_asleep_before_a_collective(torch_python: str, tmp_path: Path, engine: Engine) -> None:
    with real_job(torch_python, tmp_path, world_size=4) as job:
        asleep(job, 2)
        tell(job, "all_reduce 1", 0, 1, 3)
        attached = Attached(engine, store_of(job))
        until_inside(attached, (0, 1, 3), "all_reduce")
        attached.look_later()
        (finding,) = serious(attached)
        assert (finding.kind, finding.culprits, finding.waiting) == ("not_joined", RankSet([2]), RankSet([0, 1, 3]))
        assert (finding.op, finding.seq) == ("gloo:all_reduce", 2)
        assert "next_batch (jobs/trainer.py:" in finding.text
        assert attached.session.verdict.value is VerdictValue.HANG


def test_two_ranks_asleep(torch_python: str, tmp_path: Path, engine: Engine) -> None:
    with real_job(torch_python, tmp_path, world_size=4) as job:
        asleep(job, 1, 3)
        tell(job, "all_reduce 1", 0, 2)
        attached = Attached(engine, store_of(job))
        until_inside(attached, (0, 2), "all_reduce")
        attached.look_later()
        (finding,) = serious(attached)
        assert (finding.kind, finding.culprits) == ("not_joined", RankSet([1, 3]))


def test_a_rank_that_waits_in_a_receive_is_not_accused_beside_the_one_it_waits_for(
    torch_python: str, tmp_path: Path, engine: Engine
) -> None:
    """Gloo records no receive: by the recorders alone ranks 1 and 2 have both not joined."""
    with real_job(torch_python, tmp_path, world_size=3) as job:
        asleep(job, 2)
        tell(job, "recv 2", 1)
        job.expect(1, "receiving")
        tell(job, "all_reduce 1", 0)
        attached = Attached(engine, store_of(job))
        until_inside(attached, (0,), "all_reduce")
        until_inside(attached, (1,), "recv")
        attached.look_later()
        (finding,) = serious(attached)
        assert (finding.kind, finding.culprits, finding.waiting) == ("not_joined", RankSet([2]), RankSet([0, 1]))
        assert "next_batch" in finding.text


def test_a_wait_that_leaves_no_python_frame_is_told_by_its_line(
    torch_python: str, tmp_path: Path, engine: Engine
) -> None:
    """`irecv(...).wait()` is C++: the innermost frame of rank 1 is its own line, which names the wait."""
    with real_job(torch_python, tmp_path, world_size=3) as job:
        asleep(job, 2)
        tell(job, "irecv 2", 1)
        job.expect(1, "receiving")
        tell(job, "all_reduce 1", 0)
        attached = Attached(engine, store_of(job))
        until_inside(attached, (0,), "all_reduce")
        attached.look_later()
        (finding,) = serious(attached)
        assert (finding.kind, finding.culprits, finding.waiting) == ("not_joined", RankSet([2]), RankSet([0, 1]))


def test_a_chain_of_groups_accuses_its_end_alone(torch_python: str, tmp_path: Path, engine: Engine) -> None:
    """Rank 5 sleeps; 4 waits for it in tp2; 0 and 2 wait for 4 in dp0, and 1 and 3 for 5 in dp1."""
    with real_job(torch_python, tmp_path, world_size=6) as job:
        for name, ranks in (("tp0", "0,1"), ("tp1", "2,3"), ("tp2", "4,5"), ("dp0", "0,2,4"), ("dp1", "1,3,5")):
            everywhere(job, f"new_group {name} {ranks}")
            everywhere(job, f"in {name} all_reduce", [int(rank) for rank in ranks.split(",")])
        asleep(job, 5)
        tell(job, "in tp2 all_reduce", 4)
        tell(job, "in dp0 all_reduce", 0, 2)
        tell(job, "in dp1 all_reduce", 1, 3)
        attached = Attached(engine, store_of(job))
        until_inside(attached, (0, 1, 2, 3, 4), "all_reduce")
        attached.look_later()
        findings = serious(attached)
        assert RankSet(rank for one in findings for rank in one.culprits) == RankSet([5])
        (finding,) = findings
        assert finding.waiting == RankSet([0, 1, 2, 3, 4])


def test_two_groups_entered_in_opposite_order_is_a_deadlock_of_nobody(
    torch_python: str, tmp_path: Path, engine: Engine
) -> None:
    with real_job(torch_python, tmp_path, world_size=2) as job:
        for name in ("a", "b"):
            everywhere(job, f"new_group {name} 0,1")
            everywhere(job, f"in {name} all_reduce")
        tell(job, "in a all_reduce", 0)
        tell(job, "in b all_reduce", 1)
        attached = Attached(engine, store_of(job))
        until_inside(attached, (0, 1), "all_reduce")
        attached.look_apart()
        (finding,) = serious(attached)
        assert (finding.kind, finding.culprits) == ("deadlock", RankSet())
        assert finding.waiting == RankSet([0, 1])
        assert attached.session.verdict.value is VerdictValue.DEADLOCK


def test_another_collective_on_one_rank(torch_python: str, tmp_path: Path, engine: Engine) -> None:
    with real_job(torch_python, tmp_path, world_size=4) as job:
        tell(job, "in world all_reduce", 0, 1, 3)
        tell(job, "in world all_gather", 2)
        attached = Attached(engine, store_of(job))
        attached.look_apart()
        attached.look_apart()
        found = {one.kind: one.culprits for one in serious(attached)}
        assert found["mismatch"] == RankSet([2])
        assert all(culprits <= RankSet([2]) for kind, culprits in found.items() if kind != "dead"), found


@pytest.mark.parametrize("state", ["stopped", "dead"])
def test_the_class_of_the_culprit_and_its_call_are_one_finding(
    torch_python: str, tmp_path: Path, engine: Engine, state: str
) -> None:
    with real_job(torch_python, tmp_path, world_size=4) as job:
        attached = Attached(engine, store_of(job))
        if state == "stopped":
            job.stop(3)
            tell(job, "all_reduce 1", 0, 1, 2)
            until_inside(attached, (0, 1, 2), "all_reduce")
        else:
            job.kill(3)
        attached.look_apart()
        findings = serious(attached)
        assert RankSet(rank for one in findings for rank in one.culprits) == RankSet([3])
        (finding,) = findings
        assert finding.kind == state
        if state == "stopped":
            assert finding.waiting == RankSet([0, 1, 2])
        job.resume(3) if state == "stopped" else None


def test_a_group_that_only_some_members_have_used_so_far(torch_python: str, tmp_path: Path, engine: Engine) -> None:
    """Ranks 0 and 1 wait in a group whose third member has never used it: that one is unknown by number, not innocent
    ranks accused."""
    with real_job(torch_python, tmp_path, world_size=4) as job:
        everywhere(job, "new_group sub 0,1,2")
        tell(job, "in sub all_reduce", 0, 1)
        attached = Attached(engine, store_of(job))
        until_inside(attached, (0, 1), "all_reduce")
        attached.look_apart()
        accused = RankSet(rank for one in serious(attached) for rank in one.culprits)
        assert accused <= RankSet([2])


def test_a_healthy_fast_job(torch_python: str, tmp_path: Path, engine: Engine) -> None:
    with real_job(torch_python, tmp_path, world_size=4) as job:
        for rank in range(4):
            job.tell(rank, "work 30 0.0")
            job.expect(rank, "working")
        attached = Attached(engine, store_of(job))
        for _ in range(4):
            attached.look_apart()
            assert serious(attached) == []
            assert attached.session.verdict.value is VerdictValue.MOVING
