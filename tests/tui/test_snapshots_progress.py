"""How the progress matrix looks beside the verdict, as pictures. To renew them: pytest --snapshot-update, and look."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.fakes.flight_recorder_jobs import Fault
from tests.tui.progress_scripts import job_of, mesh, recorder_job, stopped_job
from tests.tui.stack_scripts import hung
from tests.tui.test_snapshots import Compare, same

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")


def test_overview_with_the_matrix_in_place_of_the_grid(snap_compare: Compare, tmp_path: Path) -> None:
    script = recorder_job(stopped_job(), texts=hung(16, loading=[9]))
    assert same(snap_compare, tmp_path, script, (80, 24), ("tab", "l", "space"))


def test_overview_with_a_finding_in_full_beside_the_matrix(snap_compare: Compare, tmp_path: Path) -> None:
    jobs = [job_of(mesh(16), faults=[Fault(rank, 2, "stops") for rank in (8, 9, 10)])] * 2
    script = recorder_job(jobs, texts=hung(16, loading=[8, 9, 10]), absent=[3])
    assert same(snap_compare, tmp_path, script, (120, 40), ("f",))


def test_overview_of_128_ranks_with_the_matrix(snap_compare: Compare, tmp_path: Path) -> None:
    bad = ("[/tp] \x1b[31m\u202e節点", "mesh_dp")
    job = job_of(mesh(128, 8, bad), faults=[Fault(100, 4, "stops")], steps=3, world=128)
    script = recorder_job([job, job], {100: "stopped", 77: "dead"}, absent=[77])
    assert same(snap_compare, tmp_path, script, (200, 60), ("tab", "j", "l"))
