"""Why an action cannot be done."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.tui.counter_scripts import counter_job, trained
from tests.tui.scripted import job, look
from tests.tui.stack_scripts import hung, stack_job
from xpudbg.services import events
from xpudbg.services.ranksets import RankSet
from xpudbg.services.session import Session
from xpudbg.tui.actions.conditions import (
    POST_MORTEM,
    REPLAYED,
    UNCHANGING,
    can_ask,
    can_look,
    can_watch,
    counters_there,
    look_under_way,
    needs_closed_look,
    needs_counters,
    needs_earlier_look,
    needs_marks,
    needs_ranks,
    needs_stacks,
    needs_target,
    needs_torchcomms,
    takes_looks,
)


def test_what_is_missing_is_said() -> None:
    session = Session()
    assert needs_target(session) == can_look(session) == "nothing is attached"
    assert needs_ranks(session) == "no rank is known yet"
    files = Session()
    files.apply(events.TargetOpened("files", 0, (), of_files=True))
    assert needs_ranks(files) == "no rank is known"
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


def test_only_a_living_job_is_watched_and_only_closed_looks_are_written() -> None:
    session = Session()
    assert can_watch(session) == needs_closed_look(session) == "nothing is attached"
    session.apply(events.TargetOpening("s"))
    assert can_watch(session) == "the target is being opened"
    said = []
    for event in job(4):
        session.apply(event)
        said.append(needs_closed_look(session))
    assert (said[-2], said[-1]) == ("no look has ended yet", "")
    assert not can_watch(session)
    session.replayed = "from a bundle"
    assert (can_watch(session), needs_closed_look(session)) == (REPLAYED, "")
    session.apply(events.TargetFailed("s", "refused", ""))
    session.replayed = ""
    assert can_watch(session) == "the target could not be opened"


@pytest.mark.parametrize("reason", [REPLAYED, POST_MORTEM])
def test_looks_that_were_captured_ask_nobody(reason: str) -> None:
    """A bundle, and files; where these hold counters, the page for them is there."""
    session = Session()
    for event in counter_job(4, trained(4)):
        if isinstance(event, events.TargetOpened) and reason is REPLAYED:
            event = replace(event, replayed="bundle of 2 looks")
        elif isinstance(event, events.TargetOpened):
            event = replace(event, addresses=tuple(replace(one, file="rank.txt") for one in event.addresses))
        session.apply(event)
    for why_not in (can_ask, takes_looks, look_under_way, needs_torchcomms):
        assert why_not(session) == reason, why_not
    for why_not in (counters_there, needs_counters, needs_earlier_look):
        assert why_not(session) == "", why_not


def test_a_bundle_is_not_read_again_but_from_an_older_look_there_is_a_way_back() -> None:
    session = Session()
    for event in (*job(2), *look(2, 2)):
        session.apply(replace(event, replayed="a.xpudbg") if isinstance(event, events.TargetOpened) else event)
    assert can_look(session) == UNCHANGING
    session.apply(events.LookShown(1))
    assert can_look(session) == ""
    session.apply(events.TargetFailed("a.xpudbg", "it is gone", ""))
    assert can_look(session) == ""


def test_files_without_counters_have_no_page_for_them() -> None:
    session = Session()
    for event in job(2):
        if isinstance(event, events.TargetOpened):
            event = replace(event, addresses=tuple(replace(one, file="dump_0") for one in event.addresses))
        session.apply(event)
    assert counters_there(session) == needs_counters(session) == "these files hold no wait counters"
    assert needs_earlier_look(session) == "there is only one look"
    assert needs_earlier_look(Session()) == "nothing is attached"
