"""Forgetting by age and by size."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.services.run_history.made_runs import ENDPOINT, case, output, run_of
from xpudbg.services.run_history.history import HistoryLimits, RunHistory

DAY = 86_400 * 10**9


@dataclass
class Clock:
    now: int = 0

    def __call__(self) -> int:
        return self.now


def kept(history: RunHistory, value: int, *, size: int = 1000) -> int:
    run_id = history.begin(case(), ENDPOINT)
    history.finish(run_id, run_of(case(), output(np.full(size, value, np.uint8))))
    return run_id


def age_blobs(folder: Path) -> None:
    for path in (folder / "arrays").glob("*.npy"):
        os.utime(path, (0, 0))


def test_old_runs_go_with_the_arrays_that_only_they_have(tmp_path: Path) -> None:
    clock = Clock()
    history = RunHistory(tmp_path, clock=clock)
    waiting = history.begin(case(), ENDPOINT)
    old, shared = kept(history, 1), kept(history, 2)
    clock.now = 10 * DAY
    young, again = kept(history, 3), kept(history, 2)
    age_blobs(tmp_path)
    done = history.prune(HistoryLimits(age_s=5 * 86_400))
    assert (done.runs, done.freed) == (2, 1128)
    assert [record.id for record in history.latest()] == [again, young, waiting]
    assert old not in [record.id for record in history.latest()]
    assert shared not in [record.id for record in history.latest()]
    for run_id in (young, again):
        assert history.outputs(run_id)[0].array is not None
    with history._database.reading() as connection:
        assert (
            connection.execute("SELECT count(*) FROM outputs WHERE run NOT IN (SELECT id FROM runs)").fetchone()[0] == 0
        )


def test_the_oldest_go_until_the_arrays_fit(tmp_path: Path) -> None:
    history = RunHistory(tmp_path)
    runs = [kept(history, value % 4) for value in range(6)]  # the arrays 0 and 1 go with the runs 4 and 5
    age_blobs(tmp_path)
    done = history.prune(HistoryLimits(total_bytes=3 * 1128))
    assert [record.id for record in history.latest()] == runs[:2:-1]
    assert done.runs == 3
    assert done.freed == 1128
    assert history.prune(HistoryLimits(total_bytes=3 * 1128)).runs == 0


def test_what_a_crash_left_is_removed_once_it_is_old(tmp_path: Path) -> None:
    history = RunHistory(tmp_path)
    orphan = history._blobs.put(np.arange(100))
    assert history.prune().freed == 0
    age_blobs(tmp_path)
    assert history.prune().freed == orphan.size


def test_an_array_that_was_pruned_meanwhile_is_a_note(tmp_path: Path) -> None:
    history = RunHistory(tmp_path)
    run_id = kept(history, 1)
    for path in (tmp_path / "arrays").glob("*.npy"):
        path.unlink()
    (found,) = history.outputs(run_id)
    assert found.array is None
    assert "no longer in the history" in found.note
