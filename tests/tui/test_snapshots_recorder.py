"""How the flight recorder's screen looks, as pictures. To renew them: pytest --snapshot-update, and look at each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.fakes.flight_recorder_jobs import Call, Fault
from tests.tui.recorder_scripts import CPU, HOSTILE, NCCL, recorder_job, stuck, train
from tests.tui.test_snapshots import Compare, same

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")


def test_a_finding(snap_compare: Compare, tmp_path: Path) -> None:
    assert same(snap_compare, tmp_path, recorder_job(stuck()), (80, 24), ("4",))


def test_calls_of_a_collective(snap_compare: Compare, tmp_path: Path) -> None:
    keys = ("4", "enter", "enter", "s", "s", "a", "down")
    assert same(snap_compare, tmp_path, recorder_job(stuck(world=64, rank=37)), (120, 40), keys)


def test_collectives_filtered_with_hostile_names(snap_compare: Compare, tmp_path: Path) -> None:
    wrong = Fault(6, 4, "wrong", Call("14", "all_gather", ((512, 32),), ((2048, 32),), "BFloat16"))
    jobs = {NCCL: train(tp=HOSTILE, faults=(wrong,)), CPU: train(steps=2, backend="gloo")}
    keys = ("4", "tab", "slash", *"!is:p2p seq:2- all_", "enter", "n")
    assert same(snap_compare, tmp_path, recorder_job(jobs, without=(2,)), (200, 60), keys)


def test_raw_json(snap_compare: Compare, tmp_path: Path) -> None:
    assert same(snap_compare, tmp_path, recorder_job(stuck()), (80, 24), ("4", "shift+tab"))
