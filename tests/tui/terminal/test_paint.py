"""The application paints for the terminal that it is on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xpudbg.tui.terminal.kind import Colours, TerminalKind
from xpudbg.tui.terminal.paint import TerminalPaint
from xpudbg.tui.themes import THEMES

from ..running import running
from ..scripted import job

if TYPE_CHECKING:
    from pathlib import Path


def variables(name: str) -> dict[str, str]:
    theme = THEMES[name]
    return {**theme.to_color_system().generate(), **theme.variables}


def test_nothing_is_done_where_the_terminal_shows_everything() -> None:
    assert TerminalPaint(TerminalKind()).filters(variables("xpudbg-dark")) == []


def test_filters_are_made_anew_for_another_theme_alone() -> None:
    paint = TerminalPaint(TerminalKind(ascii=True, colours=Colours.FEW))
    dark = paint.filters(variables("xpudbg-dark"))
    assert paint.filters(variables("xpudbg-dark")) == dark
    light = paint.filters(variables("xpudbg-light"))
    assert light[0] is not dark[0]
    assert light[1] is dark[1]


async def test_a_theme_chosen_while_colours_are_few(tmp_path: Path) -> None:
    async with running(job(8, {3: "stopped"}), tmp_path) as run:
        run.app.paint_for(TerminalKind(ascii=True, colours=Colours.FEW))
        papers = []
        for name in ("xpudbg-dark", "xpudbg-light"):
            run.app.theme = name
            await run.settled()
            (segment, *_) = run.app.screen._compositor.render_strips()[0]
            assert segment.style is not None
            assert segment.style.bgcolor is not None
            papers.append(segment.style.bgcolor.number)
        assert papers == [0, 15]
        assert run.text().isascii()


async def test_the_screen_is_sent_again_on_demand(tmp_path: Path) -> None:
    async with running(job(8), tmp_path) as run:
        await run.press("ctrl+l")
        assert "8 ranks" in run.text()
