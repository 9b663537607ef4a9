"""Copying, pager and editor on the screens."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.tui.running import Running, running
from tests.tui.stack_scripts import hung, stack_job, traceback
from xpudbg.tui.screens.answer import AnswerScreen

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SCRIPT = stack_job(8, hung(8, loading=[2]))
WIDE = (120, 40)


def outside(folder: Path) -> tuple[dict[str, str], Path]:
    """An environment whose pager and editor keep what they are given."""
    seen = folder / "seen"
    script = "import pathlib, sys; p = pathlib.Path(sys.argv[-1]); "
    script += f"pathlib.Path({str(seen)!r}).write_text(repr((sys.argv[1:-1], p.name)) + chr(10) + p.read_text())"
    command = f'{sys.executable} -c "{script}"'
    return {"PAGER": command, "EDITOR": command}, seen


@pytest.fixture(autouse=True)
def gives_its_terminal_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """A headless application has none, so that it would refuse."""

    @contextmanager
    def suspended(_app: Any) -> Iterator[None]:
        yield

    monkeypatch.setattr("xpudbg.tui.app.XpudbgApp.suspend", suspended)


def taken(seen: Path) -> str:
    text = seen.read_text()
    seen.unlink()
    return text


async def test_each_place_gives_its_text_to_clipboard_pager_and_editor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    env, seen = outside(tmp_path)
    async with running(SCRIPT, tmp_path, size=WIDE, env=env) as run:
        await run.press("Y")
        assert run.app.clipboard.startswith("## xpudbg: ")
        await run.until(lambda: "sent the report as Markdown, " in run.text())
        await run.press("o")
        assert taken(seen).startswith("([], 'the-verdict.txt')\n")
        await run.press("2", "o")
        rank = run.app.session.selected
        assert taken(seen).startswith(f"([], 'the-row-of-rank-{rank}.txt')\nrank {rank}  class ")
        await run.press("O")
        assert taken(seen).startswith(f"([], 'the-row-of-rank-{rank}.txt')\nrank {rank}  class ")
        run.app.perform("copy_to_file")
        await run.until(lambda: (tmp_path / "xpudbg-copied.txt").exists())
        assert (tmp_path / "xpudbg-copied.txt").read_text().startswith(f"rank {rank}  class ")
        run.app.push_screen(AnswerScreen("title", "an answer"))
        await run.until(lambda: isinstance(run.app.screen, AnswerScreen) and run.app.screen.focused)
        await run.press("o")
        assert taken(seen) == "([], 'the-answer.txt')\nan answer"
        await run.press("y")
        assert run.app.clipboard == "an answer"


async def test_the_editor_opens_the_source_of_a_frame_at_its_line(tmp_path: Path) -> None:
    env, seen = outside(tmp_path)
    source = tmp_path / "load$(er).py"
    source.write_text("".join(f"line_{number}\n" for number in range(1, 100)))
    frames = (f"next_batch {source}:88", "main /gone/train.py:12")
    script = stack_job(4, {rank: traceback(frames) for rank in range(4)})
    async with running(script, tmp_path, size=WIDE, env=env) as run:
        await run.press("3", "tab", "home", "down")
        await editor_on(run, "next_batch")
        await run.until(seen.exists)
        assert taken(seen).startswith("(['+88'], 'load$(er).py')\nline_1\n")
        await run.press("down")
        await editor_on(run, "main")
        await run.until(lambda: "no source to open: there is no such file here" in " ".join(run.text().split()))
        assert not seen.exists()
        await run.press("v")
        await run.press("O")
        await run.until(seen.exists)
        assert "load$(er).py" in taken(seen)


async def editor_on(run: Running, function: str) -> None:
    frame = run.app.screen.frame_here()  # type: ignore[attr-defined]
    assert frame is not None
    assert frame.function == function
    await run.press("O")


async def test_without_an_editor_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: None)
    async with running(SCRIPT, tmp_path, size=WIDE) as run:
        await run.press("2", "O")
        assert "neither VISUAL nor EDITOR is set" in run.text()
