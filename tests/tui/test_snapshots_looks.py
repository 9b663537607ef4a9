"""How the strip of looks looks. To renew the pictures: pytest --snapshot-update, and look at each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.tui.running import made
from tests.tui.scripted import NOW, SECOND, job, look
from tests.tui.time_scripts import standing_job

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from textual.pilot import Pilot

    from tests.tui.test_snapshots import Compare
    from xpudbg.services.events import Event


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")


def same(compare: Compare, folder: Path, script: Iterable[Event], size: tuple[int, int], keys: Iterable[str]) -> bool:
    run = made(script, folder)
    run.clock.now = NOW + 100 * SECOND

    async def before(pilot: Pilot[int]) -> None:
        run.pilot = pilot
        await run.settled()
        await run.press(*keys)

    return compare(run.app, terminal_size=size, run_before=before)


def long_watch() -> list[Event]:
    """Sixty looks, with a rank that stops and comes back."""
    script = job(16)
    for look_id in range(2, 61):
        sick = {3: "stopped"} if look_id % 20 in (7, 8, 9) else {}
        script += look(look_id, 16, sick, at=NOW - (60 - look_id) * 10 * SECOND)
    return script


def test_an_older_look_in_a_small_terminal(snap_compare: Compare, tmp_path: Path) -> None:
    assert same(snap_compare, tmp_path, standing_job(), (80, 24), ["comma"])


def test_an_older_look_of_the_flight_recorder(snap_compare: Compare, tmp_path: Path) -> None:
    assert same(snap_compare, tmp_path, standing_job(), (120, 40), ["comma", "comma", "4"])


def test_sixty_looks_in_a_small_terminal(snap_compare: Compare, tmp_path: Path) -> None:
    assert same(snap_compare, tmp_path, long_watch(), (80, 24), ["2"])


def test_in_the_midst_of_sixty_looks(snap_compare: Compare, tmp_path: Path) -> None:
    assert same(snap_compare, tmp_path, long_watch(), (120, 40), ["comma"] * 31)
