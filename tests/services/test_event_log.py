"""What the engine says, in the log: looks with their failures summed up."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tui.scripted import look, opened
from xpudbg.services import events
from xpudbg.services.event_log import EventLog, event_queue
from xpudbg.services.logs import log_to, stop_logging
from xpudbg.services.snapshot import Outcome


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "x.log"
    log_to(path)
    yield path
    stop_logging()


def test_a_look_is_two_lines_with_its_failures_summed_up(path: Path) -> None:
    log = EventLog()
    script = [opened(8), *look(1, 8)]
    for event in script:
        if isinstance(event, events.ReplyArrived) and event.reply.rank in (2, 5):
            event = replace(event, reply=replace(event.reply, outcome=Outcome.TIMEOUT, error="no answer"))
        log.put(event)
    lines = path.read_text().splitlines()
    (begun,) = [line for line in lines if "look 1 begins: 8 ranks" in line]
    (ended,) = [line for line in lines if "look 1 closed" in line]
    replies = sum(isinstance(event, events.ReplyArrived) for event in script)
    assert f"{replies} replies" in ended
    assert " WARNING " in ended
    assert " timeout 2" in ended
    assert begun < ended
    assert log.get_nowait() is script[0]


def test_failures_and_defects_are_told(path: Path) -> None:
    log = EventLog()
    log.put(events.TargetFailed("h:1", "no store at http://me:secret@h:1", "look there"))
    log.put(events.EngineFailed("looking", "ValueError: x", "Traceback\n  line"))
    text = path.read_text()
    assert "failed: h:1: no store at http://h:1 (look there)" in text
    assert "defect while looking: ValueError: x\nTraceback\n  line\n" in text
    assert "secret" not in text


def test_only_a_log_costs_something(tmp_path: Path) -> None:
    assert type(event_queue()) is queue.SimpleQueue
    log_to(tmp_path / "x.log")
    try:
        assert isinstance(event_queue(), EventLog)
    finally:
        stop_logging()
