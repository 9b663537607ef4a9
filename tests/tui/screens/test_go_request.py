"""Going to what is typed, from each screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.tui.recorder_scripts import recorder_job, stuck
from tests.tui.running import running
from tests.tui.store_scripts import ScriptedStore, job_keys, store_job
from xpudbg.services.ranksets import RankSet
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
