"""What the stacks screen asks others for."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tests.tui.running import Running, running
from tests.tui.scripted import NOW
from tests.tui.stack_scripts import LOAD, WAIT, hung, reply, stack_job, traceback
from xpudbg.services import events
from xpudbg.services.cluster.probes import py_spy
from xpudbg.services.ranksets import RankSet
from xpudbg.tui.screens.question import QuestionScreen
from xpudbg.tui.widgets.raw_text import RawText, TextLog

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

SCRIPT = stack_job(8, hung(8, loading=[2]))
WIDE = (120, 40)


def raw(run: Running) -> list[str]:
    return [line.rstrip() for line in run.app.screen.query_one(TextLog).lines]


def no_such_file(*_: object) -> None:
    raise FileNotFoundError(2, "No such file or directory")


def exported(folder: Path) -> list[Path]:
    return sorted(folder.glob("xpudbg-*"), key=lambda path: (path.suffix, len(path.name)))


async def test_the_raw_texts_of_a_rank_one_after_the_other(tmp_path: Path) -> None:
    async with running(SCRIPT, tmp_path, size=WIDE) as run:
        await run.press("3", "v")
        assert "dump_traceback of rank 2" in run.text()
        assert '  File "/job/decode.py", line 40 in decode' in raw(run)
        assert raw(run)[2] == ""
        await run.press("left_square_bracket")
        assert "dump_traceback of rank 1" in run.text()
        await run.press("v")
        assert "There is no pyspy_dump of rank 1. P asks for it." in raw(run)
        await run.press("v")
        assert not run.app.screen.query_one(RawText).display
        await run.press("v", "escape")
        assert not run.app.screen.query_one(RawText).display
        assert run.app.current_mode == "stacks"
        await run.press("escape")
        assert run.app.current_mode == "overview"


async def test_the_keys_go_with_the_pane(tmp_path: Path) -> None:
    script = stack_job(4, {rank: traceback(*[LOAD] * 20, WAIT) for rank in range(4)})
    async with running(script, tmp_path, size=(80, 24)) as run:
        await run.press("3", "tab", "v")
        await run.until(lambda: isinstance(run.app.focused, TextLog))
        await run.press("G")
        await run.until(lambda: run.app.screen.query_one(TextLog).scroll_offset.y > 0)
        await run.press("g", "right", "left", "pagedown", "pageup", "down", "up")
        await run.press("y")
        assert run.app.clipboard.startswith("Current thread 0x")


async def test_py_spy_asks_the_selected_rank_without_pausing_it(tmp_path: Path) -> None:
    async with running(SCRIPT, tmp_path, size=WIDE) as run:
        await run.press("3", "P")
        assert run.engine.last("ask") == (RankSet([2]), py_spy())
        await run.until(lambda: "without pausing the process" in run.text())
        assert "asked 0 s ago, still out" in run.text()
        calls = len(run.engine.calls)
        await run.press("P")
        assert len(run.engine.calls) == calls
        await run.say([events.AskedReply(reply(2, "Process 7: python\n\x1b[2Jfake", "pyspy_dump", at=NOW + 9))])
        assert raw(run) == ["Process 7: python", "\\x1b[2Jfake"]
        await run.until(lambda: "py-spy has answered for 1 rank: 2" in run.text())


async def test_py_spy_asks_the_marked_ranks_and_tells_what_failed(tmp_path: Path) -> None:
    async with running(SCRIPT, tmp_path, size=WIDE) as run:
        await run.press("3", "up", "space", "P")
        assert run.engine.last("ask") == (RankSet([0, 1, 3, 4, 5, 6, 7]), py_spy())
        error = "status 500: py-spy: [not] found"
        answers = [events.AskedReply(reply(r, "sh: py-spy", "pyspy_dump", error=error)) for r in (4, 5)]
        await run.say(answers)
        await run.until(lambda: "py-spy on rank 4 (and 1 more): status 500: py-spy: [not]" in run.text())


async def test_native_frames_ask_first(tmp_path: Path) -> None:
    async with running(SCRIPT, tmp_path, size=WIDE) as run:
        await run.press("3")
        for key in ("n", "escape", "q"):
            run.app.perform("py_spy_native")
            await run.until(lambda: isinstance(run.app.screen, QuestionScreen))
            await run.until(lambda: "which pauses" in run.text())
            await run.press(key)
            assert run.engine.told("ask") == 0
            assert run.app.is_running
        run.app.perform("py_spy_native")
        await run.until(lambda: isinstance(run.app.screen, QuestionScreen))
        await run.press("y")
        assert run.engine.last("ask") == (RankSet([2]), py_spy(native=True))
        run.app.perform("py_spy_subprocesses")
        assert run.engine.told("ask") == 1
        await run.press("right_square_bracket")
        run.app.perform("py_spy_subprocesses")
        assert run.engine.last("ask") == (RankSet([3]), py_spy(subprocesses=True))


async def test_many_ranks_ask_first(tmp_path: Path) -> None:
    async with running(stack_job(256, hung(256)), tmp_path, size=WIDE) as run:
        await run.press("3", "space", "P")
        await run.until(lambda: isinstance(run.app.screen, QuestionScreen))
        await run.until(lambda: "256 ranks (0-255)" in run.text())
        await run.press("enter")
        assert run.engine.last("ask") == (RankSet.full(256), py_spy())


async def test_export_writes_what_is_shown_and_never_over_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with running(SCRIPT, tmp_path, size=WIDE) as run:
        await run.press("3", "slash", *"frame:decode", "enter")
        for key in ("e", "e", "E"):
            await run.press(key, "enter")
        await run.until(lambda: len(exported(tmp_path)) == 3, "three files")
        await run.until(lambda: "the stacks of 1 rank are in" in run.text())
    first, second, collapsed = exported(tmp_path)
    assert first.name.startswith("xpudbg-store-head-0-29500-main-stacks-2025")
    assert second.name == first.name.replace(".speedscope", "-2.speedscope")
    profile = json.loads(first.read_text())
    assert [frame["name"] for frame in profile["shared"]["frames"]] == ["<module>", "train", "next_batch", "decode"]
    assert profile["profiles"][0]["weights"] == [1]
    assert collapsed.read_text().endswith("decode (/job/decode.py:40) 1\n")


async def test_an_export_that_fails_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xpudbg.tui.screens.stack_choices.write_new", no_such_file)
    async with running(SCRIPT, tmp_path, size=WIDE) as run:
        await run.press("3", "e", "enter")
        await run.until(lambda: "not exported: No such file" in run.text())


async def test_the_pager_gets_the_whole_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    into = tmp_path / "seen.txt"
    script = f"import pathlib, sys; pathlib.Path({str(into)!r}).write_bytes(pathlib.Path(sys.argv[1]).read_bytes())"

    @contextmanager
    def suspend() -> Iterator[None]:
        yield

    async with running(SCRIPT, tmp_path, size=WIDE, env={"PAGER": f'{sys.executable} -c "{script}"'}) as run:
        await run.press("3", "o")
        await run.until(lambda: "this terminal cannot be given to another program" in run.text())
        monkeypatch.setattr(run.app, "suspend", suspend)
        await run.press("o")
        assert "line 40 in decode" in into.read_text()
