"""Looks that come by themselves, the selection after them, and what a person asks of ranks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from tests.tui import recorder_scripts
from tests.tui.running import TARGET, Clock
from tests.tui.scripted import NOW, SECOND, ScriptedEngine, job, look, opened
from tests.tui.stack_scripts import reply
from xpudbg.services import events
from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.cluster.probes import py_spy
from xpudbg.services.flight_recorder.diagnosis import SOON_S
from xpudbg.services.ranksets import RankSet
from xpudbg.services.settings.recent import RecentTargets
from xpudbg.services.snapshot import RankClass
from xpudbg.services.watch.incident_watch import WatchOptions
from xpudbg.services.watch.policy import Rules
from xpudbg.tui import attachment as attachment_module
from xpudbg.tui import bridge
from xpudbg.tui.attachment import SECOND_LOOK_S, Attachment

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@pytest.fixture(autouse=True)
def applies_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a slice of time ends before all is applied."""
    monkeypatch.setattr(attachment_module, "drain", partial(bridge.drain, slice_s=60))


def attached(
    folder: Path, script: Iterable[events.Event], refresh_s: float | None = None
) -> tuple[Attachment, ScriptedEngine, Clock]:
    engine, clock = ScriptedEngine(script), Clock(NOW)
    recent = RecentTargets(folder / "recent.json")
    stands_for: Any = engine
    attachment = Attachment(stands_for, AttachOptions(), recent, clock, refresh_s)
    attachment.open(TARGET)
    attachment.drain()
    return attachment, engine, clock


def test_a_second_look_comes_by_itself_once(tmp_path: Path) -> None:
    attachment, engine, clock = attached(tmp_path, job(4))
    assert [attachment.looks_by_itself] == [True]
    clock.now = NOW + int(SECOND_LOOK_S * SECOND) - 1
    attachment.look_when_due()
    assert engine.told("look") == 0
    clock.now += 1
    attachment.look_when_due()
    attachment.look_when_due()
    assert engine.told("look") == 1
    engine.say(look(2, 4, at=clock.now))
    attachment.drain()
    assert [attachment.looks_by_itself] == [False]
    clock.now += 1000 * SECOND
    attachment.look_when_due()
    assert engine.told("look") == 1


def test_more_come_while_it_is_too_soon_to_accuse_a_rank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder_scripts, "BEGUN", NOW - 12 * SECOND)
    attachment, engine, clock = attached(
        tmp_path, recorder_scripts.recorder_job(recorder_scripts.stuck(), stacks=False)
    )
    assert [one.severity.accuses for one in attachment.session.verdict.findings] == [False]
    attachment._looked_twice = True
    assert attachment.looks_by_itself
    attachment._looked_twice = False
    clock.now = NOW + int(SOON_S * SECOND) - 1
    attachment.look_when_due()
    assert engine.told("look") == 0
    clock.now += 1
    attachment.look_when_due()
    assert engine.told("look") == 1
    monkeypatch.setattr(attachment_module, "MOST_BY_ITSELF", len(attachment.session.looks))
    attachment.look_when_due()
    assert engine.told("look") == 1


def test_it_comes_as_soon_with_a_long_interval(tmp_path: Path) -> None:
    attachment, engine, clock = attached(tmp_path, job(4), refresh_s=30.0)
    clock.now = NOW + int(SECOND_LOOK_S * SECOND)
    attachment.look_when_due()
    assert engine.told("look") == 1
    engine.say(look(2, 4, at=clock.now))
    attachment.drain()
    clock.now += 29 * SECOND
    attachment.look_when_due()
    assert engine.told("look") == 1
    clock.now += SECOND
    attachment.look_when_due()
    assert engine.told("look") == 2


def test_none_comes_after_a_look_that_was_ended_or_was_not_the_first(tmp_path: Path) -> None:
    cancelled: list[events.Event] = [*job(4)[:-1], events.LookClosed(1, NOW, cancelled=True)]
    unlooked: list[events.Event] = [events.TargetOpening("s"), opened(4)]
    for script in (cancelled, [*job(4), *look(2, 4)], unlooked):
        attachment, engine, clock = attached(tmp_path, script)
        assert attachment.looks_by_itself is (script is unlooked)
        clock.now = NOW + 100 * SECOND
        attachment.look_when_due()
        assert engine.told("look") == 0


