"""Two looks compared on the screen: which two, their difference in words, and what can be done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.tui.running import running
from tests.tui.scripted import NOW, SECOND, job, look, opened
from xpudbg.services import events
from xpudbg.tui.screens.look_compare import LookCompareScreen

if TYPE_CHECKING:
    from pathlib import Path

SICK: list[dict[int, str]] = [{}, {3: "stopped"}, {3: "stopped", 5: "dead"}, {5: "dead"}]


def looked_at() -> list[events.Event]:
    script: list[events.Event] = [events.TargetOpening("store head-0:29500"), opened(8)]
    for number, sick in enumerate(SICK, 1):
        script += look(number, 8, sick, at=NOW - (len(SICK) - number) * 10 * SECOND)
    return script


async def test_the_look_shown_against_the_one_before_then_others(tmp_path: Path) -> None:
    async with running(looked_at(), tmp_path, size=(120, 40)) as run:
        await run.press("C")
        await run.until(lambda: "rank 3: stopped -> alive" in run.text(), "the newest two are compared")
        assert "what changed  A: look 3  B: look 4" in run.text()
        assert "there is no look before" not in run.text()
        assert "rank 5: alive -> dead" not in run.text()
        await run.press("comma")
        await run.until(lambda: "rank 5: alive -> dead" in run.text(), "look 2 is compared with look 4")
        assert "A: look 2  B: look 4" in run.text()
        await run.press("y")
        assert "rank 3: stopped -> alive" in run.app.clipboard
        await run.press("comma", "comma")
        await run.until(lambda: "A: look 1  B: look 4" in run.text())
        assert "this is the oldest look that is kept" in run.text()
        await run.press("full_stop", "full_stop", "full_stop")
        await run.until(lambda: "the two looks follow each other" in run.text())
        await run.press("escape")
        assert not isinstance(run.app.screen, LookCompareScreen)


async def test_an_older_look_that_is_shown_and_the_newest(tmp_path: Path) -> None:
    async with running(looked_at(), tmp_path, size=(110, 40)) as run:
        await run.press("comma", "comma", "C")
        await run.until(lambda: "rank 3: alive -> stopped" in run.text(), "look 1 is compared with look 2")
        await run.press("C")
        await run.until(lambda: "rank 5: alive -> dead" in run.text(), "look 1 is compared with look 4")
        await run.press("C")
        await run.until(lambda: "A: look 1  B: look 2" in run.text())
        await run.press("escape", "comma", "C")
        await run.until(lambda: "A: look 1  B: look 2  (there is no look before 1)" in run.text(), "the oldest")
        await run.press("C")
        await run.until(lambda: "A: look 1  B: look 4  (there is no look before 1)" in run.text())


async def test_with_one_look_it_says_why_not(tmp_path: Path) -> None:
    async with running(job(4), tmp_path) as run:
        await run.press("C")
        assert "there is only one look" in run.text()
