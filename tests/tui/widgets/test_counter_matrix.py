"""The matrix of wait counters, alone."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.fakes.counter_answers import answer, counter, looks
from tests.tui.counter_scripts import trained
from tests.tui.widgets.painting import Alone, line_texts
from xpudbg.services.counters.metrics import Metric
from xpudbg.services.counters.sheet import ACTIVITY, RANK, CounterSheet
from xpudbg.services.ranksets import RankSet
from xpudbg.tui.widgets.counter_layout import CounterLayout, cell_text
from xpudbg.tui.widgets.counter_matrix import CounterMatrix

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from textual.message import Message
    from textual.pilot import Pilot

LOOK = looks(*trained(40, waiting=[3], slow=[5]), apart_s=10)[-1]
SHEET = CounterSheet(LOOK, Metric.TOTAL, RankSet(range(42)))
COLUMNS = SHEET.columns(np.ones(5, np.bool_))
ROWS = SHEET.rows(np.ones(42, np.bool_), COLUMNS, ACTIVITY)


class Watched(CounterMatrix):
    def __init__(self) -> None:
        super().__init__()
        self.said: list[object] = []

    def post_message(self, message: Message) -> bool:
        if isinstance(message, CounterMatrix.Moved):
            self.said.append((message.rank, message.place))
        elif isinstance(message, CounterMatrix.HeaderClicked):
            self.said.append(message.key)
        elif isinstance(message, CounterMatrix.Activated):
            self.said.append("activated")
        return super().post_message(message)


def show(widget: CounterMatrix, cursor: tuple[int | None, int] = (3, 0), **more: object) -> None:
    given: dict[str, object] = {"marked": RankSet([5]), "culprits": RankSet([3]), "missing": {40: "ping: refused"}}
    widget.show(SHEET, ROWS, COLUMNS, cursor, **(given | more))  # type: ignore[arg-type]


@asynccontextmanager
async def shown(size: tuple[int, int] = (60, 12)) -> AsyncIterator[tuple[Watched, Pilot[None]]]:
    widget = Watched()
    async with Alone(widget).run_test(size=size) as pilot:
        show(widget)
        widget.focus()
        await pilot.pause()
        yield widget, pilot


async def test_rows_columns_and_signs() -> None:
    async with shown() as (widget, _):
        head, first, second, *_ = line_texts(widget)
        assert "‹" not in head
        assert head.startswith("  rank   TCPStore__wait  data.next_batch ")
        assert head.endswith("›")
        assert first.startswith("     3 !      5.48 ms >         2.05 s   ")
        assert second.startswith("*    5        5.48 ms           18.8 s  !")


async def test_a_rank_without_counters_says_why_and_one_not_heard_says_so() -> None:
    async with shown() as (widget, pilot):
        await pilot.press("G")
        *_, refused, silent = line_texts(widget)
        assert refused.rstrip() == "    40   ping: refused"
        assert silent.rstrip() == "    41   no answer yet"


async def test_the_cursor_moves_and_says_so_and_scrolls() -> None:
    async with shown() as (widget, pilot):
        await pilot.press("j", "l", "l", "l", "l")
        assert widget.said[-1] == (5, 4)
        assert widget.scroll_offset.x > 0
        assert "‹" in line_texts(widget)[0]
        await pilot.press("pagedown", "pagedown")
        assert widget.scroll_offset.y > 0
        assert any(line.startswith("*") is False and " 20 " in line for line in line_texts(widget))
        await pilot.press("g", "h")
        assert widget.said[-2:] == [(3, 4), (3, 3)]
        said = len(widget.said)
        await pilot.press("k")
        assert len(widget.said) == said


async def test_a_selected_rank_without_counters_does_not_hide_who_waits() -> None:
    widget = Watched()
    async with Alone(widget).run_test(size=(60, 12)) as pilot:
        show(widget, (40, 0))
        await pilot.pause()
        assert line_texts(widget)[1].startswith("     3 !")
        widget.focus()
        await pilot.press("k")
        assert widget.scroll_offset.y > 0


async def test_clicks() -> None:
    async with shown() as (widget, pilot):
        await pilot.click(CounterMatrix, offset=(12, 0))
        await pilot.click(CounterMatrix, offset=(2, 0))
        assert widget.said == [0, RANK]
        await pilot.click(CounterMatrix, offset=(30, 2))
        await pilot.click(CounterMatrix, offset=(30, 2))
        assert widget.said[-2:] == [(5, 1), "activated"]


async def test_what_is_sorted_by_has_an_arrow() -> None:
    async with shown() as (widget, pilot):
        show(widget, sort=(RANK, False))
        await pilot.pause()
        assert line_texts(widget)[0].startswith("  rank▲  TCPStore__wait ")
        show(widget, sort=(int(COLUMNS[1]), True))
        await pilot.pause()
        assert "data.next_batch▲" in line_texts(widget)[0]


async def test_nothing_to_show_says_why() -> None:
    async with shown() as (widget, pilot):
        widget.show(
            SHEET, ROWS[:0], COLUMNS, (3, 0), marked=RankSet(), culprits=RankSet(), missing={}, empty="Nothing here."
        )
        await pilot.pause()
        assert line_texts(widget)[1].strip() == "Nothing here."
        await pilot.press("j", "l", "G")
        assert widget.said == []


async def test_the_line_of_the_cursor_stays_where_it_is_when_the_order_changes() -> None:
    async with shown() as (widget, pilot):
        await pilot.press(*"jjjjj")
        at = widget._line - widget.scroll_offset.y
        rank = widget._rank
        turned = SHEET.rows(np.ones(42, np.bool_), COLUMNS, RANK, descending=True)
        widget.show(SHEET, turned, COLUMNS, (rank, 0), marked=RankSet(), culprits=RankSet(), missing={})
        await pilot.pause()
        assert widget._line - widget.scroll_offset.y == at


@pytest.mark.parametrize(
    ("said", "text", "component"),
    [
        (counter(0, 0), "       . ", "faint"),
        (counter(2, 9_000), " 9.00 ms >!", "active"),
        ({"active_count": 1}, "       ? > ", "faint"),
        ({}, " " * 11, "faint"),
        (counter(0, -5), "   -5 µs", "value"),
    ],
    ids=["none", "waits", "not known but waits", "not known", "negative"],
)
def test_a_cell(said: dict[str, int], text: str, component: str) -> None:
    others = {rank: answer(x=counter(0, 100 if component == "value" else 5)) for rank in range(1, 9)}
    made = CounterSheet(looks({0: answer(x=said)} | others)[-1], Metric.TOTAL, RankSet(range(9)))
    written, name = cell_text(made, 0, 0, 11)
    assert written.rstrip() == text.rstrip()
    assert len(written) == 11
    assert name == f"counters--{component}"


def test_hostile_names_are_plain_and_cut() -> None:
    name = "\x1b[31m[bold]節" + "x" * 500
    made = CounterSheet(looks({0: {name: counter(1)}})[-1], Metric.ACTIVE, RankSet([0]))
    layout = CounterLayout(made, np.array([0]))
    assert "\x1b" not in layout.titles[0]
    assert layout.widths[0] <= 20
