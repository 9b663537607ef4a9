"""Everything that is painted can be read in each of our themes: each ink on each paper, as really rendered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from rich.color import ColorSystem

from tests.services.recorder_timeline.timed_jobs import TimedJob
from tests.tui import progress_scripts
from tests.tui.counter_scripts import counter_job, trained
from tests.tui.dispatch_running import cases
from tests.tui.painted_pairs import pairs_on, too_faint
from tests.tui.profile_scripts import captured, under_way
from tests.tui.recorder_scripts import recorder_job, stuck
from tests.tui.running import TARGET, made
from tests.tui.scripted import job, look
from tests.tui.stack_scripts import hung, stack_job
from tests.tui.store_scripts import ScriptedStore, job_keys, store_job
from tests.tui.test_snapshots import MANY
from tests.tui.test_snapshots_dispatch import START, over
from tests.tui.test_snapshots_result import wave
from tests.tui.widgets.painting import Alone
from xpudbg.services.console import events
from xpudbg.tui.dispatch.result_view import ResultView
from xpudbg.tui.themes import THEMES
from xpudbg.tui.widgets.run_result_pane import RunResultPane
from xpudbg.tui.widgets.timeline import TimelinePane

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import Any

    from textual.app import App
    from textual.pilot import Pilot

    from xpudbg.services.events import Event

EVERY_CLASS = {
    1: "unreachable",
    2: "server_error",
    3: "stopped",
    4: "foreign_port",
    5: "name_unknown",
    7: "dead",
    12: "gil_held",
}
MIXED = {3: "stopped", 7: "dead", 12: "gil_held"}


@dataclass(frozen=True)
class Scene:
    script: Callable[[], Sequence[Event]]
    keys: tuple[str, ...] = ()
    dialog: tuple[str, ...] = ()
    """Keys that then open one, which keeps the theme that it was opened in."""


SCENES = {
    "grid": Scene(lambda: job(4096, MANY), ("space", "right", "space")),
    "matrix": Scene(lambda: progress_scripts.recorder_job(progress_scripts.stopped_job(), {3: "stopped", 5: "dead"})),
    "under way": Scene(lambda: [*job(64), *look(2, 64, silent=[5, 9], closed=False)]),
    "ranks": Scene(lambda: job(16, EVERY_CLASS), ("2", "space", "j", "slash", *"class")),
    "stacks": Scene(
        lambda: stack_job(64, hung(64, loading=[32], gone=[40, 41]), {40: "stopped", 41: "dead"}),
        ("3", "slash", *"loader", "enter", "n"),
    ),
    "stack text": Scene(lambda: stack_job(8, hung(8, loading=[2])), ("3", "v", "tab")),
    "calls": Scene(lambda: recorder_job(stuck(world=64, rank=37)), ("4", "enter", "enter", "s", "down")),
    "recorder json": Scene(lambda: recorder_job(stuck()), ("4", "shift+tab")),
    "counters": Scene(
        lambda: counter_job(64, trained(60, looks=4, waiting=[3, 40], slow=[9]), {61: "stopped"}), ("5", "m", "n")
    ),
    "profiler": Scene(lambda: [*job(8), *captured()], ("6", "down", "space", "enter", "enter")),
    "capturing": Scene(lambda: [*job(8), *under_way()], ("6",)),
    "capture request": Scene(lambda: job(8, MIXED), ("6", "left_square_bracket"), ("c",)),
    "help": Scene(lambda: job(16, MIXED), (), ("question_mark",)),
    "palette": Scene(lambda: job(16, MIXED), (), ("colon", *"lo")),
}


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")


def faint_on(app: App[Any], name: str) -> list[str]:
    """What cannot be read, also where the terminal has 256 colours."""
    pairs = pairs_on(app)
    assert pairs
    fewer = {pair.as_of(ColorSystem.EIGHT_BIT): text for pair, text in pairs.items()}
    said = too_faint(pairs, 7.0 if name == "xpudbg-contrast" else 4.5) + too_faint(fewer)
    return [f"{name}: {one}" for one in said]


async def in_each_theme(app: App[Any], pilot: Pilot[Any], scene: Scene | None = None) -> list[str]:
    faint: list[str] = []
    for name in THEMES:
        app.theme = name
        await pilot.pause()
        if scene is not None and scene.dialog:
            await pilot.press(*scene.dialog)
            await pilot.pause()
            assert app.screen.is_modal
        assert app.screen.styles.background.hex6.lower() == THEMES[name].background or app.screen.is_modal
        faint += faint_on(app, name)
        if app.screen.is_modal:
            await pilot.press("escape")
            await pilot.pause()
    return faint


@pytest.mark.parametrize("name", SCENES)
async def test_a_job(name: str, tmp_path: Path) -> None:
    scene = SCENES[name]
    run = made(scene.script(), tmp_path, target=TARGET, refresh_s=5.0)
    async with run.app.run_test(size=(120, 40), notifications=True) as pilot:
        run.pilot = pilot
        await run.settled()
        await run.press(*scene.keys)
        await run.app.workers.wait_for_complete()
        await run.settled()
        assert await in_each_theme(run.app, pilot, scene) == []


async def test_the_start(tmp_path: Path) -> None:
    run = made([], tmp_path, target=None)
    async with run.app.run_test(size=(80, 24), notifications=True) as pilot:
        run.pilot = pilot
        await run.press(*"head-0:99999", "enter")
        assert await in_each_theme(run.app, pilot) == []


async def test_the_store(tmp_path: Path) -> None:
    run = made(store_job(), tmp_path)
    run.engine.on_store = ScriptedStore(job_keys())
    async with run.app.run_test(size=(120, 40)) as pilot:
        run.pilot = pilot
        await run.settled()
        await run.press("7")
        await run.until(lambda: run.app.session.store.values, "values have been read")
        await run.settled()
        assert await in_each_theme(run.app, pilot) == []


async def test_dispatch(tmp_path: Path) -> None:
    run = made([], tmp_path, target=None, dispatch=START)
    failed = over("a", failing=True, case_id="id-join_shards")
    async with run.app.run_test(size=(120, 40)) as pilot:
        run.pilot = pilot
        await run.say([events.CasesOpened("cases", cases()), *failed, *over("b")])
        await run.press("down", "enter", *["down"] * 4, "enter")
        await run.settled()
        assert await in_each_theme(run.app, pilot) == []


@pytest.mark.parametrize("view", [ResultView.HEAT, ResultView.BEFORE], ids=["heat map", "beside the run before"])
async def test_a_result(view: ResultView) -> None:
    pane = RunResultPane()
    app = Alone(pane)
    async with app.run_test(size=(120, 40)) as pilot:
        pane.show(wave())
        await pilot.pause()
        pane._to_view(view, focus=True)
        await pilot.pause()
        assert await in_each_theme(app, pilot) == []


async def test_a_timeline() -> None:
    pane = TimelinePane()
    app = Alone(pane)
    async with app.run_test(size=(120, 40)) as pilot:
        pane.show(TimedJob(64, 300, {17: 8.0, 40: 3.0}, 2.0, (30.0, 1.0, 1.0), stops={21: 250}).diagnosis())
        pane.focus()
        await pilot.pause()
        assert await in_each_theme(app, pilot) == []
        await pilot.press("x", "plus", "plus")
        assert await in_each_theme(app, pilot) == []
