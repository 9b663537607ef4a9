"""Why an action cannot be done."""

from __future__ import annotations

from tests.tui.scripted import job, look
from tests.tui.stack_scripts import hung, stack_job
from xpudbg.services import events
from xpudbg.services.ranksets import RankSet
from xpudbg.services.session import Session
from xpudbg.tui.action import can_look, look_under_way, needs_marks, needs_ranks, needs_stacks, needs_target


def test_what_is_missing_is_said() -> None:
    session = Session()
    assert needs_target(session) == can_look(session) == "nothing is attached"
    assert needs_ranks(session) == "no rank is known yet"
    session.apply(events.TargetOpening("s"))
    assert can_look(session) == "the target is being opened"
    for event in job(4):
        session.apply(event)
    assert not needs_target(session)
    assert not needs_ranks(session)
    assert not can_look(session)
    assert look_under_way(session) == "no look is under way"
    assert needs_stacks(session) == "there are no stacks yet"
    assert needs_marks(session) == "no rank is marked"
    for event in (*look(2, 4, closed=False), events.RanksMarked(RankSet([1]))):
        session.apply(event)
    assert can_look(session) == "look 2 is still under way"
    assert not look_under_way(session)
    assert not needs_marks(session)
    for event in stack_job(4, hung(4)):
        session.apply(event)
    assert not needs_stacks(session)
