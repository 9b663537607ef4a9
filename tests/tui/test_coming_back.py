"""A screen come back to shows what a screen visited for the first time shows: nothing is left of what it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.tui.running import running
from tests.tui.scripted import NOW, SECOND, job, look
from tests.tui.stack_scripts import hung, stack_job, stacks

if TYPE_CHECKING:
    from pathlib import Path

    from xpudbg.services.events import Event

SICKER = {3: "stopped", 9: "stopped"}
"""A change that makes no column wider: that alone would paint everything anew."""
AWAY = {"1": "2", "2": "1", "3": "1"}
"""Where one goes meanwhile."""


def later() -> list[Event]:
    return look(2, 16, SICKER, at=NOW + 30 * SECOND)


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
async def test_nothing_old_is_left_on_a_screen_come_back_to(tmp_path: Path, size: tuple[int, int]) -> None:
    anew: dict[str, list[str]] = {}
    async with running(job(16, {3: "stopped"}), tmp_path, size=size) as run:
        run.clock.now = NOW + 47 * SECOND
        await run.say(later())
        for key in AWAY:
            await run.press(*([key] if key != "1" else []))
            anew[key] = run.lines()
    for away in ("1", "2"):
        back = [key for key in AWAY if AWAY[key] == away]
        async with running(job(16, {3: "stopped"}), tmp_path, size=size) as run:
            await run.press(away, *back, away)
            run.clock.now = NOW + 47 * SECOND
            await run.say(later())
            for key in back:
                await run.press(key)
                assert anew[key] == run.lines(), key


@pytest.mark.parametrize("key", AWAY)
async def test_it_goes_on_being_painted(tmp_path: Path, key: str) -> None:
    async with running(job(16, {3: "stopped"}), tmp_path, size=(140, 40)) as run:
        await run.press(AWAY[key], key, AWAY[key], key)
        run.clock.now = NOW + 47 * SECOND
        await run.say(later())
        back = run.lines()
    async with running([*job(16, {3: "stopped"}), *later()], tmp_path, size=(140, 40)) as run:
        run.clock.now = NOW + 47 * SECOND
        await run.press(AWAY[key], key)
        assert back == run.lines()


async def test_new_stacks_are_shown_by_a_screen_come_back_to(tmp_path: Path) -> None:
    first, moved = stack_job(16, hung(16, loading=[2])), stacks(3, 16, hung(16, loading=[2, 5, 7]))
    async with running(first, tmp_path, size=(140, 40)) as run:
        await run.press("3", "1")
        await run.say(moved)
        await run.press("3")
        await run.app.workers.wait_for_complete()
        await run.settled()
        back = run.lines()
    async with running(first, tmp_path, size=(140, 40)) as run:
        await run.say(moved)
        await run.press("3")
        await run.app.workers.wait_for_complete()
        await run.settled()
        assert back == run.lines()
