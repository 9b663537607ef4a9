"""The rank grid: strips, cursor, mouse, what is painted again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len

from tests.tui.scripted import job
from tests.tui.widgets.painting import Alone, line_texts
from xpudbg.services.ranksets import RankSet
from xpudbg.services.session import Session
from xpudbg.services.snapshot import RankClass
from xpudbg.tui.widgets.rank_grid import RankGrid

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.geometry import Region

    from xpudbg.services.snapshot import RankState


def ranks(size: int, sick: Mapping[int, str] | None = None) -> dict[int, RankState]:
    session = Session()
    for event in job(size, sick):
        session.apply(event)
    return dict(session.ranks)


@pytest.mark.parametrize("size", [(80, 12), (120, 30), (250, 60), (20, 5), (7, 3)])
@pytest.mark.parametrize("count", [1, 4, 256, 4096])
async def test_lines_are_as_wide_as_the_widget(count: int, size: tuple[int, int]) -> None:
    grid = RankGrid()
    async with Alone(grid).run_test(size=size) as pilot:
        grid.show(ranks(count), 0, RankSet([0]), None)
        await pilot.pause()
        assert {cell_len(line) for line in line_texts(grid)} == {grid.scrollable_content_region.width}


async def test_each_class_has_its_sign() -> None:
    grid = RankGrid()
    async with Alone(grid).run_test(size=(80, 12)) as pilot:
        grid.show(ranks(8, {1: "dead", 3: "stopped", 6: "gil_held"}), 0, RankSet(), None)
        await pilot.pause()
        assert line_texts(grid)[0].split() == [*"0o1X2o3S4o5o6G7o"]


async def test_accused_ranks_are_marked_and_the_mark_goes() -> None:
    grid = RankGrid()
    async with Alone(grid).run_test(size=(80, 12)) as pilot:
        for accused, cells in ((RankSet([0, 3]), "0!o 1 o 2 o 3!o"), (RankSet([2]), "0 o 1 o 2!o 3 o")):
            grid.show(ranks(4), 0, RankSet(), None, accused)
            await pilot.pause()
            assert line_texts(grid)[0].split() == cells.split()
        grid.show(ranks(2000), 0, RankSet(), None, RankSet([2]))
        await pilot.pause()
        assert line_texts(grid)[0].split()[1] == "oo!ooooo"


async def test_hosts_with_hostile_names() -> None:
    grid = RankGrid()
    table = {
        rank: replace(state, address=replace(state.address, host=f"[/x]\x1b[31m節{rank // 4}"))
        for rank, state in ranks(8).items()
    }
    async with Alone(grid).run_test(size=(80, 12)) as pilot:
        grid.show(table, 0, RankSet(), None)
        await pilot.pause()
        lines = line_texts(grid)
        assert lines[0].startswith("[/x]\\x1b[31m節0")
        assert {cell_len(line) for line in lines} == {80}


async def test_keys_walk_the_grid() -> None:
    grid = RankGrid()
    app = Alone(grid)
    async with app.run_test(size=(100, 20)) as pilot:
        grid.show(ranks(64), 0, RankSet(), None)
        grid.focus()
        await pilot.press("l", "right", "h", "j", "down", "k", "G", "right", "g", "left", "up")
        await pilot.pause()
        walked = [message.rank for message in app.messages if isinstance(message, RankGrid.Selected)]
        assert walked[:3] == [1, 2, 1]
        assert walked[3] > 1
        assert walked[-2:] == [63, 0]


async def test_the_cursor_is_scrolled_into_view() -> None:
    grid = RankGrid()
    async with Alone(grid).run_test(size=(76, 8)) as pilot:
        table = ranks(4096)
        grid.show(table, 0, RankSet(), None)
        await pilot.pause()
        grid.show(table, 4000, RankSet(), None)
        await pilot.pause()
        assert grid.scroll_offset.y > 50
        offset = grid.scroll_offset.y
        grid.show(table, 4000, RankSet(), None)
        assert grid.scroll_offset.y == offset


async def test_the_mouse_selects_and_opens() -> None:
    grid = RankGrid()
    app = Alone(grid)
    async with app.run_test(size=(80, 12)) as pilot:
        grid.show(ranks(8), 0, RankSet(), None)
        await pilot.pause()
        x = line_texts(grid)[0].index("3 o")
        await pilot.click(RankGrid, offset=(x, 0), times=2)
        await pilot.click(RankGrid, offset=(70, 9))
        await pilot.pause()
        assert [type(message).__name__ for message in app.messages] == ["Selected", "Activated"]
        assert app.messages[-1].rank == 3  # type: ignore[attr-defined]


async def test_only_lines_that_changed_are_painted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    grid = RankGrid()
    async with Alone(grid).run_test(size=(76, 20)) as pilot:
        table = ranks(1024)
        grid.show(table, 0, RankSet(), None)
        await pilot.pause()
        painted: list[Region] = []
        monkeypatch.setattr(grid, "refresh", lambda *regions, **_: painted.extend(regions))
        grid.show(dict(table), 0, RankSet(), None)
        assert painted == []
        table[60] = replace(table[60], rank_class=RankClass.DEAD)
        grid.show(table, 0, RankSet(), None)
        assert [region.y for region in painted] == [60 // 56]
        painted.clear()
        grid.show(table, 0, RankSet(), RankSet(range(56)))

        assert len(painted) == 18
