"""Labels over the places of a screen, and going there by them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.tui.recorder_scripts import recorder_job, stuck
from tests.tui.running import running
from tests.tui.scripted import job
from xpudbg.tui.screens.jump import JumpScreen
from xpudbg.tui.widgets.counter_matrix import CounterMatrix
from xpudbg.tui.widgets.grid_table import GridTable
from xpudbg.tui.widgets.progress_matrix import ProgressMatrix
from xpudbg.tui.widgets.stack_tree import StackTree

if TYPE_CHECKING:
    from pathlib import Path

    from textual.widget import Widget

    from tests.tui.running import Running


async def jump(run: Running, y: int, x: int | None = None) -> None:
    """To the place in a line of the screen, by its label."""
    await run.press("semicolon")
    screen = run.app.screen
    assert isinstance(screen, JumpScreen)
    found = [label for label, place in screen.places.items() if place.y == y and x in (None, place.x)]
    assert found, f"no label in line {y}: {run.lines()[y]}"
    await run.press(*found[0])
    assert not is_jumping(run)


def is_jumping(run: Running) -> bool:
    """Whether there are labels."""
    return isinstance(run.app.screen, JumpScreen)


def line_of(run: Running, text: str) -> int:
    return next(y for y, line in enumerate(run.lines()) if text in line)


def row_of(widget: Widget, line: int) -> int:
    """The line of the screen that a line of a widget is on."""
    return widget.content_region.y + line


async def test_ranks_and_findings_of_the_overview(tmp_path: Path) -> None:
    async with running(recorder_job(stuck()), tmp_path) as run:
        before = run.lines()
        await run.press("semicolon")
        screen = run.app.screen
        assert isinstance(screen, JumpScreen)
        after = run.lines()
        for y, (old, new) in enumerate(zip(before[:-1], after[:-1], strict=True)):
            labels = {place.x for place in screen.places.values() if place.y == y}
            assert all(a == b or x in labels for x, (a, b) in enumerate(zip(old, new, strict=True))), new
        assert "esc stay here" in after[-1]
        await run.press("escape")
        grid = line_of(run, " 0 o  1 o")
        await jump(run, grid, run.lines()[grid].index("3 o"))
        assert run.app.session.selected == 3
        await jump(run, line_of(run, " HANG "))
        assert "finding 1 of 1, critical" in run.text()
        assert run.app.session.selected == 5


@pytest.mark.parametrize("key", ["escape", "q", "1", "enter", "semicolon", "ctrl+l"])
async def test_any_other_key_stays_here(tmp_path: Path, key: str) -> None:
    async with running(job(2), tmp_path) as run:
        await run.press("2", "semicolon")
        assert is_jumping(run)
        selected = run.app.session.selected
        await run.press(key)
        assert not is_jumping(run)
        assert run.app.current_mode == "ranks"
        assert run.app.is_running
        assert run.app.session.selected == selected


async def test_tabs_rows_branches_and_panes(tmp_path: Path) -> None:
    async with running(recorder_job(stuck()), tmp_path) as run:
        await run.press("4")
        tabs = line_of(run, "[findings")
        names = run.lines()[tabs].replace("[", " ").replace("]", " ").split()
        await run.press("semicolon")
        assert isinstance(run.app.screen, JumpScreen)
        labels = {place.x: len(label) for label, place in run.app.screen.places.items() if place.y == tabs}
        shown = run.lines()[tabs]
        beside = "".join(
            " " if any(x <= at < x + size for x, size in labels.items()) else each for at, each in enumerate(shown)
        )
        assert beside.replace("[", " ").replace("]", " ").split() == names, "the names can still be read"
        await run.press("escape")
        groups = run.lines()[tabs].index("groups")
        await jump(run, tabs, next(x for x, size in labels.items() if x + size == groups))
        assert "[groups" in run.lines()[tabs]
        rows = run.app.screen.query_one("#rows", GridTable)
        await jump(run, row_of(rows, 2))
        assert rows.cursor == int(rows._order[1])
        assert rows.has_focus
        await run.press("3")
        tree = run.app.screen.query_one(StackTree)
        await jump(run, row_of(tree, 2))
        assert tree.cursor_line == 2
        places = run.app.screen.query_one("#places", GridTable)
        await jump(run, row_of(places, 0))
        assert places.has_focus
        await jump(run, row_of(places, 1))
        assert run.app.session.selected == 5, "rows of the pane that has the keys now"


async def test_the_matrix_and_the_panes_of_the_dispatch_screen(tmp_path: Path) -> None:
    async with running(recorder_job(stuck()), tmp_path, size=(120, 36)) as run:
        matrix = run.app.screen.query_one(ProgressMatrix)
        await jump(run, row_of(matrix, 0), matrix.content_region.x)
        assert matrix.has_focus
        order = [int(matrix._progress.ranks[row]) for row in matrix._order]
        await jump(run, row_of(matrix, 3), matrix.content_region.x)
        assert run.app.session.selected == order[2]
        await run.press("8")
        fields = run.app.screen.query_one("#fields", GridTable)
        await jump(run, row_of(fields, 0))
        assert fields.has_focus
        assert "› 8 dispatch › fields" in run.lines()[0]


async def test_two_letters_one_after_the_other_or_a_click(tmp_path: Path) -> None:
    async with running(job(64), tmp_path, size=(120, 30)) as run:
        await run.press("2", "semicolon")
        screen = run.app.screen
        assert isinstance(screen, JumpScreen)
        label, place = list(screen.places.items())[-1]
        assert len(label) == 2
        await run.press(label[0])
        assert is_jumping(run), "the first letter leaves those that begin with it"
        assert run.lines()[place.y].startswith(label[0] + label[1].upper())
        await run.press(label[1])
        last = run.app.session.selected
        assert last is not None
        assert last > 15
        await run.press("g", "semicolon")
        await run.pilot.click(offset=(place.x, place.y))
        await run.pilot.pause()
        assert run.app.session.selected == last
        await run.press("semicolon")
        await run.pilot.click(offset=(60, place.y))
        await run.pilot.pause()
        assert not is_jumping(run), "a click beside the letters takes them away"


async def test_letters_typed_at_once_belong_to_the_labels(tmp_path: Path) -> None:
    async with running(job(4), tmp_path) as run:
        await run.press("2", "down")
        assert run.app.session.selected == 1
        await run.pilot.press("semicolon", "a")
        await run.pilot.pause()
        assert run.app.session.selected == 0
        assert run.app.current_mode == "ranks"


async def test_a_terminal_of_another_size_takes_the_letters_away(tmp_path: Path) -> None:
    async with running(job(4), tmp_path) as run:
        await run.press("2", "semicolon")
        await run.pilot.resize_terminal(100, 30)
        await run.until(lambda: not is_jumping(run), "the letters are gone")


def test_the_counter_matrix_has_places_only_with_counters() -> None:
    assert CounterMatrix().jump_spots() == []
