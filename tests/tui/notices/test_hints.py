"""Four hints, one at a time, each once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.tui.recorder_scripts import recorder_job, stuck
from tests.tui.running import Running, running
from tests.tui.scripted import job, look
from xpudbg.services.session import Session
from xpudbg.services.settings.state import Remembered, StateFile
from xpudbg.tui.actions.registry import by_name
from xpudbg.tui.notices.hints import HINTS, PAUSE_NS, Hints

if TYPE_CHECKING:
    from pathlib import Path

    from xpudbg.services.events import Event


def session_after(events: list[Event]) -> Session:
    made = Session()
    for event in events:
        made.apply(event)
    return made


@pytest.fixture
def remembered(tmp_path: Path) -> Remembered:
    return Remembered(StateFile(tmp_path / "state.json"))


def shown(hints: Hints, session: Session, now: int = 0, mode: str = "overview") -> str:
    hint = hints.update(session, mode, now)
    return hint.name if hint is not None else ""


def test_all_come_one_after_the_other_and_never_again(remembered: Remembered) -> None:
    session, hints, came, now = session_after(recorder_job(stuck())), Hints(remembered, on=True), [], 0
    while name := shown(hints, session, now):
        assert shown(hints, session, now) == name, "it stays until it is done with"
        came.append(name)
        hints.drop(now)
        assert shown(hints, session, now + PAUSE_NS - 1) == "", "no crowd of hints"
        now += PAUSE_NS
    assert came == ["finding", "screens", "keep", "looks"]
    assert shown(Hints(remembered, on=True), session) == ""


def test_one_that_was_seen_does_not_come_in_the_next_session(remembered: Remembered) -> None:
    session = session_after(recorder_job(stuck()))
    assert shown(Hints(remembered, on=True), session) == "finding"
    assert shown(Hints(remembered, on=True), session) == "screens"


@pytest.mark.parametrize("hint", HINTS, ids=lambda hint: hint.name)
def test_what_is_done_already_needs_no_hint(hint: object, remembered: Remembered) -> None:
    one = next(each for each in HINTS if each is hint)
    for action in one.done_by:
        assert action in by_name
    Hints(remembered, on=True).done(one.done_by[0], 0)
    assert remembered.was_shown(one.name)


def test_a_job_that_is_well_needs_few(remembered: Remembered) -> None:
    session, hints = session_after(job(8)), Hints(remembered, on=True)
    assert shown(hints, session) == "screens"
    hints.done("stacks", 0)
    assert shown(hints, session, PAUSE_NS) == ""
    session = session_after([*job(8), *look(2, 8)])
    assert shown(hints, session, PAUSE_NS, mode="store") == ""
    assert shown(hints, session, PAUSE_NS) == "looks"
    assert shown(hints, session, PAUSE_NS, mode="dispatch") == ""
    assert hints.shown is None, "one that cannot be seen here takes no key"


def test_switched_off_there_are_none_and_nothing_is_kept(remembered: Remembered) -> None:
    hints = Hints(remembered, on=False)
    assert shown(hints, session_after(recorder_job(stuck()))) == ""
    hints.done("next_finding", 0)
    assert not remembered.was_shown("finding")


def switch_on(run: Running) -> None:
    run.app.hints = Hints(run.app.preferences.remembered, on=True)
    run.app._show_place()


async def test_while_a_filter_is_typed_there_is_none(tmp_path: Path) -> None:
    async with running(recorder_job(stuck()), tmp_path) as run:
        switch_on(run)
        await run.press("slash")
        assert "new here?" not in run.text()
        await run.press("a", "escape")
        assert "new here? f shows" in run.text(), "esc meant the filter"


async def test_a_hint_goes_with_what_it_tells_of_or_with_esc(tmp_path: Path) -> None:
    async with running(recorder_job(stuck()), tmp_path) as run:
        quiet = run.lines()
        assert "new here?" not in run.text()
        switch_on(run)
        await run.pilot.pause()
        assert run.lines()[-2].startswith(" new here? f shows a finding in full")
        assert run.lines()[-1] == quiet[-1]
        await run.press("down")
        assert "new here?" in run.text()
        await run.press("f")
        assert "new here?" not in run.text()
        run.clock.now += PAUSE_NS
        await run.press("2", "1")
        assert run.lines()[-2].startswith(" new here? Y copies the report"), "the screens were found meanwhile"
        assert "finding 1 of 1" in run.text()
        await run.press("escape")
        assert "new here?" not in run.text()
        assert "finding 1 of 1" in run.text(), "esc has taken the hint away and nothing else"
        await run.press("escape")
        assert "finding 1 of 1" not in run.text()
