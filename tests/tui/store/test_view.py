"""What a person searches for in the store, which keys are left, which values are still to be read."""

from __future__ import annotations

from tests.tui.store_scripts import READ_AT, ScriptedStore, job_keys, store_job
from xpudbg.services.session import Session
from xpudbg.services.store_browse.events import StoreSearched
from xpudbg.services.store_browse.orders import ListKeys, ReadValues, StoreOrder
from xpudbg.tui.store.view import StoreView


class Viewed:
    """A view on a session whose store answers."""

    def __init__(self) -> None:
        self.session, self.store = Session(), ScriptedStore(job_keys())
        for event in store_job():
            self.session.apply(event)
        self.view = StoreView(self.session)
        self.tell(ListKeys())

    def tell(self, order: StoreOrder) -> None:
        for event in self.store(order):
            self.session.apply(event)


def test_keys_that_fit() -> None:
    view = Viewed().view
    assert view.total == len(view.shown()) == 13
    view.type("rank !default")
    assert len(view.shown()) == 5
    assert view.tree() is view.tree()
    view.type("rank !default value:hex:0")
    assert "pairs of hex digits" in view.error
    assert len(view.shown()) == 5  # the other terms hold while it is being typed
    assert not view.search.reads_values
    view.type("")
    assert (view.error, len(view.shown())) == ("", 13)


def test_a_search_over_values_is_due_once_for_the_keys_there_are() -> None:
    viewed = Viewed()
    view = viewed.view
    assert not view.search_due()
    view.type("rank value:node")
    assert view.search_due()
    assert len(view.shown()) == 5  # by name, until values have been read
    listing = viewed.session.store.listing
    assert listing is not None
    view.sought = (view.search, listing)
    assert not view.search_due()
    viewed.session.apply(StoreSearched(view.search, (b"debug_server/rank0",), 3, 6))
    assert view.shown() == (b"debug_server/rank0",)
    view.type("rank value:other")
    assert view.found is None
    viewed.tell(ListKeys())
    assert view.search_due()


def test_values_are_asked_for_once_and_again_where_more_is_wanted() -> None:
    viewed = Viewed()
    view, keys = viewed.view, (b"odd/big", b"debug_server/rank0")
    assert view.to_read(keys, 100) == keys
    assert view.to_read(keys, 100) == ()  # on their way
    viewed.tell(ReadValues(keys, 100))
    assert view.to_read(keys, 100) == ()
    assert view.to_read(keys, 1_000) == (b"odd/big",)  # the other one is whole
    assert view.to_read(keys, 1_000) == ()  # on its way, though a part is there
    assert view.to_read(keys, 100) == ()
    viewed.tell(ReadValues((b"odd/big",), 1_000))
    assert view.to_read(keys, 1_000) == ()


def test_values_are_read_anew_when_the_keys_were_listed_anew() -> None:
    viewed = Viewed()
    view = viewed.view
    viewed.tell(ReadValues(view.to_read((b"odd/big",), 100), 100))
    viewed.store.read_at = READ_AT + 5
    assert view.begin_listing()
    viewed.tell(ListKeys())
    assert view.value(b"odd/big") is not None  # the old one is shown until then
    assert view.to_read((b"odd/big",), 100) == (b"odd/big",)


def test_long_values_are_read_anew_only_where_a_person_wants_it() -> None:
    viewed = Viewed()
    view, keys = viewed.view, (b"odd/big", b"debug_server/rank0")
    assert view.begin_listing()
    viewed.tell(ListKeys())
    viewed.tell(ReadValues(view.to_read(keys, 100), 100))
    viewed.store.read_at = READ_AT + 5
    assert view.begin_listing(by_itself=True)
    viewed.tell(ListKeys())
    big = view.value(b"odd/big")
    assert big is not None
    assert view.is_kept(big)
    assert view.to_read(keys, 100) == (b"debug_server/rank0",)
    assert view.to_read((b"odd/big",), 1_000) == (b"odd/big",)  # more of it is wanted
    viewed.store.read_at = READ_AT + 9
    assert view.begin_listing(by_itself=True)
    assert not view.begin_listing()  # under way already, and now wanted
    viewed.tell(ListKeys())
    assert not view.is_kept(big)
    assert view.to_read(keys, 100) == keys


def test_keys_are_listed_once_at_a_time() -> None:
    viewed = Viewed()
    assert viewed.view.begin_listing()
    assert not viewed.view.begin_listing()
    viewed.store.failure = "refused"
    viewed.tell(ListKeys())
    assert viewed.view.begin_listing()
    for event in store_job():  # opened again after a failure
        viewed.session.apply(event)
    assert viewed.view.begin_listing()
    assert viewed.view.notices() == []


def test_from_key_to_key_in_the_order_of_the_lines() -> None:
    viewed = Viewed()
    viewed.store.held = {b"rank%d/x" % number: b"" for number in range(12)} | {b"rank2/y": b""}
    viewed.tell(ListKeys())
    view = viewed.view
    branches = view.tree().children()
    assert [branch.label for branch in branches[:4]] == [b"rank0/x", b"rank1/x", b"rank2/", b"rank3/x"]
    assert view.neighbour(None, 1) == view.neighbour(branches[-1], 1) == b"rank0/x"
    assert (view.neighbour(branches[1], 1), view.neighbour(branches[1], -1)) == (b"rank2/x", b"rank0/x")
    assert (view.neighbour(branches[2], 1), view.neighbour(branches[2], -1)) == (b"rank2/x", b"rank1/x")
    view.type("nothing")
    assert view.neighbour(None, 1) is None


def test_the_key_after_a_line_whose_keys_are_gone() -> None:
    viewed = Viewed()
    view = viewed.view
    old = view.tree()
    gone = [branch for branch in old.children() if branch.prefix.startswith(b"odd/")]
    gone += [leaf for branch in gone for leaf in branch.children()]
    for key in [key for key in viewed.store.held if key.startswith(b"odd/")]:
        del viewed.store.held[key]
    viewed.tell(ListKeys())
    assert {view.neighbour(branch, step) for branch in gone for step in (1, -1)} == {b"debug_server/rank0"}
