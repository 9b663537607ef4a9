"""Screen 3 beside the flight recorder: places told apart by call, and stacks that only recorders have."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from tests.tui.recorder_scripts import recorder_job, stuck
from tests.tui.running import Clock, Running, running
from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.engine import Engine
from xpudbg.services.ranksets import RankSet
from xpudbg.services.settings.recent import RecentTargets
from xpudbg.services.targets import FilesTarget
from xpudbg.tui.app import XpudbgApp
from xpudbg.tui.widgets.frame_pane import FramePane
from xpudbg.tui.widgets.grid_table import GridTable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

WORLD = FakeGroup("0", "default_pg", (0, 1, 2))


def places(run: Running) -> list[str]:
    widget = run.app.screen.query_one("#places", GridTable)
    return [text for y in range(widget.size.height) if (text := widget.render_line(y).text.rstrip())]


def facts(run: Running) -> str:
    return run.app.screen.query_one(FramePane).content_shown.plain


async def test_places_are_told_apart_by_call_and_lead_to_it(tmp_path: Path) -> None:
    """Rank 5 loads data; its tp group waits for it in the gather, the others in the next all_reduce."""
    async with running(recorder_job(stuck()), tmp_path, size=(160, 40)) as run:
        await run.press("3")
        shown = places(run)
        assert "in call" in shown[0]
        assert [" ".join(line.replace("! ", "").split()[:2]) for line in shown[1:]] == ["1 5", "3 4,6-7", "4 0-3"]
        assert "! 5" in shown[1]
        assert "not in a call" in shown[1]
        assert "all_gather #4 of tp" in shown[2]
        assert "all_reduce #4 of default_pg" in shown[3]
        assert "not in a call" in facts(run)
        await run.press("left_square_bracket")
        assert run.app.session.selected == 4
        assert "call     all_gather #4 of tp, for " in facts(run)
        assert "3 ranks in it" in " ".join(facts(run).split())
        await run.press("slash", *"op:reduce", "enter")
        await run.until(lambda: len(places(run)) == 2, "the others are filtered away")
        assert run.app.view.shown() == RankSet([0, 1, 2, 3])
        await run.press("escape", "c")
        await run.until(lambda: run.app.current_mode == "recorder", "the flight recorder")
        assert "calls of #4" in run.text()


@asynccontextmanager
async def on_dumps(folder: Path, *, frames: bool) -> AsyncIterator[Running]:
    """Screen 3 on a folder of dumps; rank 2 has stopped."""
    job = FakeJob(3, [WORLD], [Call("0")] * 4, faults=[Fault(2, 2, "stops")], frames=frames)
    dumps = folder / "dumps"
    dumps.mkdir()
    for rank in range(3):
        (dumps / f"rank_{rank}.json").write_bytes(job.as_json(rank))
    with Engine() as engine:
        recent = RecentTargets(folder / "recent.json")
        app = XpudbgApp(engine, FilesTarget((dumps,)), AttachOptions(), env={}, recent=recent)
        run = Running(app, None, Clock())  # type: ignore[arg-type]
        async with app.run_test(size=(200, 36), notifications=True) as run.pilot:
            await run.until(lambda: app.session.latest is not None, "the dumps are read")
            await run.press("3")
            yield run


async def test_dumps_with_frames_show_them_as_recorded_when_the_call_was_made(tmp_path: Path) -> None:
    async with on_dumps(tmp_path, frames=True) as run:
        await run.until(lambda: "2 ranks at 2 places · recorded when the call was made" in run.text())
        assert "no stack: its dump shows it inside no call" in run.text()
        assert "here for" not in run.text()
        await run.press("right_square_bracket")
        await run.until(lambda: "▼ when the call was made" in run.text())
        assert "forward" in run.text()
        assert run.app.session.stacks.look_id == 0


async def test_dumps_without_frames_say_that_there_are_no_stacks(tmp_path: Path) -> None:
    async with on_dumps(tmp_path, frames=False) as run:
        await run.until(lambda: "dumps have no stacks of the ranks" in run.text())
        assert "its dump has no frames of the call it is in" in run.text()
        await run.press("c")
        assert [one.message for one in run.app._notifications] == ["rank 2 is inside no call by its flight recorder"]
