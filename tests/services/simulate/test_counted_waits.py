"""What the wait counters of the demo's ranks tell: they move with the job, and stand in a wait where a rank does."""

from __future__ import annotations

import json

from xpudbg.services.simulate.job import Job
from xpudbg.services.simulate.payloads import wait_counters

LOADER = "pytorch.wait_counter.data.next_batch"


def loader(job: Job, rank: int) -> dict[str, int]:
    made: dict[str, int] = json.loads(wait_counters(rank, job))[LOADER]
    return made


def test_a_rank_asleep_in_its_loader_or_in_an_extension_waits_there_now() -> None:
    job = Job(8, held_up_by={2, 5, 6}, holding_gil={5}, loading={2})
    assert [rank for rank in range(8) if loader(job, rank)["active_count"]] == [2, 5]


def test_waits_for_data_are_as_many_as_the_steps_of_the_job_and_never_fall() -> None:
    job = Job(4, held_up_by={1}, holding_gil=set())
    steps, before = job.position(0).enqueued, loader(job, 0)
    job.let_go(1)
    after = loader(job, 0)
    assert before["total_calls"] == steps // 4 + 1
    assert after["total_calls"] >= before["total_calls"]
    assert after["total_time_us"] >= before["total_time_us"]
    assert before["max_time_us"] <= before["total_time_us"]


def test_some_ranks_of_many_wait_longer_than_the_others() -> None:
    job = Job(200, held_up_by={0}, holding_gil=set())
    slow = [rank for rank in range(200) if loader(job, rank)["max_time_us"] > 20_000]
    assert 1 <= len(slow) <= 20
