"""Screen 2, by keys and mouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.widgets import Input

from tests.tui.running import Running, running
from tests.tui.scripted import NOW, job, look, opened
from xpudbg.services import events
from xpudbg.services.ranksets import RankSet
from xpudbg.tui.widgets.grid_table import GridTable

if TYPE_CHECKING:
    from pathlib import Path


def rows(run: Running) -> list[str]:
    """The lines of the table that show a rank."""
    table = run.app.screen.query_one(GridTable)
    return [text for y in range(1, table.size.height) if (text := table.render_line(y).text.strip())]


def first_ranks(run: Running, count: int) -> list[int]:
    return [int(line.removeprefix("*").split()[0]) for line in rows(run)[:count]]


@pytest.mark.parametrize(
    ("count", "size"), [(4, (80, 24)), (4, (250, 70)), (256, (80, 24)), (256, (120, 40)), (4096, (120, 40))]
)
async def test_one_row_a_rank(tmp_path: Path, size: tuple[int, int], count: int) -> None:
    async with running(job(count, {3: "stopped"}), tmp_path, size=size) as run:
        await run.press("2", "g")
        table = run.app.screen.query_one(GridTable)
        assert first_ranks(run, 4) == [0, 1, 2, 3]
        assert "S stopped" in rows(run)[3]
        assert table.virtual_size.height == count + 1
        await run.press("G")
        assert rows(run)[-1].split()[0] == str(count - 1)
        assert run.app.session.selected == count - 1


async def test_sorting_by_keys(tmp_path: Path) -> None:
    async with running(job(64, {3: "stopped", 40: "dead"}), tmp_path, size=(120, 40)) as run:
        await run.press("2", "s")
        assert first_ranks(run, 3) == [40, 3, 0]
        assert "class ▲" in run.text()
        await run.press("S")
        assert "class ▼" in run.text()
        assert run.app.view.sort.sorts[-1][1]


async def test_sorting_by_the_mouse(tmp_path: Path) -> None:
    async with running(job(64, {3: "stopped", 40: "dead"}), tmp_path, size=(120, 40)) as run:
        await run.press("2")
        table = run.app.screen.query_one(GridTable)
        x = table.render_line(0).text.index("class")
        await run.pilot.click(GridTable, offset=(x, 0))
        await run.until(lambda: "class ▲" in run.text())
        await run.pilot.click(GridTable, offset=(x, 0))
        await run.until(lambda: "class ▼" in run.text())


async def test_the_filter_is_live_and_escape_takes_it_away(tmp_path: Path) -> None:
    async with running(job(256, {3: "stopped", 200: "stopped"}), tmp_path, size=(120, 40)) as run:
        await run.press("2", "slash", *"class:stop")
        assert first_ranks(run, 9) == [3, 200]
        assert "2 of 256 ranks" in run.text()
        await run.press("enter", "j")
        assert run.app.session.selected == 200
        await run.press("n")
        assert run.app.session.selected == 3
        await run.press("1")
        assert "2 of 256 ranks" in run.text()
        await run.press("2", "escape")
        assert len(rows(run)) > 2
        assert "of 256 ranks" not in run.text()


async def test_a_bad_filter_says_what_is_wrong_and_changes_nothing(tmp_path: Path) -> None:
    async with running(job(16), tmp_path, size=(120, 40)) as run:
        await run.press("2", "slash", *"rank:2-4")
        await run.press(*" grp:x")
        assert "grp: is no field" in run.text()
        assert first_ranks(run, 9) == [2, 3, 4]
        await run.press("escape")
        assert len(rows(run)) == 16


async def test_keys_typed_ahead_go_into_the_filter(tmp_path: Path) -> None:
    async with running(job(16), tmp_path) as run:
        run.clock.now = NOW
        await run.press("2")
        for key in ("slash", *"rank:3/5"):
            run.app.simulate_key(key)
        await run.until(lambda: run.app.screen.query_one(Input).value == "rank:3/5")
        assert run.engine.told("look") == 0


async def test_no_match_is_said(tmp_path: Path) -> None:
    async with running(job(16), tmp_path) as run:
        await run.press("2", "slash", *"zzz", "enter")
        assert "No rank matches the filter" in run.text()
        await run.press("n")
        await run.until(lambda: "no rank matches" in run.text())


async def test_marks(tmp_path: Path) -> None:
    async with running(job(16), tmp_path) as run:
        await run.press("2", "space", "j", "j", "space")
        assert run.app.session.marked == RankSet([0, 2])
        assert [line.startswith("*") for line in rows(run)[:3]] == [True, False, True]
        run.app.perform("unmark_all")
        assert not run.app.session.marked
        await run.press("slash", *"rank:4-7", "enter")
        run.app.perform("mark_shown")
        assert run.app.session.marked == RankSet(range(4, 8))


async def test_one_selection_for_all_screens(tmp_path: Path) -> None:
    async with running(job(64), tmp_path) as run:
        await run.press("right", "right", "2", "j", "1")
        assert run.app.session.selected == 3
        assert "rank 3" in run.text()


async def test_refresh_keeps_selection_scroll_marks_and_sort(tmp_path: Path) -> None:
    async with running(job(256, {3: "stopped"}), tmp_path) as run:
        await run.press("2", "G", "up", "up", "space")
        table = run.app.screen.query_one(GridTable)
        selected, scroll = run.app.session.selected, table.scroll_offset
        await run.say(look(2, 256, {3: "stopped", 77: "dead"}))
        assert run.app.session.selected == selected
        assert table.scroll_offset == scroll
        assert run.app.session.marked == RankSet([253])
        await run.say([opened(256), *look(3, 256)])
        assert run.app.session.selected == selected
        assert table.scroll_offset == scroll


async def test_copying_the_row(tmp_path: Path) -> None:
    async with running(job(16, {3: "stopped"}), tmp_path) as run:
        await run.press("2", "y")
        assert run.app.clipboard.startswith("rank 3  class S stopped  host node-000")
        await run.until(lambda: "sent the row of rank 3, " in run.text())


async def test_without_ranks_it_says_why(tmp_path: Path) -> None:
    async with running([events.TargetOpening("store")], tmp_path) as run:
        await run.press("2")
        assert "Opening the target" in run.text()
        await run.press("s")
        await run.until(lambda: "not now: no rank is known yet" in run.text())


async def test_the_column_sorted_by_comes_into_view(tmp_path: Path) -> None:
    async with running(job(16, {3: "stopped"}), tmp_path) as run:
        await run.press("2")
        for title in ("class", "host", "since", "where", "ping ms", "stuck", "reason", "address", "rank"):
            await run.press("s")
            assert f"{title} ▲" in run.text()
