"""The line of tabs: what stays when it is narrow, what a click chooses."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from xpudbg.tui.widgets.tab_line import TabLabel, TabLine

TABS = [TabLabel("findings", "2"), TabLabel("calls", "1,204/12,000"), TabLabel("JSON")]


class Line(App[None]):
    """Nothing but the line."""

    def __init__(self) -> None:
        super().__init__()
        self.chosen: list[int] = []

    def compose(self) -> ComposeResult:
        yield TabLine()

    def on_tab_line_chosen(self, message: TabLine.Chosen) -> None:
        self.chosen.append(message.place)


@pytest.mark.parametrize(
    ("width", "said"),
    [
        (60, " findings 2 [calls 1,204/12,000] JSON "),
        (36, " findings [calls 1,204/12,000] JSON "),
        (35, " findings [calls] JSON "),
        (15, " fin…[cal… JSO…"),
    ],
)
async def test_counts_go_first_then_names_are_cut(width: int, said: str) -> None:
    app = Line()
    async with app.run_test(size=(width, 3)) as pilot:
        line = app.query_one(TabLine)
        line.show(TABS, 1)
        await pilot.pause()
        assert line.content_shown.plain == said


@pytest.mark.parametrize(("width", "before"), [(60, 1), (15, 0)])
async def test_two_letters_stand_beside_a_name_unless_it_is_cut(width: int, before: int) -> None:
    app = Line()
    async with app.run_test(size=(width, 3)) as pilot:
        line = app.query_one(TabLine)
        line.show(TABS, 1)
        await pilot.pause()
        shown = line.content_shown.plain
        spots = line.jump_spots()
        assert [shown[spot.x : spot.x + 3].strip()[:1] for spot in spots] == ["f", "J"]
        assert [spot.before for spot in spots] == [before, before]
        if before:
            assert [shown[spot.x - 1] for spot in spots[1:]] == ["]"]


async def test_a_click_chooses_the_tab_under_the_mouse() -> None:
    app = Line()
    async with app.run_test(size=(60, 3)) as pilot:
        line = app.query_one(TabLine)
        line.show(TABS, 1)
        await pilot.pause()
        for x in (0, 11, 12, 31, 36, 50):
            await pilot.click(TabLine, offset=(x, 0))
        assert app.chosen == [0, 0, 1, 1, 2]


async def test_names_are_never_markup() -> None:
    app = Line()
    async with app.run_test(size=(60, 3)) as pilot:
        line = app.query_one(TabLine)
        line.show([TabLabel("[b]x[/b]\x1b")], 0)
        await pilot.pause()
        assert line.content_shown.plain == "[[b]x[/b]\\x1b]"
