"""The doctor from the palette: what is known is examined, one rank is asked for py-spy, the checks are shown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.tui.running import running
from tests.tui.scripted import NOW, job, look, opened
from tests.tui.stack_scripts import reply
from xpudbg.services import events
from xpudbg.services.cluster.probes import PYSPY
from xpudbg.services.ranksets import RankSet
from xpudbg.tui.screens.doctor import DoctorScreen

if TYPE_CHECKING:
    from pathlib import Path

STACK = """Process 7: python train.py
Python v3.11.7 (/usr/bin/python3.11)

Thread 7 (active): "MainThread"
    train (train.py:12)
"""


def checked_job(size: int = 16) -> list[events.Event]:
    names = json.dumps(["dump_traceback", "ping", "pyspy_dump", "wait_counter_values"])
    said: list[events.Event] = [opened(size), *look(1, size, {3: "dead"}, closed=False)]
    said += [events.ReplyArrived(1, reply(rank, names, "handlers")) for rank in range(size) if rank != 3]
    return [events.TargetOpening("store head-0:29500"), *said, events.LookClosed(1, NOW)]


async def test_it_examines_asks_one_rank_and_shows_what_comes(tmp_path: Path) -> None:
    async with running(checked_job(), tmp_path, size=(120, 40)) as run:
        run.app.perform("doctor")
        await run.until(lambda: "PROBLEM  answers: dead" in run.text(), "the checks are shown")
        text = run.text()
        assert "Rank 3: nothing listens at the registered address." in text
        assert "doctor  look 1: 1 problem" in text
        assert run.engine.last("ask") == (RankSet([0]), PYSPY)
        await run.say([events.AskedReply(reply(0, "sh: 1: py-spy: not found", PYSPY.source, error="HTTP 500"))])
        await run.until(lambda: "pip install py-spy" in run.text(), "the answer is examined")
        await run.press("P")
        assert run.engine.last("ask") == (RankSet([8]), PYSPY)  # rank 0 of the first host has been asked
        await run.say([events.AskedReply(reply(8, STACK, PYSPY.source))])
        await run.press("y")
        assert "PROBLEM  answers: dead" in run.app.clipboard
        await run.press("escape")
        assert not isinstance(run.app.screen, DoctorScreen)


async def test_before_the_first_look_it_says_why_not(tmp_path: Path) -> None:
    async with running([events.TargetOpening("x"), opened(2)], tmp_path) as run:
        run.app.perform("doctor")
        await run.until(lambda: "not now: no look has ended yet" in run.text())
        assert run.engine.told("ask") == 0


async def test_when_nobody_can_be_asked_nobody_is(tmp_path: Path) -> None:
    async with running(job(2, {0: "dead", 1: "dead"}), tmp_path, size=(100, 30)) as run:
        run.app.perform("doctor")
        await run.until(lambda: "answers: dead" in run.text(), "the checks are shown")
        assert run.engine.told("ask") == 0
