"""What a dialog is about stays visible beside it, and the dialog is no larger than what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.screen import ModalScreen

from tests.tui.recorder_scripts import recorder_job, stuck
from tests.tui.running import running

if TYPE_CHECKING:
    from pathlib import Path

    from textual.geometry import Region

    from tests.tui.running import Running

DIALOGS = {
    "help": ("1", "question_mark"),
    "go to": ("1", "apostrophe"),
    "bundle": ("1", "B"),
    "watch": ("1", "W"),
    "compare": ("1", "C"),
    "export": ("4", "tab", "e"),
    "columns": ("2", "vertical_line"),
}


def box_of(run: Running) -> Region:
    """The dialog without what is behind it."""
    assert isinstance(run.app.screen, ModalScreen)
    return run.app.screen.query_one("#help, #request, #answer").region


@pytest.mark.parametrize(("size", "above"), [((80, 24), 1), ((120, 36), 4), ((200, 50), 4)])
async def test_the_screen_is_seen_behind_every_dialog(tmp_path: Path, size: tuple[int, int], above: int) -> None:
    async with running(recorder_job(stuck(64)), tmp_path, size=size) as run:
        for name, keys in DIALOGS.items():
            await run.press(*keys[:-1])
            before = run.lines()
            await run.press(keys[-1])
            if name == "compare":
                await run.until(lambda: "verdict  hang" in run.text(), "the looks are compared")
                await run.pilot.pause()
            box, lines = box_of(run), run.lines()
            assert above <= box.y, name
            assert box.bottom <= size[1], name
            assert lines[: box.y] == before[: box.y], name
            assert [line[: box.x] for line in lines] == [line[: box.x] for line in before], name
            assert box.x >= 2, name
            await run.press("escape")
            assert not run.app.screen.is_modal, name


async def test_a_dialog_with_a_text_is_as_high_as_the_text(tmp_path: Path) -> None:
    async with running(recorder_job(stuck(8)), tmp_path, size=(200, 50)) as run:
        await run.press("C")
        await run.until(lambda: "verdict  hang" in run.text(), "the looks are compared")
        await run.pilot.pause()
        wide = box_of(run)
        text = run.text()
        assert wide.height < 30
        assert "(job/decode.py:40)." in text, "lines are wrapped in the box that there is"
        await run.pilot.resize_terminal(60, 20)
        await run.until(lambda: box_of(run).height == 16, "four fifths of the terminal")


async def test_the_table_is_seen_whose_columns_are_chosen(tmp_path: Path) -> None:
    async with running(recorder_job(stuck(8)), tmp_path, size=(120, 36)) as run:
        await run.press("2", "vertical_line", "down", "down", "space")
        titles = run.lines()[2].split()
        assert titles[:3] == ["|", "rank", "▲"]
        assert titles[3:5] == ["class", "since"], "the host is hidden at once"
        assert any(line.split()[:1] == ["0"] for line in run.lines()[: box_of(run).y])
