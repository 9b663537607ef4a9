"""The bridge: slices, order, one replaceable message."""

from __future__ import annotations

import itertools
import queue
from typing import TYPE_CHECKING

from tests.tui.running import running
from tests.tui.scripted import job, look, opened
from xpudbg.services import events
from xpudbg.services.session import Session
from xpudbg.tui import bridge
from xpudbg.tui.bridge import SessionChanged, drain
from xpudbg.tui.screens.overview import OverviewScreen

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from xpudbg.services.events import Event


def filled(said: list[Event]) -> queue.SimpleQueue[Event]:
    waiting: queue.SimpleQueue[Event] = queue.SimpleQueue()
    for event in said:
        waiting.put(event)
    return waiting


def test_everything_is_applied_in_order() -> None:
    session = Session()
    said = job(8, {3: "dead"})
    assert drain(filled(said), session, slice_s=60) == len(said)
    assert session.latest is not None
    assert session.ranks[3].rank_class.value == "dead"


def test_a_slice_leaves_the_rest_in_the_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session()
    waiting = filled(job(2000))
    ticks = itertools.count()
    monkeypatch.setattr(bridge, "perf_counter", lambda: next(ticks) * 0.001)
    assert drain(waiting, session, slice_s=0.0) == 0
    assert drain(waiting, session, slice_s=0.0105) == 10
    while not waiting.empty():
        drain(waiting, session)
    assert session.latest is not None
    assert len(session.latest.replies) == 2000


def test_a_newer_message_replaces_an_older_one() -> None:
    assert SessionChanged(1).can_replace(SessionChanged(2))
    assert not SessionChanged(1).can_replace(events.TargetClosed())  # type: ignore[arg-type]


async def test_a_burst_is_told_in_few_messages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []
    shown = OverviewScreen.show_all

    def counted(screen: OverviewScreen) -> None:
        told.append(screen.session.revision)
        shown(screen)

    async with running([events.TargetOpening("store"), opened(512)], tmp_path) as run:
        monkeypatch.setattr(OverviewScreen, "show_all", counted)
        await run.say(look(1, 512, {5: "stopped"}))
        assert told
        assert len(told) < 30
        assert run.app.session.latest is not None


async def test_a_defect_of_the_engine_is_told(tmp_path: Path) -> None:
    async with running(job(4), tmp_path, size=(120, 40)) as run:
        await run.say([events.EngineFailed("looking", "KeyError: [/x] \x1b[31m", "Traceback")])
        assert "1 defect of xpudbg" in run.lines()[0]
        await run.until(lambda: "looking: KeyError: [/x] \\x1b[31m" in run.text())
