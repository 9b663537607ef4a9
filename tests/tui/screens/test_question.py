"""The question before something that a job can feel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.tui.running import running
from tests.tui.scripted import job
from xpudbg.tui.screens.question import QuestionScreen

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("key", "answer"), [("y", True), ("enter", True), ("n", False), ("escape", False), ("q", False), ("x", None)]
)
async def test_keys_answer(tmp_path: Path, key: str, answer: bool | None) -> None:
    answers: list[bool | None] = []
    async with running(job(4), tmp_path) as run:
        run.app.push_screen(
            QuestionScreen("py-spy", "Pause [b]rank 3[/b]?\n\nIt \x1b[1m stands still."), answers.append
        )
        await run.until(lambda: "Pause [b]rank 3[/b]?" in run.text())
        assert "It \\x1b[1m stands still." in run.text()
        assert "y yes  n no" in run.text()
        await run.press(key)
        assert answers == ([] if answer is None else [answer])
        assert run.app.is_running
