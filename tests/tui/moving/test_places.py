"""Where one is and where Esc leads, on every screen: a step back each time, never out of the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.tui.recorder_scripts import recorder_job, stuck
from tests.tui.running import running
from xpudbg.tui.actions.registry import Scope, actions_in, by_name
from xpudbg.tui.app import XpudbgApp
from xpudbg.tui.moving.places import PLACES
from xpudbg.tui.recorder.spots import Tab
from xpudbg.tui.recorder.view import TabState
from xpudbg.tui.recorder.way import Visit, way_of
from xpudbg.tui.screens.go_request import SCREENS
from xpudbg.tui.screens.job import JobScreen
from xpudbg.tui.widgets.footer import chosen

if TYPE_CHECKING:
    from pathlib import Path


async def test_each_screen_names_itself_and_esc_and_minus_lead_back(tmp_path: Path) -> None:
    async with running(recorder_job(stuck()), tmp_path) as run:
        for number, mode in enumerate(SCREENS, 1):
            await run.press("1") if mode != "overview" else None
            if mode == "store":  # this target has none
                continue
            await run.press(str(number))
            assert run.app.current_mode == mode
            assert f"› {number} {mode}" in run.lines()[0], mode
            footer = run.lines()[-1]
            assert "? keys" in footer, mode
            assert "q quit" in footer, mode
            if mode == "overview":
                continue
            await run.press("escape")
            assert run.app.current_mode == "overview", mode
            await run.press("minus")
            assert run.app.current_mode == mode
            await run.press("minus")
            assert run.app.current_mode == "overview", mode
        for _ in range(20):
            await run.press("escape")
        assert run.app.is_running
        assert "there is no earlier place" in run.text()


@pytest.mark.parametrize(
    ("keys", "step"),
    [
        (("f",), "1 overview › finding 1 of 1"),
        (("3", "v"), "3 stacks › "),
        (("4", "enter"), "4 recorder › findings › collectives"),
        (("6", "tab"), "6 profiler › operators"),
        (("8", "tab"), "8 dispatch › fields"),
    ],
)
async def test_what_was_gone_into_is_named_and_esc_takes_it_away(
    tmp_path: Path, keys: tuple[str, ...], step: str
) -> None:
    async with running(recorder_job(stuck()), tmp_path, size=(120, 30)) as run:
        await run.press(*keys)
        assert f"› {step}" in run.lines()[0]
        mode = run.app.current_mode
        await run.press("escape")
        assert run.app.current_mode == mode
        assert f"› {step}" not in run.lines()[0]


async def test_the_footer_says_where_esc_leads(tmp_path: Path) -> None:
    async with running(recorder_job(stuck()), tmp_path, size=(250, 30)) as run:
        assert "esc back" in run.lines()[-1]
        await run.press("3", "2")
        assert "esc to stacks" in run.lines()[-1]
        await run.press("slash", *"class:alive", "enter")
        assert "esc back" in run.lines()[-1], "first the filter goes"


@pytest.mark.parametrize("place", PLACES, ids=lambda place: "+".join(scope.name for scope in place))
def test_esc_leads_one_step_back_at_every_place(place: tuple[Scope, ...]) -> None:
    """Dialogs and lines to be typed too; nowhere is it the key that quits."""
    assert [action.name for action in actions_in(place) if "escape" in action.keys] != []
    assert "escape" not in by_name["quit"].keys


def visit(tab: Tab, *, outside: bool = False) -> Visit:
    return Visit(tab, "", tab, TabState(), outside)


@pytest.mark.parametrize(
    ("visits", "way"),
    [
        ([], ()),
        ([visit(Tab.FINDINGS)], ("findings", "here")),
        ([visit(Tab.FINDINGS), visit(Tab.COLLECTIVES)], ("findings", "collectives", "here")),
        ([visit(Tab.FINDINGS), visit(Tab.GROUPS, outside=True)], ("here",)),
        ([visit(Tab.JSON, outside=True), visit(Tab.CALLS)], ("calls", "here")),
    ],
)
def test_the_way_begins_where_another_screen_led(visits: list[Visit], way: tuple[str, ...]) -> None:
    assert way_of(visits, "here") == way


@pytest.mark.parametrize("mode", SCREENS)
def test_at_80_columns_the_footer_has_help_and_quit(mode: str) -> None:
    screen = XpudbgApp.MODES[mode]
    assert isinstance(screen, type)
    assert issubclass(screen, JobScreen)
    names = [action.name for action in chosen((*screen.SCOPES, Scope.APP), {}, 78, mode)]
    assert {"help", "quit"} <= set(names)
    assert {"look", "run_case"} & set(names)


@pytest.mark.parametrize("mode", SCREENS)
def test_going_and_jumping_are_known_everywhere(mode: str) -> None:
    screen = XpudbgApp.MODES[mode]
    assert isinstance(screen, type)
    assert issubclass(screen, JobScreen)
    names = {action.name for action in actions_in(screen.SCOPES) if not action.motion}
    assert {"go_to", "jump", "last_place"} <= names
