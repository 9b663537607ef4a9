"""The application: attachment, looks, places, quitting."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from tests.tui.running import TARGET, Running, made, running
from tests.tui.scripted import NOW, SECOND, job, look
from xpudbg.services import events

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


async def test_it_attaches_when_it_starts(tmp_path: Path) -> None:
    async with running(job(4), tmp_path) as run:
        assert run.engine.calls[0] == ("attach", TARGET)
        assert run.app.current_mode == "overview"


async def test_r_looks_again_but_not_while_a_look_is_under_way(tmp_path: Path) -> None:
    async with running(job(4), tmp_path) as run:
        run.clock.now = NOW
        await run.press("r")
        assert run.engine.told("look") == 1
        await run.say(look(2, 4, closed=False))
        await run.press("r")
        assert run.engine.told("look") == 1
        await run.until(lambda: "look 2 is still under way" in run.text())
        run.app.perform("cancel_look")
        assert run.engine.told("cancel") == 1
        await run.say([events.LookClosed(2, NOW, cancelled=True)])
        assert "look 2 (cancelled)" in run.lines()[0]


async def test_it_looks_by_itself_at_the_interval(tmp_path: Path) -> None:
    async with running(job(4), tmp_path) as run:
        run.clock.now = NOW + SECOND
        for interval in ("every 2 s", "every 5 s", "every 10 s", "every 30 s", "looks again", "every 2 s"):
            await run.press("R")
            assert interval in run.lines()[0]
        assert run.engine.told("look") == 0
        run.clock.now = NOW + 60 * SECOND
        run.tick()
        await run.until(lambda: run.engine.told("look") >= 1)


async def test_places(tmp_path: Path) -> None:
    async with running(job(16), tmp_path) as run:
        await run.press("escape")
        await run.until(lambda: "there is no earlier place" in run.text())
        await run.press("2", "j", "minus")
        assert run.app.current_mode == "overview"
        assert run.app.session.selected == 0
        await run.press("minus")
        assert run.app.current_mode == "ranks"
        assert run.app.session.selected == 1
        await run.press("escape")
        assert run.app.current_mode == "overview"


async def test_a_click_in_the_footer_does_what_the_key_does(tmp_path: Path) -> None:
    async with running(job(16), tmp_path) as run:
        run.clock.now = NOW
        x = run.lines()[-1].index("r look again")
        await run.pilot.click(offset=(x, 23))
        await run.until(lambda: run.engine.told("look") == 1)


async def test_q_quits_with_zero(tmp_path: Path) -> None:
    async with running(job(4), tmp_path) as run:
        await run.press("q")
        await run.until(lambda: not run.app.is_running)
        assert run.app.return_value == 0
        assert run.app.return_code == 0


async def test_an_unchanged_look_changes_only_the_top_line_and_the_strip_of_looks(tmp_path: Path) -> None:
    sick = {3: "stopped"}
    async with running([*job(256, sick), *look(2, 256, sick)], tmp_path, size=(120, 40)) as run:
        await run.press("2")
        before = run.lines()
        await run.say(look(3, 256, sick))
        after = run.lines()
        assert before[2:] == after[2:]
        assert "look 3" in after[0]
        assert "look 3" in after[1]


async def test_ctrl_c_says_how_to_quit_and_twice_quits(tmp_path: Path) -> None:
    async with running(job(4), tmp_path) as run:
        await run.press("ctrl+c")
        await run.until(lambda: "q quits, ctrl+q where text is typed" in run.text())
        run.clock.now += 5 * SECOND
        await run.press("question_mark", "ctrl+c")
        assert run.app.is_running
        run.clock.now += SECOND
        await run.press("ctrl+c")
        await run.until(lambda: not run.app.is_running)
        assert run.app.return_value == 0


async def breaking(run: Running, broken: Callable[[], None]) -> None:
    """Run the application until a callback of it raises."""
    async with run.app.run_test() as run.pilot:
        run.app.call_later(broken)
        await run.until(lambda: not run.app.is_running)


async def test_a_defect_leaves_its_trace_in_a_file_and_no_values_on_the_terminal(tmp_path: Path) -> None:
    run = made(job(4), tmp_path)
    run.app._crash_folder = tmp_path

    def broken() -> None:
        secret = "token-of-a-rank"  # noqa: F841
        raise LookupError("no such [b]thing\x1b[2J")

    said = io.StringIO()
    run.app.error_console = Console(file=said, width=100)
    with pytest.raises(LookupError):
        await breaking(run, broken)
    assert "LookupError: no such [b]thing\\x1b[2J" in said.getvalue()
    assert str(tmp_path / "crash.txt") in said.getvalue()
    trace = (tmp_path / "crash.txt").read_text()
    assert "in broken" in trace
    assert "token-of-a-rank" not in trace.replace('secret = "token-of-a-rank"', "") + said.getvalue()
    assert run.app.return_code == 1
