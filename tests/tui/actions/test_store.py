"""Why the store's screen can't be opened, in words."""

from __future__ import annotations

from xpudbg.services import events
from xpudbg.services.session import Session
from xpudbg.services.snapshot import RankAddress
from xpudbg.services.store_browse.events import StoreListed, StoreListing
from xpudbg.tui.actions.registry import by_name
from xpudbg.tui.actions.store import needs_store


def test_where_there_is_no_store_it_says_why() -> None:
    session = Session()
    assert needs_store(session) == "no store is attached"
    session.apply(events.TargetOpening("dumps"))
    assert needs_store(session) == "the target is being opened"
    session.apply(events.TargetOpened("dumps", 1, (RankAddress(0, "", "", "", file="dump_0"),)))
    assert needs_store(session) == "post mortem: these files have no store"
    session.apply(events.TargetOpening("http://a:1"))
    session.apply(events.TargetOpened("http://a:1", 1, (RankAddress(0, "http://a:1", "http://a:1", "a"),)))
    assert by_name["store"].why_not(session) == "the target names workers, not the job's store"


def test_what_needs_keys_waits_for_them() -> None:
    session = Session()
    session.apply(events.TargetOpened("store a:1", 0, (), store="a:1"))
    assert by_name["store"].why_not(session) == ""
    assert by_name["export_value"].why_not(session) == "no key is known yet"
    session.apply(events.TargetOpened("bundle", 0, (), store="a:1", replayed="a.xpudbg"))
    assert by_name["export_value"].why_not(session) == "no key is known"
    session.apply(StoreListed(StoreListing((), 0, 1)))
    assert by_name["export_value"].why_not(session) == ""
