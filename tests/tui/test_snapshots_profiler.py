"""How the profiler's screen looks, as pictures. To renew them: pytest --snapshot-update, and look at each."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from tests.tui.profile_scripts import captured, under_way
from tests.tui.scripted import job
from tests.tui.test_snapshots import Compare, same

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setenv("TEXTUAL_ANIMATIONS", "none")
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


def test_a_capture_under_way(snap_compare: Compare, tmp_path: Path) -> None:
    assert same(snap_compare, tmp_path, [*job(8), *under_way()], (80, 24), ("6",))


def test_the_question_before_a_capture(snap_compare: Compare, tmp_path: Path) -> None:
    assert same(snap_compare, tmp_path, job(8, {3: "stopped"}), (80, 24), ("6", "left_square_bracket", "c"))


def test_operators_of_a_rank(snap_compare: Compare, tmp_path: Path) -> None:
    assert same(snap_compare, tmp_path, [*job(8), *captured()], (120, 40), ("6", "enter", "s", "s"))


def test_a_slow_rank_against_the_median(snap_compare: Compare, tmp_path: Path) -> None:
    keys = ("6", "down", "down", "space", "enter", "enter")
    assert same(snap_compare, tmp_path, [*job(8), *captured()], (200, 60), keys)
