"""From the dispatch screen to every other screen and back, whatever has the keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tests.services.run_history.made_runs import ENDPOINT
from tests.tui.dispatch_running import TOTAL, cases, gave
from tests.tui.running import running
from tests.tui.store_scripts import ScriptedStore, job_keys, store_job
from xpudbg.services.console import events
from xpudbg.tui.screens.dispatch import DispatchScreen
from xpudbg.tui.screens.dispatch_panes import Pane

if TYPE_CHECKING:
    from pathlib import Path

PLACES = ("overview", "ranks", "stacks", "recorder", "counters", "profiler", "store")


async def test_every_number_leads_to_its_screen_from_any_pane_and_8_leads_back(tmp_path: Path) -> None:
    async with running(store_job(4), tmp_path, size=(130, 40)) as run:
        run.engine.on_store = ScriptedStore(job_keys())
        await run.press("8")
        ones = np.ones((4, 64), np.float32)
        case = cases()[1]
        await run.say(
            [
                events.EndpointsChosen((ENDPOINT,)),
                events.CasesOpened("cases", (case,)),
                events.RunBegun("k", case.id, TOTAL, ENDPOINT, 1),
                events.RunCompared("k", gave(TOTAL, ones, expected=ones * 2)),
            ]
        )
        for pane in Pane:
            for number, place in enumerate(PLACES, 1):
                if number % len(Pane) != list(Pane).index(pane):
                    continue
                screen = run.app.screen
                assert isinstance(screen, DispatchScreen)
                if screen.pane is not pane:
                    screen.to_pane(pane)
                    await run.press("v")
                await run.press(str(number))
                assert run.app.current_mode == place, pane
                await run.press("minus" if number % 2 else "8")
                assert run.app.current_mode == "dispatch"
                assert screen.pane is pane
        await run.press("enter", "7")
        assert run.app.current_mode == "store"
