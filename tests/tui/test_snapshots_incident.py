"""How the dialog of the bundle and a watched job look. To renew the pictures: pytest --snapshot-update, and look at
each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.tui.running import made
from tests.tui.scripted import NOW, SECOND
from tests.tui.time_scripts import standing_job
from xpudbg.services.bundle.events import BundleProgress

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from textual.pilot import Pilot

    from tests.tui.test_snapshots import Compare


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    monkeypatch.chdir(tmp_path)


def same(compare: Compare, folder: Path, size: tuple[int, int], keys: Iterable[str]) -> bool:
    run = made(standing_job(), folder)
    run.clock.now = NOW + 4 * SECOND
    run.app.notify = lambda *_, **__: None  # type: ignore[method-assign]  # what goes away by itself

    async def before(pilot: Pilot[int]) -> None:
        run.pilot = pilot
        await run.settled()
        await run.press(*keys)
        if run.engine.told("bundle"):
            await run.say([BundleProgress(folder, 1, 3)])

    return compare(run.app, terminal_size=size, run_before=before)


def test_the_dialog_of_the_bundle(snap_compare: Compare, tmp_path: Path) -> None:
    assert same(snap_compare, tmp_path, (80, 24), ["B", "tab", "tab", "space", "tab"])


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["small", "usual"])
def test_a_job_that_is_watched(size: tuple[int, int], snap_compare: Compare, tmp_path: Path) -> None:
    assert same(snap_compare, tmp_path, size, ["W", "enter"])
