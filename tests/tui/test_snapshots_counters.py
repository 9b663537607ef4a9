"""How the wait counters look, as pictures. To renew them: pytest --snapshot-update, and look."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.tui.counter_scripts import counter_job, trained
from tests.tui.test_snapshots import Compare, same

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")


def test_counters_in_a_small_terminal(snap_compare: Compare, tmp_path: Path) -> None:
    script = counter_job(16, trained(14, waiting=[3], slow=[9]), {14: "dead"}, without=[15])
    assert same(snap_compare, tmp_path, script, (80, 24), ("5", "m"))


def test_counters_over_many_looks(snap_compare: Compare, tmp_path: Path) -> None:
    script = counter_job(64, trained(60, looks=12, waiting=[3, 40], slow=[9, 10, 33]), {61: "stopped"})
    assert same(snap_compare, tmp_path, script, (120, 40), ("5", "M", "M", "g", "space"))


def test_counters_in_a_large_terminal(snap_compare: Compare, tmp_path: Path) -> None:
    script = counter_job(256, trained(250, looks=3, waiting=range(0, 256, 50), slow=[200]), {251: "dead"})
    assert same(snap_compare, tmp_path, script, (200, 60), ("5", "m", "n", "n"))
