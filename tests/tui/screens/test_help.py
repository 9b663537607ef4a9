"""Help and palette come from the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.command import CommandPalette

from tests.tui.running import running
from tests.tui.scripted import job, opened
from xpudbg.services import events
from xpudbg.tui.actions.registry import Scope, actions_in
from xpudbg.tui.ranks.classes import APPEARANCES
from xpudbg.tui.screens.help import HelpScreen
from xpudbg.tui.widgets.painted import Painted

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(("key", "scope"), [("1", Scope.OVERVIEW), ("2", Scope.RANKS)])
async def test_help_lists_every_key_of_the_place(tmp_path: Path, key: str, scope: Scope) -> None:
    async with running(job(16), tmp_path, size=(120, 60)) as run:
        await run.press(key, "question_mark")
        await run.until(lambda: isinstance(run.app.screen, HelpScreen))
        said = " ".join(run.app.screen.query_one(Painted).content_shown.plain.split())
        for action in actions_in((scope, Scope.JOB, Scope.APP)):
            if action.keys:
                assert action.description in said, action.name
        await run.press("q")
        await run.until(lambda: not isinstance(run.app.screen, HelpScreen))
        assert run.app.is_running


async def test_help_says_what_cannot_be_done_now(tmp_path: Path) -> None:
    async with running([], tmp_path, size=(120, 70)) as run:
        await run.press("question_mark")
        await run.until(lambda: isinstance(run.app.screen, HelpScreen))
        said = " ".join(run.app.screen.query_one(Painted).content_shown.plain.split())
        assert "(not now: no rank is known yet)" in said


async def test_the_palette_does_what_it_says(tmp_path: Path) -> None:
    async with running(job(16), tmp_path, size=(120, 40)) as run:
        await run.press("colon")
        await run.until(lambda: isinstance(run.app.screen, CommandPalette))
        await run.press(*"mark")
        await run.until(lambda: "Mark the selected rank" in run.text())
        await run.press("escape")
        await run.until(lambda: not isinstance(run.app.screen, CommandPalette))
        await run.press("ctrl+p", *"ranks")
        await run.until(lambda: "Ranks: one row a rank" in run.text())
        await run.press("enter")
        await run.until(lambda: run.app.current_mode == "ranks")


async def test_the_signs_come_first_and_are_seen_in_a_small_terminal(tmp_path: Path) -> None:
    async with running(job(16), tmp_path) as run:
        await run.press("question_mark")
        await run.until(lambda: isinstance(run.app.screen, HelpScreen))
        for look in APPEARANCES.values():
            assert f"{look.sign} {look.label}" in run.text()


async def test_the_palette_says_why_something_cannot_be_done_to_who_looks_for_it(tmp_path: Path) -> None:
    async with running(job(16), tmp_path, size=(120, 40)) as run:
        await run.press("colon", *"unmark")
        await run.until(lambda: "not now: no rank is marked" in run.text())
        await run.press("enter")
        await run.until(lambda: not isinstance(run.app.screen, CommandPalette))
        assert not run.app.session.marked
        await run.press("space", "colon", *"unmark")
        await run.until(lambda: "Take all marks away" in run.text())


async def test_the_doctor_is_in_the_palette_before_the_first_look_has_ended(tmp_path: Path) -> None:
    async with running([events.TargetOpening("x[/]"), opened(2)], tmp_path, size=(120, 40)) as run:
        await run.press("colon", *"doctor")
        await run.until(lambda: "not now: no look has ended yet" in run.text())
        assert "Doctor: check the job" in run.text()