def test_each_attachment_has_its_own(tmp_path: Path) -> None:
    attachment, engine, clock = attached(tmp_path, job(4))
    clock.now = NOW + 5 * SECOND
    attachment.look_when_due()
    attachment.open(TARGET)
    attachment.drain()
    attachment.look_when_due()
    assert engine.told("look") == 2


def test_the_selection_follows_the_first_two_verdicts(tmp_path: Path) -> None:
    attachment, engine, _ = attached(tmp_path, job(16, {3: "gil_held"}))
    assert attachment.session.selected == 3
    engine.say(look(2, 16, {3: "gil_held", 7: "dead", 8: "dead"}, at=NOW + SECOND))
    attachment.drain()
    assert attachment.session.selected == attachment.session.verdict.findings[0].culprits.first
    second = attachment.session.selected
    engine.say(look(3, 16, {12: "dead"}, at=NOW + 2 * SECOND))
    attachment.drain()
    assert attachment.session.selected == second


def test_a_selection_made_by_hand_stays_at_the_second_verdict(tmp_path: Path) -> None:
    attachment, engine, _ = attached(tmp_path, job(16, {3: "stopped"}))
    attachment.change(events.RankSelected(5))
    engine.say(look(2, 16, {9: "dead"}, at=NOW + SECOND))
    attachment.drain()
    assert attachment.session.selected == 5


def test_answers_are_told_once(tmp_path: Path) -> None:
    attachment, engine, clock = attached(tmp_path, job(4))
    attachment.ask(RankSet([1, 2]), py_spy())
    assert engine.last("ask") == (RankSet([1, 2]), py_spy())
    assert attachment.asking == {(1, "pyspy_dump"): clock.now, (2, "pyspy_dump"): clock.now}
    assert not attachment.answered("pyspy_dump")
    engine.say([events.AskedReply(reply(1, "Thread", "pyspy_dump"))])
    attachment.drain()
    assert [one.rank for one in attachment.answered("pyspy_dump")] == [1]
    assert not attachment.answered("pyspy_dump")
    attachment.ask(RankSet([1]), py_spy())
    assert not attachment.answered("pyspy_dump")
    engine.say([events.AskedReply(reply(1, "Thread", "pyspy_dump"))])
    attachment.drain()
    assert [one.rank for one in attachment.answered("pyspy_dump")] == [1]
    assert set(attachment.asking) == {(2, "pyspy_dump")}


def test_what_the_target_before_still_sends_is_left_out(tmp_path: Path) -> None:
    attachment, engine, _ = attached(tmp_path, job(4))
    engine.say([*look(2, 4, {1: "dead"}), events.TargetClosed()])
    attachment.open(TARGET)  # what it says comes after what is still on the way
    assert not attachment.session.ranks
    attachment.drain()
    assert [one.id for one in attachment.session.looks] == [1]
    assert attachment.session.counts() == {RankClass.ALIVE: 4}


def test_a_look_comes_sooner_when_a_timeout_draws_near(tmp_path: Path) -> None:
    attachment, engine, clock = attached(tmp_path, [*job(4), *look(2, 4)], refresh_s=5.0)
    attachment.begin_watch(WatchOptions(Rules(), every_s=30.0), None)
    assert attachment.watch is not None
    for next_s, expected in ((None, 30.0), (3.0, 3.0), (70.0, 30.0)):
        attachment.watch.next_s = next_s
        told = engine.told("look")
        clock.now = NOW + int(expected * SECOND) - 1
        attachment.look_when_due()
        assert engine.told("look") == told
        clock.now += 1
        attachment.look_when_due()
        assert engine.told("look") == told + 1
    attachment.end_watch()
    assert attachment.refresh_s == 5.0
