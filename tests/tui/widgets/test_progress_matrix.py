"""The progress matrix: lines, cursor, mouse, scrolling, what is painted again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob
from tests.tui.progress_scripts import recorder_looks, stopped_job
from tests.tui.widgets.painting import Alone, line_texts
from xpudbg.services.progress.matrix import LAG, RANK, Progress
from xpudbg.services.ranksets import RankSet
from xpudbg.tui.widgets.progress_matrix import ProgressMatrix

if TYPE_CHECKING:
    from textual.message import Message


class App(Alone):
    def on_progress_matrix_moved(self, message: Message) -> None:
        self.messages.append(message)

    on_progress_matrix_activated = on_progress_matrix_moved
    on_progress_matrix_refused = on_progress_matrix_moved
    on_progress_matrix_header_clicked = on_progress_matrix_moved


@pytest.fixture(scope="module")
def progress() -> Progress:
    """Rank 9 of 16 has not made its third call of tp."""
    return recorder_looks(stopped_job())[-1].progress


@pytest.fixture(scope="module")
def wide() -> Progress:
    """Four ranks in thirty groups, each over two of them: the others are in none of that column."""
    groups = [FakeGroup(str(number), f"group-{number}", (0, 1 + number % 3)) for number in range(30)]
    return recorder_looks([FakeJob(4, groups, [Call(group.name) for group in groups])])[-1].progress


def show(matrix: ProgressMatrix, progress: Progress, rank: int | None = None, column: int = 0, by: int = LAG) -> None:
    marked, culprits, waiting = RankSet([8]), RankSet([9]), RankSet([10])
    order = progress.order(by, first=culprits if by == LAG else None)
    matrix.show(progress, order, (rank, column), marked=marked, culprits=culprits, waiting=waiting, sort=(by, False))


async def test_lines(progress: Progress) -> None:
    matrix = ProgressMatrix()
    async with Alone(matrix).run_test(size=(70, 12)) as pilot:
        show(matrix, progress, 9)
        await pilot.pause()
        lines = line_texts(matrix)
        assert lines[0].split() == ["rank", "lag", "▼", "tp", "dp", "default_pg"]
        assert lines[1].split() == ["9", "!", "1", "━━━━━━", "2", "-1", "_", "2", "-1", "_", "2", "_"]
        assert lines[2].split() == ["*", "8", "1", "━━━━━━", "3", "=", "2", "-1", "_", "2", "_"]
        assert lines[3].split()[:2] == ["10", "w"]
        assert lines[5].split() == ["0", "0", "3", "_", "3", "=", "2", "_"]
        assert {cell_len(line) for line in lines} == {matrix.scrollable_content_region.width}


@pytest.mark.parametrize("size", [(20, 4), (80, 24), (200, 50)])
async def test_lines_are_as_wide_as_the_widget(wide: Progress, size: tuple[int, int]) -> None:
    matrix = ProgressMatrix()
    async with Alone(matrix).run_test(size=size) as pilot:
        for column in (0, 29, 11):
            show(matrix, wide, 0, column)
            await pilot.pause()
            assert {cell_len(line) for line in line_texts(matrix)} == {matrix.scrollable_content_region.width}


async def test_keys_walk_rows_and_columns(progress: Progress) -> None:
    matrix = ProgressMatrix()
    app = App(matrix)
    async with app.run_test(size=(70, 8)) as pilot:
        show(matrix, progress, 9)
        matrix.focus()
        await pilot.press("j", "l", "l", "l", "h", "G", "g", "k", "pagedown", "pageup")
        await pilot.pause()
        walked = [(one.rank, one.column) for one in app.messages if isinstance(one, ProgressMatrix.Moved)]
        assert walked == [(8, 0), (8, 1), (8, 2), (8, 1), (15, 1), (9, 1), (3, 1), (9, 1)]


async def test_enter_leads_to_the_ranks_own_group(progress: Progress, wide: Progress) -> None:
    matrix = ProgressMatrix()
    app = App(matrix)
    async with app.run_test(size=(70, 12)) as pilot:
        show(matrix, progress, 9, 1)
        matrix.do_enter()
        show(matrix, wide, 2, next(n for n, one in enumerate(wide.columns) if one.title == "group-0"))
        matrix.do_enter()
        show(matrix, wide, 77)
        matrix.do_enter()
        await pilot.pause()
        opened, refused = app.messages
        assert isinstance(opened, ProgressMatrix.Activated)
        cell = progress.cell(9, 1)
        assert cell is not None
        assert (opened.rank, opened.group, opened.source) == (9, cell.group.index, "dump_file")
        assert cell.group.ranks == (1, 5, 9, 13)
        assert isinstance(refused, ProgressMatrix.Refused)
        assert (refused.rank, refused.title) == (2, "group-0")


async def test_the_mouse_moves_sorts_and_opens(progress: Progress) -> None:
    matrix = ProgressMatrix()
    app = App(matrix)
    async with app.run_test(size=(70, 12)) as pilot:
        show(matrix, progress, 9)
        await pilot.pause()
        header = line_texts(matrix)[0]
        for title in ("rank", "lag", "dp"):
            await pilot.click(ProgressMatrix, offset=(header.index(title), 0))
        await pilot.click(ProgressMatrix, offset=(header.index("dp"), 2))
        await pilot.click(ProgressMatrix, offset=(header.index("dp"), 3), times=2)
        await pilot.pause()
        keys = [one.key for one in app.messages if isinstance(one, ProgressMatrix.HeaderClicked)]
        assert keys == [RANK, LAG, 1]
        moved = [(one.rank, one.column) for one in app.messages if isinstance(one, ProgressMatrix.Moved)]
        assert moved == [(8, 1), (10, 1)]
        assert [one.rank for one in app.messages if isinstance(one, ProgressMatrix.Activated)] == [10]


async def test_a_click_on_the_cursor_opens(progress: Progress) -> None:
    matrix = ProgressMatrix()
    app = App(matrix)
    async with app.run_test(size=(70, 12)) as pilot:
        show(matrix, progress, 9, 1)
        await pilot.pause()
        await pilot.click(ProgressMatrix, offset=(line_texts(matrix)[0].index("dp"), 1))
        await pilot.pause()
        assert [type(one).__name__ for one in app.messages] == ["Activated"]


async def test_the_cursor_is_scrolled_into_view(wide: Progress, progress: Progress) -> None:
    matrix = ProgressMatrix()
    async with Alone(matrix).run_test(size=(50, 6)) as pilot:
        show(matrix, wide, 0, 29)
        await pilot.pause()
        assert matrix.scroll_offset.x > 100
        line = line_texts(matrix)[0]
        assert wide.columns[29].title in line
        assert line.startswith("  rank")
        assert line[matrix._layout.left - 1] == "‹"
        assert not line.endswith("›")
        show(matrix, progress, 15, 0)
        await pilot.pause()
        assert (matrix.scroll_offset.x, matrix.scroll_offset.y) == (0, 11)
        assert line_texts(matrix)[-1].split()[0] == "15"
        assert "‹" not in line_texts(matrix)[0]


async def test_another_order_keeps_the_cursor_on_its_line(progress: Progress) -> None:
    matrix = ProgressMatrix()
    async with Alone(matrix).run_test(size=(70, 6)) as pilot:
        show(matrix, progress, 12)
        await pilot.pause()
        place = [line.split()[0] for line in line_texts(matrix)].index("12")
        show(matrix, progress, 12, by=RANK)
        await pilot.pause()
        lines = line_texts(matrix)
        assert lines[0].split()[:2] == ["rank▲", "lag"]
        assert [line.split()[0] for line in lines].index("12") == place


async def test_no_row_is_said(progress: Progress) -> None:
    matrix = ProgressMatrix()
    async with Alone(matrix).run_test(size=(70, 6)) as pilot:
        nobody = RankSet()
        order = progress.order(shown=nobody)
        matrix.show(progress, order, (9, 0), marked=nobody, culprits=nobody, waiting=nobody)
        matrix.do_enter()
        matrix.do_down()
        await pilot.pause()
        assert "no rank matches" in line_texts(matrix)[2]


async def test_what_looks_the_same_is_not_painted_again(progress: Progress, monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = ProgressMatrix()
    async with Alone(matrix).run_test(size=(70, 12)) as pilot:
        order, nobody = progress.order(), RankSet()
        matrix.show(progress, order, (9, 0), marked=nobody, culprits=nobody, waiting=nobody)
        await pilot.pause()
        painted: list[object] = []
        monkeypatch.setattr(matrix, "refresh", lambda *_, **__: painted.append(1))
        matrix.show(progress, order, (9, 0), marked=nobody, culprits=nobody, waiting=nobody)
        assert painted == []
        matrix.show(progress, order, (9, 0), marked=RankSet([3]), culprits=nobody, waiting=nobody)
        assert painted == [1]
