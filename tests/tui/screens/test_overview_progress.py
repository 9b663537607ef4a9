"""The progress matrix on screen 1: its place at each size, keys and mouse, where it leads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.fakes.flight_recorder_jobs import FakeGroup
from tests.tui.progress_scripts import job_of, mesh, recorder_job, stopped_job
from tests.tui.running import running
from tests.tui.scripted import job
from tests.tui.stack_scripts import hung
from xpudbg.services.ranksets import RankSet
from xpudbg.tui.recorder.view import Tab
from xpudbg.tui.screens.overview import OverviewScreen
from xpudbg.tui.widgets.progress_matrix import ProgressMatrix
from xpudbg.tui.widgets.progress_pane import ProgressPane
from xpudbg.tui.widgets.rank_grid import RankGrid
from xpudbg.tui.widgets.verdict_card import VerdictCard

if TYPE_CHECKING:
    from pathlib import Path

    from tests.tui.running import Running


def shown(run: Running) -> tuple[bool, bool]:
    """Whether grid and matrix are on the screen, with room to be read."""
    panes = (run.app.screen.query_one(RankGrid), run.app.screen.query_one(ProgressMatrix))
    grid, matrix = (pane.region.height >= 2 and pane.is_on_screen for pane in panes)
    return grid, matrix


@pytest.mark.parametrize(
    ("size", "at_first", "after_tab"),
    [
        ((80, 24), (True, False), (False, True)),
        ((120, 24), (True, False), (False, True)),
        ((120, 40), (True, True), (True, True)),
        ((200, 60), (True, True), (True, True)),
    ],
)
async def test_its_place(
    tmp_path: Path, size: tuple[int, int], at_first: tuple[bool, bool], after_tab: tuple[bool, bool]
) -> None:
    async with running(recorder_job(stopped_job()), tmp_path, size=size) as run:
        for key, wanted, focused in (
            ("", at_first, RankGrid),
            ("tab", after_tab, ProgressMatrix),
            ("shift+tab", at_first, RankGrid),
        ):
            await run.press(*([key] if key else []))
            assert shown(run) == wanted
            assert isinstance(run.app.focused, focused)
            assert "Rank 9 (node-001, dp2 tp1) has not joined all_reduce #3 of" in run.text()
            assert "refuted if" in run.text()
            assert "rank 9  node-001" in run.text()


async def test_a_matrix_of_few_groups_leaves_the_room_to_the_ranks(tmp_path: Path) -> None:
    async with running(recorder_job(stopped_job()), tmp_path, size=(240, 60)) as run:
        grid, pane = run.app.screen.query_one(RankGrid), run.app.screen.query_one(ProgressPane)
        assert pane.size.width == 84
        assert grid.size.width + pane.size.width > 160


async def test_without_a_recorder_it_takes_no_room(tmp_path: Path) -> None:
    async with running(job(16), tmp_path, size=(120, 40)) as run:
        await run.press("tab")
        await run.until(lambda: "not now: no flight recorder has been read yet" in run.text())
        assert shown(run) == (True, False)
        await run.say(recorder_job(stopped_job()))
        assert shown(run) == (True, True)
        await run.press("tab")
        assert isinstance(run.app.focused, ProgressMatrix)
        await run.say(recorder_job([job_of(mesh(16), 0)]))
        assert shown(run) == (True, False)
        assert run.app.screen.query_one(RankGrid).has_focus


async def test_keys_select_sort_mark_and_filter(tmp_path: Path) -> None:
    async with running(recorder_job(stopped_job()), tmp_path, size=(120, 40)) as run:
        matrix = run.app.screen.query_one(ProgressMatrix)
        await run.press("tab", "j", "l")
        assert run.app.session.selected == 8
        assert "rank 8, held up: call #2 of dp, 1 behind the newest" in run.text()
        await run.press("space")
        assert run.app.session.marked == RankSet([8])
        await run.press("s")
        assert matrix.render_line(1).text.split()[:2] == ["0", "w"]
        assert matrix.render_line(9).text.split()[:3] == ["*", "8", "w"]
        await run.press("S")
        assert matrix.render_line(1).text.split()[:2] == ["15", "w"]
        await run.press("slash", *"rank:8-11", "enter")
        assert isinstance(run.app.focused, ProgressMatrix)
        assert [matrix.render_line(y).text.strip("* ").split()[0] for y in range(1, 5)] == ["11", "10", "9", "8"]
        assert matrix.render_line(5).text.strip() == ""
        await run.press("escape", "s")
        assert matrix.render_line(0).text.split()[:5] == ["rank", "lag", "tp", "dp", "▼"]


async def test_enter_leads_to_the_calls_of_the_rank_in_its_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(recorder_job(stopped_job()), tmp_path, size=(120, 40)) as run:
        asked: list[tuple[int, int, str]] = []
        monkeypatch.setattr(run.app.view.recorder, "jump_to_rank", lambda *where: asked.append(where))
        await run.press("tab", "l", "enter")
        await run.until(lambda: run.app.current_mode == "recorder", "the flight recorder is shown")
        progress = run.app.session.recorder.progress
        cell = progress.cell(9, progress.column_of(("dump_file", "dp")) or 0)
        assert cell is not None
        assert asked == [(9, cell.group.index, "dump_file")]


async def test_a_click_on_a_title_sorts_and_on_a_cell_selects(tmp_path: Path) -> None:
    async with running(recorder_job(stopped_job()), tmp_path, size=(120, 40)) as run:
        matrix = run.app.screen.query_one(ProgressMatrix)
        header = matrix.render_line(0).text
        await run.pilot.click(ProgressMatrix, offset=(header.index("rank"), 0))
        await run.pilot.pause()
        assert matrix.render_line(1).text.split()[0] == "0"
        await run.pilot.click(ProgressMatrix, offset=(header.index("default_pg"), 4))
        await run.pilot.pause()
        assert run.app.session.selected == 3
        assert "rank 3, held up: call #2 of default_pg" in run.text()
        screen = run.app.screen
        assert isinstance(screen, OverviewScreen)
        screen.show_all()
        assert matrix.has_focus


async def test_where_a_rank_is_in_no_group_enter_says_so(tmp_path: Path) -> None:
    groups = [*mesh(16), FakeGroup("77", "extra [/x]", (0, 1, 2, 3))]
    async with running(recorder_job([job_of(groups, 2)]), tmp_path, size=(120, 40)) as run:
        matrix = run.app.screen.query_one(ProgressMatrix)
        columns = [column.title for column in run.app.session.recorder.progress.columns]
        await run.press("tab", "G", *"l" * columns.index("extra [/x]"), "enter")
        await run.until(lambda: "rank 15 is in no group of extra [/x]" in run.text())
        assert run.app.current_mode == "overview"
        assert matrix.has_focus


async def test_a_finding_is_opened_by_a_click_and_leads_to_the_recorder(tmp_path: Path) -> None:
    script = recorder_job(stopped_job(), {3: "dead"}, texts=hung(16, loading=[9], gone=[3]))
    async with running(script, tmp_path, size=(120, 40)) as run:
        found = run.app.session.verdict.findings
        assert len(found) >= 2
        line = next(y for y, text in enumerate(run.lines()) if text.startswith("  also"))
        card = run.app.screen.query_one(VerdictCard)
        await run.pilot.click(VerdictCard, offset=(30, line - card.region.y))
        await run.pilot.pause()
        assert f"finding 2 of {len(found)}" in run.text()
        assert run.app.session.selected == found[1].culprits.first
        await run.press("escape")
        assert "finding 2" not in run.text()
        joined = next(number for number, one in enumerate(found) if one.seq is not None)
        for _ in range(joined + 1):
            await run.press("f")
        await run.press("4")
        await run.until(lambda: run.app.current_mode == "recorder", "the flight recorder is shown")
        assert run.app.view.recorder.tab is Tab.FINDINGS
