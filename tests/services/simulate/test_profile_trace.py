"""The trace of a simulated rank reads like a real one."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from xpudbg.services.profiles.summary import ProfileSummary, summarise
from xpudbg.services.simulate.job import Job
from xpudbg.services.simulate.profile_trace import Profiling, profile_trace, profiling


def summary(folder: Path, job: Job, rank: int, seconds: float = 1.0) -> ProfileSummary:
    path = folder / "trace.json"
    path.write_text(profile_trace(job, rank, seconds, time.time_ns()))
    return summarise(path)


def moving(size: int = 4) -> Job:
    return Job(size, held_up_by=set(), holding_gil=set())


def test_a_moving_rank_shows_its_steps(tmp_path: Path) -> None:
    found = summary(tmp_path, moving(), 2)
    assert (found.rank, found.notes) == (2, ())
    assert found.window == pytest.approx(1e6, abs=1.0)
    assert found.began_at is not None
    assert abs(found.began_at / 1e9 + 1.0 - time.time()) < 60
    calls = {row.name: row.calls for row in found.operators}
    assert calls["ProfilerStep"] == 5
    assert calls["c10d::allreduce_"] == 20
    assert [(row.name, row.calls) for row in found.collectives] == [("all_reduce", 20)]
    (use,) = found.uses
    assert 0.4 < use.busy / found.window < 1.0
    assert found.memberships is not None
    assert str(found.memberships.groups[0].ranks) == "0-3"


@pytest.mark.parametrize("rank", [0, 3], ids=["one that waits", "one that holds the others up"])
def test_a_rank_of_a_job_that_hangs_shows_nothing(tmp_path: Path, rank: int) -> None:
    job = Job(4, held_up_by={3}, holding_gil=set())
    assert summary(tmp_path, job, rank).events == 0


def test_a_long_capture_is_bounded(tmp_path: Path) -> None:
    assert summary(tmp_path, moving(), 0, 3_600.0).events < 20_000


def test_some_ranks_of_a_large_job_give_less() -> None:
    how = [profiling(rank) for rank in range(512)]
    assert {kind: how.count(kind) > 0 for kind in Profiling} == dict.fromkeys(Profiling, True)
    assert how.count(Profiling.WHOLE) > 400
    assert how == [profiling(rank) for rank in range(512)]
