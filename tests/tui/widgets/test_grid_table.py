"""The virtual table: strips, cursor, marks, scrolling, what is painted again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from rich.cells import cell_len

from tests.tui.widgets.painting import Alone, line_texts
from xpudbg.tui.widgets.grid_table import GridTable
from xpudbg.tui.widgets.table_layout import Cell, Column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.geometry import Region

HOSTILE = "[/x] \x1b[31m\u202e節点\ud800"


class Rows:
    """Numbers with their squares, and a text."""

    columns: Sequence[Column] = (
        Column("n", "n", "right", max_width=9),
        Column("square", "square", "right", max_width=12),
        Column("text", "text", max_width=20),
    )

    def __init__(self, size: int, text: str = "text", shift: int = 0) -> None:
        self.size, self.text, self.shift = size, text, shift
        self.asked: set[int] = set()

    def cell(self, row: int, column: int) -> Cell:
        self.asked.add(row)
        return (str(row), str(row * row + self.shift), f"{self.text} {row}")[column], ""

    def order(self) -> np.ndarray[Any, np.dtype[np.intp]]:
        return np.arange(self.size, dtype=np.intp)


async def test_rows_are_aligned_and_as_wide_as_the_widget() -> None:
    table, rows = GridTable(), Rows(100)
    async with Alone(table).run_test(size=(40, 10)) as pilot:
        table.show(rows, rows.order(), cursor=2, marked={1})
        await pilot.pause()
        lines = line_texts(table)
        assert [cell_len(line) for line in lines] == [table.scrollable_content_region.width] * 10
        assert lines[0].split() == ["n", "square", "text"]
        assert lines[1].split() == ["0", "0", "text", "0"]
        assert lines[2].split() == ["*", "1", "1", "text", "1"]
        assert lines[3].index("4") == lines[0].index("square") + 5


@pytest.mark.parametrize("text", [HOSTILE, "節点" * 30, "e\u0301" * 30, "\t\n", "x" * 5000])
async def test_any_text_keeps_the_width_and_holds_no_control(text: str) -> None:
    table, rows = GridTable(), Rows(30, text)
    async with Alone(table).run_test(size=(33, 8)) as pilot:
        table.show(rows, rows.order(), cursor=0)
        await pilot.pause()
        for shift in (0, 8):
            table.scroll_to(x=shift, animate=False, immediate=True)
            for line in line_texts(table):
                assert cell_len(line) == table.scrollable_content_region.width
                assert line.isprintable()


async def test_only_a_sample_and_what_is_seen_is_formatted() -> None:
    table, rows = GridTable(), Rows(1_000_000)
    async with Alone(table).run_test(size=(60, 20)) as pilot:
        table.show(rows, rows.order(), cursor=0)
        await pilot.press("end")
        await pilot.pause()
        assert "999999" in line_texts(table)[-1]
        assert len(rows.asked) < 400


async def test_keys_move_the_cursor_and_tell() -> None:
    table, rows = GridTable(), Rows(50)
    app = Alone(table)
    async with app.run_test(size=(60, 11)) as pilot:
        table.show(rows, rows.order(), cursor=0)
        table.focus()
        await pilot.press("j", "down", "k", "pagedown", "up")
        await pilot.pause()
        moved = [message.row for message in app.messages if isinstance(message, GridTable.Selected)]
        assert moved == [1, 2, 1, 11, 10]
        await pilot.press("G", "down")
        assert table.cursor == 49
        await pilot.press("g", "up")
        assert table.cursor == 0
        assert table.scroll_offset.y == 0


async def test_the_cursor_keeps_its_row_and_its_line_when_the_order_changes() -> None:
    table, rows = GridTable(), Rows(200)
    async with Alone(table).run_test(size=(60, 11)) as pilot:
        table.show(rows, rows.order(), cursor=100)
        await pilot.pause()
        line = next(y for y, text in enumerate(line_texts(table)) if text.split()[0] == "100")
        table.show(rows, rows.order()[::-1].copy(), cursor=100)
        await pilot.pause()
        assert line_texts(table)[line].split()[0] == "100"
        assert table.cursor == 100


async def test_a_cursor_that_is_not_shown_is_none_until_it_is() -> None:
    table, rows = GridTable(), Rows(20)
    async with Alone(table).run_test(size=(60, 11)) as pilot:
        table.show(rows, rows.order()[:5], cursor=9)
        await pilot.pause()
        assert table.cursor is None
        table.show(rows, rows.order(), cursor=9)
        assert table.cursor == 9


async def test_what_looks_the_same_is_not_painted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    table, rows = GridTable(), Rows(200)
    async with Alone(table).run_test(size=(60, 11)) as pilot:
        table.show(rows, rows.order(), cursor=3)
        await pilot.pause()
        painted: list[tuple[Region, ...]] = []
        monkeypatch.setattr(table, "refresh", lambda *regions, **_: painted.append(regions))
        table.show(Rows(200), rows.order(), cursor=3)
        assert painted == []
        table.show(Rows(200), rows.order(), cursor=3, marked={4, 150})
        assert [region.y for regions in painted for region in regions] == [5]
        painted.clear()
        table.show(Rows(200, shift=1), rows.order(), cursor=3, marked={4, 150})
        assert len(painted) == 10


async def test_sideways_the_first_column_stays() -> None:
    table, rows = GridTable(), Rows(20, "a long text that does not fit")
    async with Alone(table).run_test(size=(30, 6)) as pilot:
        table.show(rows, rows.order(), cursor=0)
        table.focus()
        await pilot.pause()
        assert line_texts(table)[0].rstrip().endswith("›")
        await pilot.press("l")
        await pilot.pause()
        assert table.scroll_offset.x == 8
        assert line_texts(table)[4].split()[0] == "3"
        assert not line_texts(table)[0].split()[1].startswith("square")
        await pilot.press("h")
        await pilot.pause()
        assert table.scroll_offset.x == 0


async def test_the_mouse_selects_sorts_and_opens() -> None:
    table, rows = GridTable(), Rows(50)
    app = Alone(table)
    async with app.run_test(size=(60, 11)) as pilot:
        table.show(rows, rows.order(), cursor=0)
        await pilot.pause()
        await pilot.click(GridTable, offset=(10, 4))
        assert table.cursor == 3
        await pilot.click(GridTable, offset=(2 + 3, 0))
        await pilot.click(GridTable, offset=(10, 5), times=2)
        await pilot.pause()
        assert [message.key for message in app.messages if isinstance(message, GridTable.HeaderClicked)] == ["n"]
        assert [message.row for message in app.messages if isinstance(message, GridTable.Activated)] == [4]


async def test_several_columns_sorted_by_are_numbered() -> None:
    table, rows = GridTable(), Rows(20)
    app = Alone(table)
    async with app.run_test(size=(60, 6)) as pilot:
        table.show(rows, rows.order(), cursor=0, sorts=(("square", True),))
        await pilot.pause()
        assert line_texts(table)[0].split() == ["n", "square", "▼", "text"]
        table.show(rows, rows.order(), cursor=0, sorts=(("text", False), ("n", True)))
        assert line_texts(table)[0].split() == ["n▼2", "square", "text▲1"]
        await pilot.click(GridTable, offset=(2, 0), shift=True)
        await pilot.click(GridTable, offset=(2, 0), control=True)
        await pilot.click(GridTable, offset=(2, 0))
        clicks = [message.also for message in app.messages if isinstance(message, GridTable.HeaderClicked)]
        assert clicks == [True, True, False]


async def test_the_same_source_in_the_same_order_is_not_measured_again() -> None:
    table, rows = GridTable(), Rows(1_000)
    async with Alone(table).run_test(size=(60, 11)) as pilot:
        order = rows.order()
        table.show(rows, order, cursor=3)
        await pilot.pause()
        rows.asked.clear()
        table.show(rows, order, cursor=4)
        await pilot.pause()
        assert not rows.asked
        table.show(rows, order[::-1].copy(), cursor=4)
        assert max(rows.asked) > 900


async def test_an_empty_table_says_why() -> None:
    table, rows = GridTable(), Rows(0)
    async with Alone(table).run_test(size=(60, 6)) as pilot:
        table.show(rows, rows.order(), cursor=None, empty="nothing [b]here\x1b")
        await pilot.pause()
        assert line_texts(table)[2].strip() == "nothing [b]here\\x1b"
        await pilot.press("down", "end")
        assert table.cursor is None
