"""Progress of the simulated job. The clock is the test's own."""

from __future__ import annotations

import pytest

from xpudbg.services.simulate import job as job_module
from xpudbg.services.simulate.job import RATE, Activity, Job, noise

SECOND = 1_000_000_000


class Clock:
    def __init__(self) -> None:
        self.now = 1_800_000_000 * SECOND

    def time_ns(self) -> int:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(job_module, "time", made)
    return made


def test_a_healthy_job_moves_and_its_ranks_are_at_most_one_collective_apart(clock: Clock) -> None:
    job = Job(64, held_up_by=set(), holding_gil=set())
    before = [job.position(rank) for rank in range(64)]
    clock.now += 2 * SECOND
    after = [job.position(rank) for rank in range(64)]
    assert {later.completed - earlier.completed for earlier, later in zip(before, after, strict=True)} == {2 * RATE}
    assert {at.enqueued - at.completed for at in before} <= {0, 1}
    assert all((at.activity is Activity.WAITING) == (at.enqueued > at.completed) for at in before)


def test_a_job_that_is_held_up_waits_in_the_next_collective(clock: Clock) -> None:
    job = Job(4, held_up_by={2}, holding_gil=set())
    before = [job.position(rank) for rank in range(4)]
    clock.now += 60 * SECOND
    assert [job.position(rank) for rank in range(4)] == before
    assert [at.enqueued - before[2].enqueued for at in before] == [1, 1, 0, 1]
    assert [at.activity for at in before] == [Activity.WAITING] * 2 + [Activity.COMPUTING, Activity.WAITING]


def test_a_rank_that_holds_the_gil_is_inside_an_extension(clock: Clock) -> None:
    assert Job(4, held_up_by={1}, holding_gil={1}).position(1).activity is Activity.HOLDING_GIL


def test_an_idle_job_has_no_collective_open(clock: Clock) -> None:
    job = Job(4, held_up_by=set(), holding_gil=set(), idle=True)
    before = job.position(1)
    clock.now += 10 * SECOND
    assert job.position(1) == before
    assert (before.enqueued, before.activity) == (before.completed, Activity.LOADING)


def test_the_job_stands_when_a_rank_stops_and_goes_on_when_the_last_one_is_released(clock: Clock) -> None:
    job = Job(4, held_up_by=set(), holding_gil=set())
    job.hold_up(1)
    job.hold_up(3)
    held = job.position(0)
    clock.now += 30 * SECOND
    job.let_go(1)
    assert job.position(0) == held
    job.let_go(3)
    clock.now += SECOND
    assert job.position(0).completed == held.enqueued + RATE


def test_positions_and_times_never_go_back(clock: Clock) -> None:
    job = Job(8, held_up_by={5}, holding_gil=set())
    seen = [job.position(rank) for rank in range(8)]
    step = 7_300_000
    for turn in range(400):
        if turn % 100 == 50:
            job.let_go(5)
        if turn % 100 == 99:
            job.hold_up(5)
        clock.now += step
        at = [job.position(rank) for rank in range(8)]
        for earlier, later in zip(seen, at, strict=True):
            assert later.enqueued >= earlier.enqueued
            assert later.completed >= earlier.completed
            assert later.completed <= later.enqueued <= later.completed + 1
        seen = at
    for rank in range(8):
        times = [job.entered_at(rank, seq) for seq in range(seen[rank].enqueued - 100, seen[rank].enqueued + 1)]
        assert times == sorted(times)
        assert times[-1] <= clock.now


def test_the_time_of_a_collective_stays_the_same_when_the_job_stands_and_goes_on(clock: Clock) -> None:
    job = Job(2, held_up_by=set(), holding_gil=set())
    seq = job.position(0).completed
    entered = job.entered_at(0, seq)
    assert clock.now - SECOND < entered <= clock.now
    job.hold_up(1)
    clock.now += 100 * SECOND
    job.let_go(1)
    clock.now += SECOND
    assert job.entered_at(0, seq) == entered


def test_noise_is_the_same_each_time_and_differs_between_ranks() -> None:
    assert noise(7, "x") == noise(7, "x")
    assert all(0 <= noise(rank, "x") < 1 for rank in range(1000))
    assert len({noise(rank, "x") for rank in range(1000)}) == 1000
