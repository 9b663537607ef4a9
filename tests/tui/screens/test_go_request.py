"""Going to what is typed, from each screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.services.run_history.made_runs import ENDPOINT
from tests.tui.dispatch_running import TOTAL, cases, dispatching, gave
from tests.tui.recorder_scripts import recorder_job, stuck
from tests.tui.running import running
from tests.tui.store_scripts import ScriptedStore, job_keys, store_job
from xpudbg.services.console import events
from xpudbg.services.ranksets import RankSet
from xpudbg.tui.screens.dispatch_panes import Pane
from xpudbg.tui.screens.line_request import LineRequest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.tui.running import Running


async def go(run: Running, text: str) -> None:
    await run.press("apostrophe", *("space" if each == " " else each for each in text), "enter")


async def test_ranks_and_marks(tmp_path: Path) -> None:
    async with running(recorder_job(stuck()), tmp_path) as run:
        session = run.app.session
        await run.press("2")
        await go(run, "7")
        assert session.selected == 7
        assert run.app.current_mode == "ranks", "a rank is selected where one is"
        await go(run, "mark 0-2")
        assert session.marked == RankSet([0, 1, 2])
        assert session.selected == 0
        await run.press("slash", *"rank:4-7", "enter")
        await go(run, "rank 1")
        assert session.selected == 1
        assert "the filter does not show it" in run.text()
        assert run.app.view.filter is not None
        await run.press("8")
        await go(run, "rank 6")
        assert run.app.current_mode == "ranks", "no rank can be seen on the screen of operators"


async def test_what_is_wrong_is_said_in_the_line(tmp_path: Path) -> None:
    async with running(recorder_job(stuck()), tmp_path) as run:
        await go(run, "99")
        assert isinstance(run.app.screen, LineRequest)
        assert "there is no rank 99: the ranks are 0-7" in run.text()
        await run.press("backspace", "backspace", *"store", "enter")
        assert "the target names workers, not the job's store" in run.text()
        await run.press("escape")
        assert run.app.current_mode == "overview"
        assert not isinstance(run.app.screen, LineRequest)


async def test_findings_looks_and_screens(tmp_path: Path) -> None:
    async with running(recorder_job(stuck()), tmp_path) as run:
        await go(run, "stacks")
        assert run.app.current_mode == "stacks"
        await go(run, "f1")
        assert run.app.current_mode == "overview"
        assert "finding 1 of 1, critical" in run.text()
        assert run.app.session.selected == 5
        await run.press("escape", "apostrophe", "down", "enter")
        assert "finding 1 of 1, critical" in run.text(), "findings can be chosen from the list"
        await go(run, "look 1")
        assert " LOOK 1 OF 2 " in run.lines()[0]
        await run.press("minus")
        assert run.app.current_mode == "stacks", "the last place"


async def test_groups_and_calls(tmp_path: Path) -> None:
    async with running(recorder_job(stuck()), tmp_path, size=(120, 30)) as run:
        await go(run, "group tp0")
        assert run.app.current_mode == "recorder"
        assert "members of tp0" in run.lines()[0]
        await go(run, "tp1 #2")
        assert "[collectives" in run.text()
        assert "› 4 recorder › memberships › collectives" in run.lines()[0]
        spot = run.app.view.recorder.spot()
        assert spot is not None
        assert (spot.seq, spot.group and spot.group.members) == (2, RankSet([4, 5, 6, 7]))
        await run.press("escape")
        assert "members of tp0" in run.lines()[0]
        await run.press("escape")
        assert run.app.current_mode == "overview", "back to where it was typed"


async def test_keys_of_the_store(tmp_path: Path) -> None:
    async with running(store_job(), tmp_path) as run:
        run.engine.on_store = ScriptedStore(job_keys())
        await run.press("7")
        await run.settled()
        await run.press("1")
        await go(run, "key debug_server/rank2")
        await run.settled()
        assert run.app.current_mode == "store"
        await run.until(lambda: "debug_server/rank2" in run.text(), "the key")
        assert run.app.attachment.store.gone_to == ()
        await run.press("tab")
        assert "› 7 store › value" in run.lines()[0]
        await run.press("escape")
        assert "value" not in run.lines()[0]


@pytest.mark.parametrize("width", [80, 130])
async def test_cases_and_runs_where_there_is_no_job(tmp_path: Path, width: int) -> None:
    async with dispatching(tmp_path, size=(width, 30)) as run:
        view = run.app.desk.view
        ones = np.ones((4, 64), np.float32)
        begun = events.RunBegun("k", "id-running_total", TOTAL, ENDPOINT, 1)
        await run.say([begun, events.RunCompared("k", gave(TOTAL, ones, expected=ones * 2))])
        view.stand_on("id-odd")
        await go(run, "case stack")
        assert (view.case_id, run.screen.pane) == ("id-from_file", Pane.CASES)
        await go(run, "run 7")
        assert (view.case_id, run.screen.pane) == ("id-running_total", Pane.RESULT)
        assert run.screen.pane_of(run.app.focused) in (Pane.RESULT, None)
        assert "› 8 dispatch › result" in run.lines()[0]
        await run.press("slash", *"odd", "enter")
        await go(run, "case join")
        assert (view.case_id, run.screen.pane) == ("id-join_shards", Pane.CASES)
        assert "the filter does not show it" in run.text()


async def test_a_run_from_another_screen(tmp_path: Path) -> None:
    async with running(recorder_job(stuck()), tmp_path, size=(130, 30)) as run:
        await run.press("8")
        case = cases()[1]
        await run.say(
            [
                events.CasesOpened("cases", (case,)),
                events.RunBegun("k", case.id, TOTAL, ENDPOINT, 1),
                events.RunCompared("k", gave(TOTAL, np.ones((4, 64), np.float32))),
            ]
        )
        await run.press("3")
        await go(run, "run 7")
        assert "› 8 dispatch › result" in run.lines()[0]
        await run.press("minus")
        assert run.app.current_mode == "stacks"
