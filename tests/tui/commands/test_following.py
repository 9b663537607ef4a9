"""Looks are followed to their end, and one that is ended is heard to its end too."""

from __future__ import annotations

import queue
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.tui.scripted import job, look, opened
from xpudbg.services import events
from xpudbg.services.session import Session
from xpudbg.tui.commands import following
from xpudbg.tui.commands.following import end_look, follow_looks

if TYPE_CHECKING:
    from collections.abc import Iterable


class Queued:
    """An engine whose events wait to be read; a look adds what comes of one more."""

    def __init__(self, script: Iterable[events.Event]) -> None:
        self.events: queue.SimpleQueue[events.Event] = queue.SimpleQueue()
        self.cancelled = self.looks = 0
        self._say(script)

    def cancel(self) -> None:
        self.cancelled += 1

    def look(self) -> None:
        self.looks += 1
        self._say(look(self.looks + 1, 2))

    def _say(self, script: Iterable[events.Event]) -> None:
        for event in script:
            self.events.put(event)


def test_a_look_whose_beginning_was_not_read_yet_is_awaited_to_its_end() -> None:
    (started,) = (one for one in job(2) if isinstance(one, events.LookStarted))
    (closed,) = (replace(one, cancelled=True) for one in job(2) if isinstance(one, events.LookClosed))
    session = Session()
    session.apply(opened(2))
    engine = Queued([started, closed])
    end_look(engine, session)  # type: ignore[arg-type]
    assert engine.cancelled == 1
    assert [look.cancelled for look in session.looks] == [True]


def test_where_no_look_is_under_way_none_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "SILENCE_S", 0.01)
    engine, session = Queued([]), Session()
    end_look(engine, session)  # type: ignore[arg-type]
    assert (engine.cancelled, session.looks) == (1, [])


def test_as_many_looks_as_are_wanted_and_each_is_told() -> None:
    engine, session = Queued(job(2)), Session()
    told: list[int] = []
    assert follow_looks(engine, session, 3, closed=lambda event: told.append(event.look_id))  # type: ignore[arg-type]
    assert (engine.looks, told, [look.id for look in session.looks]) == (2, [1, 2, 3], [1, 2, 3])


@pytest.mark.parametrize(
    "ended",
    [events.TargetFailed("x:1", "refused", "try again"), events.EngineFailed("opening", "a defect", "")],
    ids=["no target", "a defect"],
)
def test_a_target_that_can_t_be_opened_has_no_look(ended: events.Event) -> None:
    engine = Queued([ended])
    assert not follow_looks(engine, Session())  # type: ignore[arg-type]
