"""How the overview looks in each of our themes, and on poor terminals. To renew: pytest --snapshot-update, and look."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.tui.progress_scripts import recorder_job, stopped_job
from tests.tui.running import made
from tests.tui.scripted import job
from xpudbg.tui.terminal.kind import Colours, TerminalKind
from xpudbg.tui.themes import THEMES

if TYPE_CHECKING:
    from pathlib import Path

    from textual.pilot import Pilot

    from tests.tui.test_snapshots import Compare

EVERY_CLASS = {
    1: "unreachable",
    2: "server_error",
    3: "stopped",
    4: "foreign_port",
    5: "name_unknown",
    7: "dead",
    12: "gil_held",
}


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")


@pytest.mark.parametrize("theme", THEMES)
def test_overview(snap_compare: Compare, tmp_path: Path, theme: str) -> None:
    run = made(recorder_job(stopped_job(), {3: "stopped", 5: "dead", 12: "gil_held"}), tmp_path)
    run.app.theme = theme

    async def ready(pilot: Pilot[int]) -> None:
        run.pilot = pilot
        await run.settled()

    assert snap_compare(run.app, terminal_size=(120, 40), run_before=ready)


def test_ranks_in_ascii_without_colours(snap_compare: Compare, tmp_path: Path) -> None:
    run = made(job(64, EVERY_CLASS), tmp_path)
    run.app.paint_for(TerminalKind(ascii=True, colours=Colours.NONE))

    async def ready(pilot: Pilot[int]) -> None:
        run.pilot = pilot
        await run.settled()
        await run.press("2", "s", "space", "j", "space", "up")

    assert snap_compare(run.app, terminal_size=(80, 24), run_before=ready)
