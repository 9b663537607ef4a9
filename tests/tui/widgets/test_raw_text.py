"""The raw text."""

from __future__ import annotations

from textual.content import Content

from tests.tui.widgets.painting import Alone
from xpudbg.tui.widgets import raw_text
from xpudbg.tui.widgets.raw_text import RawText


def not_again() -> str:
    raise AssertionError("the text is known")


async def test_text_is_made_plain_and_blank_lines_stay() -> None:
    pane = RawText()
    app = Alone(pane)
    async with app.run_test(size=(60, 12)) as pilot:
        pane.display = True
        pane.show(Content("title"), lambda: "a\x1b[2J\n\n[/b]\r\n\tx", 0, 1)
        await pilot.pause()
        assert [line.rstrip() for line in pane.log_widget.lines] == ["a\\x1b[2J", "", "[/b]", "    x"]


async def test_the_same_text_keeps_its_place_and_another_begins_at_its_top() -> None:
    pane = RawText()
    app = Alone(pane)
    async with app.run_test(size=(60, 12)) as pilot:
        pane.display = True
        await pilot.pause()
        text = "\n".join(map(str, range(100)))
        pane.show(Content("title"), lambda: text, 0, 1)
        await pilot.pause()
        assert pane.log_widget.scroll_offset.y == 0
        pane.log_widget.do_last()
        await pilot.pause()
        end = pane.log_widget.scroll_offset.y
        assert end > 80
        pane.show(Content("title 2"), not_again, 0, 1)
        pane.show(Content("title 3"), lambda: text + "\nmore", 0, 2)
        await pilot.pause()
        assert pane.log_widget.scroll_offset.y == end
        pane.show(Content("title"), lambda: text, 1, 2)
        await pilot.pause()
        assert pane.log_widget.scroll_offset.y == 0


async def test_too_many_lines_are_counted() -> None:
    pane = RawText()
    app = Alone(pane)
    async with app.run_test(size=(60, 12)):
        pane.show(Content("title"), lambda: "x\n" * (raw_text.LINES_LIMIT + 5), 0, 1)
        assert pane.log_widget.lines[-1] == "… 6 more lines; o opens all of them"
        assert pane.log_widget.line_count == raw_text.LINES_LIMIT + 1
