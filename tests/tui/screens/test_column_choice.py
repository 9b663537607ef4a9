"""The columns of a table in the dialog and by the mouse, and sorting by keys, on several screens; all of it kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.tui.dispatch_running import dispatching
from tests.tui.profile_scripts import captured
from tests.tui.running import Running, running
from tests.tui.scripted import job
from xpudbg.tui.screens.column_choice import ColumnChoice
from xpudbg.tui.widgets.grid_table import GridTable

if TYPE_CHECKING:
    from pathlib import Path

BAR = "vertical_line"


def titles(run: Running, name: str = "ranks") -> list[str]:
    """Titles of the columns that are shown, without their arrows."""
    screen = run.app.base_screen
    assert screen is not None
    table = next(table for table in screen.query(GridTable) if table.table_name == name)
    return [column.key for column in table.layout_of_rows.columns]


def sorts(run: Running) -> list[tuple[str, bool]]:
    return list(run.app.view.sort.sorts)


async def test_columns_and_sorts_are_there_after_the_next_start(tmp_path: Path) -> None:
    async with running(job(8, {3: "stopped"}), tmp_path, size=(120, 30)) as run:
        await run.press("2", "s", "a", BAR)
        assert "9 of 9 columns are shown" in run.text()
        assert isinstance(run.app.screen, ColumnChoice)
        await run.press("j", "j", "space", "J")
        assert "8 of 9 columns are shown" in run.text()
        await run.press("enter")
        assert titles(run) == ["rank", "class", "since", "where", "ping", "stuck", "reason", "address"]
        assert run.lines()[1].startswith("| ")
    async with running(job(8, {3: "stopped"}), tmp_path, size=(120, 30)) as run:
        await run.press("2")
        assert "host" not in titles(run)
        assert sorts(run) == [("class", False), ("host", False)]
        await run.press("A", "A", BAR, "d", "enter")
        assert sorts(run) == [("rank", False)]
        assert "host" in titles(run)
        assert not run.lines()[1].startswith("|")


async def test_left_the_columns_are_as_before(tmp_path: Path) -> None:
    async with running(job(8), tmp_path, size=(120, 30)) as run:
        await run.press("2")
        before = titles(run)
        table = run.app.screen.query_one(GridTable)
        widths = list(table.layout_of_rows.widths)
        await run.press(BAR, "J", "j", "space", "j", "plus", "plus")
        assert titles(run) != before
        await run.press("escape")
        assert titles(run) == before
        assert table.layout_of_rows.widths == widths


async def test_the_last_column_stays(tmp_path: Path) -> None:
    async with running(job(8), tmp_path, size=(120, 30)) as run:
        await run.press("2", BAR, *["space", "j"] * 8, "space")
        assert "1 of 9 columns are shown" in run.text()
        assert "a column at least" in run.text()
        await run.press("enter")
        assert titles(run) == ["address"]


async def test_the_edge_of_a_title_is_dragged_and_double_clicked(tmp_path: Path) -> None:
    async with running(job(8), tmp_path, size=(120, 30)) as run:
        await run.press("2")
        table = run.app.screen.query_one(GridTable)
        layout = table.layout_of_rows
        own = layout.width_of("host")
        edge = edge_of(table, "host")
        await run.pilot.mouse_down(GridTable, offset=(edge, 0))
        await run.pilot.hover(GridTable, offset=(edge + 9, 0))
        await run.pilot.mouse_up(GridTable, offset=(edge + 9, 0))
        await run.until(lambda: layout.width_of("host") == own + 9)
        assert run.app.view.sort.chosen == ()
        await run.pilot.click(GridTable, offset=(edge_of(table, "host"), 0), times=2)
        await run.until(lambda: layout.width_of("host") == own)
        assert run.app.view.sort.chosen == ()


def edge_of(table: GridTable, key: str) -> int:
    layout = table.layout_of_rows
    return next(x for x in range(table.size.width) if (one := layout.edge_at(x, 0)) is not None and one.key == key)


async def test_tables_of_the_profiler(tmp_path: Path) -> None:
    async with running([*job(8), *captured()], tmp_path, size=(120, 30)) as run:
        await run.press("6", "enter", "s", "a", "a", "S")
        sorts = run.app.screen.profiler.state.sort.sorts  # type: ignore[attr-defined]
        assert sorts == (("name", False), ("self", True), ("share", False))
        assert "operator▲1" in run.text()
        await run.press("A", "A", BAR, "space", "enter")
        assert titles(run, "profile_operators")[0] == "self"
        await run.press("tab")
        assert titles(run, "profile_collectives")[0] == "name"


async def test_cases_and_runs(tmp_path: Path) -> None:
    async with dispatching(tmp_path) as run:
        view = run.app.desk.view
        own = view.order()
        await run.press("s", "s")
        assert view.case_sort.sorts == (("name", False),)
        names = [run.app.attachment.console.cases[one].name for one in view.order()]
        assert names == sorted(names)
        await run.press("ctrl+s")
        assert [run.app.attachment.console.cases[one].name for one in view.order()] == names[::-1]
        await run.press("a", "A", "A")
        assert view.order() == own
        await run.press(BAR, "j", "space", "enter")
        assert "name" not in titles(run, "cases")
