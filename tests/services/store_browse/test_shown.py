"""What is known of a store: it changes by events only, and does not grow without end."""

from __future__ import annotations

from xpudbg.services import events as session_events
from xpudbg.services.session import Session
from xpudbg.services.store_browse import events
from xpudbg.services.store_browse.searching import parse_search
from xpudbg.services.store_browse.shown import NOTICES, VALUES_MEMORY, StoreShown
from xpudbg.services.store_browse.values import StoreValue


def listing(*keys: bytes, at: int = 5) -> events.StoreListed:
    return events.StoreListed(events.StoreListing(keys, len(keys) + 1, at))


def test_listing_and_what_goes_wrong() -> None:
    store = StoreShown("head:1")
    store.apply(events.StoreReading())
    assert store.reading
    store.apply(events.StoreRefused("refused", "is it up?"))
    assert (store.reading, store.failure, store.hint, store.listing) == (False, "refused", "is it up?", None)
    store.apply(listing(b"a", b"b"))
    assert store.listing is not None
    assert (store.failure, store.listing.keys) == ("", (b"a", b"b"))
    store.apply(events.StoreRefused("gone"))
    assert store.listing.keys == (b"a", b"b")  # what was known stays


def test_values_of_keys_that_are_no_longer_listed_go() -> None:
    store = StoreShown("head:1")
    store.apply(listing(b"a", b"b"))
    store.apply(events.StoreValuesRead((StoreValue(b"a", b"1", 1, 6), StoreValue(b"b", b"2", 1, 6))))
    store.apply(events.StoreSearched(parse_search("value:1"), (b"a",), 2, 2, done=True))
    store.apply(listing(b"b", at=7))
    assert set(store.values) == {b"b"}
    assert store.search is None


def test_values_do_not_grow_without_end() -> None:
    store = StoreShown("head:1")
    big = VALUES_MEMORY // 4 - 10
    for number in range(10):
        store.apply(events.StoreValuesRead((StoreValue(b"%d" % number, bytes(big), big, 1),)))
    assert list(store.values) == [b"6", b"7", b"8", b"9"]
    store.apply(events.StoreValuesRead((StoreValue(b"9", b"x", 1, 2),)))
    store.apply(events.StoreValuesRead((StoreValue(b"10", bytes(big), big, 2),)))
    assert list(store.values) == [b"6", b"7", b"8", b"9", b"10"]  # what was replaced does not count any more


def test_notices_are_counted() -> None:
    store = StoreShown()
    for number in range(NOTICES + 5):
        store.apply(events.StoreSaid(str(number)))
    assert (store.said, len(store.notices), store.notices[-1]) == (NOTICES + 5, NOTICES, str(NOTICES + 4))


def test_the_session_has_it_and_forgets_it_with_the_target() -> None:
    session = Session()
    session.apply(session_events.TargetOpened("store head:1", 0, (), store="head:1"))
    revision = session.revision
    session.apply(listing(b"a"))
    assert (session.store.where, session.revision) == ("head:1", revision + 1)
    session.apply(session_events.TargetOpening("another"))
    assert (session.store.where, session.store.listing) == ("", None)
