"""The stack of one rank."""

from __future__ import annotations

from tests.tui.widgets.painting import Alone, line_texts
from xpudbg.services.session import Session
from xpudbg.services.stacks.model import Frame, StackDump, StackSource, ThreadStack
from xpudbg.tui.stacks.view import StackView
from xpudbg.tui.widgets.stack_table import StackTable

A, B, C, D = (Frame(name, f"/{name}.py", 1) for name in "abcd")


def dump(*stacks: tuple[Frame, ...]) -> StackDump:
    return StackDump(StackSource.FAULTHANDLER, tuple(ThreadStack("1", one) for one in stacks), len(stacks) - 1)


def on(table: StackTable) -> Frame | None:
    return table.frame


def said(table: StackTable) -> list[str]:
    return [" ".join(text.split()[:2]) for text in line_texts(table)[1:] if text.strip()]


async def test_the_cursor_stays_on_its_frame_and_begins_at_the_innermost() -> None:
    table, view = StackTable(), StackView(Session())
    async with Alone(table).run_test(size=(60, 12)):
        table.show_rank(dump((C,), (B, A)), (), view, (), "")
        assert on(table) == B
        assert table.path == (A, B)
        table.do_down()
        table.show_rank(dump((C, C), (B, A)), (), view, (), "")
        assert on(table) == A
        table.show_rank(dump((D, A)), (), view, (), "")
        assert on(table) == D
        assert list(table.whole) == [D, A]
        table.show_rank(None, (), view, (), "No stack of rank 3: refused")
        assert on(table) is None
        assert not table.whole
        assert "No stack of rank 3: refused" in "".join(line_texts(table))


async def test_going_to_a_frame_opens_its_thread() -> None:
    table, view = StackTable(), StackView(Session())
    async with Alone(table).run_test(size=(60, 12)):
        table.show_rank(dump((D, C), (B, A)), (), view, (), "")
        assert said(table) == ["▼ main", "b b.py:1", "a a.py:1", "▶ 1"]
        table.go_to((C, D))
        assert on(table) == D
        assert said(table)[-3:] == ["▼ 1", "d d.py:1", "c c.py:1"]
        table.go_to((B,))
        assert on(table) == D
        table.go_to((A,))
        assert on(table) == A
        table.turn()
        assert on(table) is None
        assert said(table)[:2] == ["▶ main", "▼ 1"]
        table.turn()
        assert said(table)[1] == "b b.py:1"
