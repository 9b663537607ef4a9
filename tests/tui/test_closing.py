"""What still runs while the program closes its screens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.tui.running import running
from tests.tui.scripted import job, look

if TYPE_CHECKING:
    from pathlib import Path


async def test_timers_that_tick_after_the_screens_are_gone_do_nothing(tmp_path: Path) -> None:
    async with running(job(4), tmp_path) as run:
        app = run.app
    assert not app.screen_stack
    assert app.base_screen is None
    run.engine.say(look(2, 4, {}))
    app._tick()
    app._drain()
    app.go_back()
