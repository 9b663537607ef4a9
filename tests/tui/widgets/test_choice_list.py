"""Lists of choices on terminals that leave them no room."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.widgets import OptionList

from tests.tui.running import running
from tests.tui.scripted import job

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("opener", ["colon", "apostrophe"])
async def test_a_page_of_a_list_without_room_is_no_error(opener: str, tmp_path: Path) -> None:
    async with running(job(4, {1: "dead"}), tmp_path, size=(1, 1)) as run:
        await run.press(opener)
        choices = run.app.screen.query_one(OptionList)
        await run.until(lambda: choices.option_count, "there are choices")
        choices.highlighted = 0
        if choices.focusable:
            choices.focus()
        await run.press("pagedown", "pageup")
        assert not choices.scrollable_content_region
        assert choices.highlighted == 0
