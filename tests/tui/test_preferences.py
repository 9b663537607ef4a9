"""The screens with settings: other keys, their names everywhere, colours, what is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.settings.recent import RecentTargets
from xpudbg.services.settings.shape import Settings
from xpudbg.services.settings.sources import CONFIG_VARIABLE, Loaded, load_settings
from xpudbg.services.settings.state import Remembered, StateFile
from xpudbg.tui.app import XpudbgApp
from xpudbg.tui.keys.keymap import Keymap, current_keymap, use_keymap
from xpudbg.tui.preferences import Preferences

from .running import TARGET, Clock, Running
from .scripted import ScriptedEngine, job


def loaded(text: str, folder: Path, **env: str) -> Loaded:
    path = folder / "config.toml"
    path.write_text(text)
    return load_settings({CONFIG_VARIABLE: str(path), **env})


def made(settings: Loaded, folder: Path) -> Running:
    engine, clock = ScriptedEngine(job(8)), Clock()
    recent = RecentTargets(folder / "state.json")
    app = XpudbgApp(engine, TARGET, AttachOptions(), env={}, recent=recent, clock=clock, settings=settings)  # type: ignore[arg-type]
    return Running(app, engine, clock)


async def test_keys_of_the_settings_work_and_are_shown(tmp_path: Path) -> None:
    run = made(loaded('[keys]\nlook = ["f5"]\nhelp = "f1"\nunmark_all = "f6"\nmark = "f7"\n', tmp_path), tmp_path)
    async with run.app.run_test(size=(100, 200), notifications=True) as pilot:
        run.pilot = pilot
        await run.settled()
        assert "f5 look again" in run.text()
        assert " r look again" not in run.text()
        looks = run.engine.calls.count(("look", None))
        await run.press("r")
        assert run.engine.calls.count(("look", None)) == looks
        await run.press("f5")
        assert run.engine.calls.count(("look", None)) == looks + 1
        await run.press("f7")
        assert len(run.app.session.marked) == 1
        await run.press("f6")  # an action that has no key otherwise
        assert not run.app.session.marked
        await run.press("f1")
        assert "f6" in run.text()
        assert "f5 " in run.text()


async def test_what_is_wrong_is_told_and_the_rest_holds(tmp_path: Path) -> None:
    text = 'refresh = 7\nthem = "x"\n[keys]\nlook = "y"\n'
    run = made(loaded(text, tmp_path), tmp_path)
    assert run.app.attachment.refresh_s == 7.0
    async with run.app.run_test(size=(120, 30), notifications=True) as pilot:
        run.pilot = pilot
        await run.settled()
        said = [one.message for one in run.app._notifications]
        assert any("line 2: them is no setting" in one and "(and more:" in one for one in said)


async def test_the_theme_chosen_last_is_remembered(tmp_path: Path) -> None:
    run = made(Loaded(), tmp_path)
    usual = run.app.theme
    async with run.app.run_test() as pilot:
        run.pilot = pilot
        run.app.theme = "nord"
        await pilot.pause()
    assert Remembered(StateFile(tmp_path / "state.json")).theme == "nord"
    assert made(Loaded(), tmp_path).app.theme == "nord"
    assert made(loaded('theme = "gruvbox"', tmp_path), tmp_path).app.theme == "gruvbox"
    assert made(loaded("", tmp_path, XPUDBG_THEME="dracula"), tmp_path).app.theme == "dracula"
    assert usual != "nord"


def preferences(settings: Loaded, folder: Path) -> Preferences:
    return Preferences(settings, Remembered(StateFile(folder / "state.json")))


def test_a_theme_that_there_is_not_is_told(tmp_path: Path) -> None:
    made = preferences(loaded('\ntheme = "drak"', tmp_path), tmp_path)
    assert made.theme({"dark"}) is None
    assert "line 2: theme: there is none called 'drak'; did you mean dark?" in made.told()


def test_a_choice_on_the_screen_that_the_settings_will_undo_is_said(tmp_path: Path) -> None:
    made = preferences(loaded('theme = "dark"', tmp_path), tmp_path)
    assert made.keep_theme("dark") == ""
    assert made.keep_theme("light") == "for now only: config.toml:1 says theme = 'dark'"


def test_the_interval_is_none_where_it_is_nought(tmp_path: Path) -> None:
    assert preferences(Loaded(), tmp_path).refresh_s is None
    assert preferences(Loaded(Settings(refresh=5.0)), tmp_path).refresh_s == 5.0


@pytest.fixture(autouse=True)
def usual_keys() -> None:
    use_keymap(Keymap())
    assert current_keymap().changed == {}
