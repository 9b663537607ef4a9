"""Calling a rank's own handlers: chosen or typed, asked for first, the answer shown as it came, made plain."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.widgets import Input

from tests.tui.running import running
from tests.tui.scripted import NOW, look, opened
from tests.tui.stack_scripts import reply
from xpudbg.services import events
from xpudbg.services.cluster.handler_calls import parse_call
from xpudbg.services.cluster.probes import HANDLERS
from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import Outcome
from xpudbg.tui.screens.answer import AnswerScreen
from xpudbg.tui.screens.line_request import LineRequest
from xpudbg.tui.screens.question import QuestionScreen

if TYPE_CHECKING:
    from pathlib import Path

    from tests.tui.running import Running

OWN = "train_state[b]"


def job_with_handlers(size: int = 2, known: bool = True) -> list[events.Event]:
    said: list[events.Event] = [opened(size), *look(1, size, closed=False)]
    if known:
        names = json.dumps(["ping", "dump_traceback", OWN])
        said += [events.ReplyArrived(1, reply(rank, names, "handlers")) for rank in range(size)]
    return [events.TargetOpening("store head-0:29500"), *said, events.LookClosed(1, NOW)]


def shows(run: Running, kind: type) -> bool:
    return isinstance(run.app.screen, kind)


async def test_a_handler_is_called_after_a_question_and_its_answer_shown(tmp_path: Path) -> None:
    async with running(job_with_handlers(), tmp_path, size=(120, 40)) as run:
        run.app.perform("call_handler")
        await run.settled()
        assert shows(run, LineRequest)
        text = run.text()
        assert "Rank 0 (node-000) has 3 handlers; 1 of them the job's own." in text
        assert f"{OWN}  the job's own" in text
        await run.press(*"a b", "enter")
        assert "has no blank" in run.text()
        run.app.screen.query_one(Input).value = f"{OWN}?depth=2"
        await run.press("enter")
        await run.settled()
        assert shows(run, QuestionScreen)
        assert f"Call {OWN}?depth=2 of rank 0?" in run.text()
        assert "what it does is not known here" in run.text()
        assert run.engine.told("ask") == 0
        await run.press("y")
        assert run.engine.last("ask") == (RankSet([0]), parse_call(f"{OWN}?depth=2").probe)
        # while it is out, it is not called a second time
        run.app.perform("call_handler")
        await run.settled()
        run.app.screen.query_one(Input).value = OWN
        await run.press("enter")
        assert "has not answered" in run.text()
        answer = reply(0, '{"step": 7, "note": "[red]\\u001b[2J"}', OWN)
        await run.say([events.AskedReply(answer)])
        assert shows(run, LineRequest)  # it waits until nothing lies over the screen
        await run.press("escape")
        await run.until(lambda: isinstance(run.app.screen, AnswerScreen), "the answer is shown")
        await run.settled()
        text = run.text()
        assert f"{OWN}?depth=2 of rank 0" in text
        assert '  "step": 7,' in text
        assert "[red]\\u001b[2J" in text
        await run.press("escape")
        assert not shows(run, AnswerScreen)


async def test_one_that_is_declined_is_not_called_and_an_error_is_shown(tmp_path: Path) -> None:
    async with running(job_with_handlers(), tmp_path, size=(120, 40)) as run:
        for answer in ("n", "y"):
            run.app.perform("call_handler")
            await run.settled()
            await run.press("down", "enter")
            await run.settled()
            await run.press(answer)
            await run.settled()
        assert run.engine.told("ask") == 1
        failed = replace(reply(0, "KeyError: step", OWN), outcome=Outcome.HTTP_ERROR, error="HTTP 500: KeyError")
        await run.say([events.AskedReply(failed)])
        await run.until(lambda: isinstance(run.app.screen, AnswerScreen), "the answer is shown")
        await run.settled()
        assert "HTTP 500: KeyError" in run.text()


async def test_handlers_that_are_not_known_are_asked_for(tmp_path: Path) -> None:
    async with running(job_with_handlers(known=False), tmp_path, size=(120, 40)) as run:
        run.app.perform("call_handler")
        await run.settled()
        assert run.engine.last("ask") == (RankSet([0]), HANDLERS)
        assert "it has been asked" in run.text()
