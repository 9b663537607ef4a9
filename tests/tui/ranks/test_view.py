"""Filter and sort shared by the screens."""

from __future__ import annotations

from tests.tui.scripted import job
from tests.tui.stack_scripts import hung, stack_job
from xpudbg.services import events
from xpudbg.services.session import Session
from xpudbg.services.stacks.tree import ThreadChoice
from xpudbg.tui.ranks.view import RankView


def viewed() -> tuple[Session, RankView]:
    session = Session()
    for event in job(16, {3: "stopped", 9: "dead", 12: "gil_held"}):
        session.apply(event)
    return session, RankView(session)


def test_of_a_bad_filter_the_good_terms_hold() -> None:
    _, view = viewed()
    view.set_filter("rank:0-3 grp:x")
    assert "grp: is no field" in view.error
    assert view.filter is not None
    assert list(view.order()) == [0, 1, 2, 3]
    view.set_filter("")
    assert not view.error
    assert len(view.order()) == 16


def test_the_order_is_made_once_for_a_state() -> None:
    session, view = viewed()
    first = view.order()
    assert view.order() is first
    session.apply(events.RankSelected(5))
    assert view.order() is first


def test_sorting_twice_turns_the_order_round() -> None:
    _, view = viewed()
    view.sort.by("class")
    assert list(view.order())[:3] == [9, 3, 12]
    view.sort.by("class")
    assert list(view.order())[-3:] == [12, 3, 9]
    view.sort.by("rank")
    assert view.sort.sorts == (("rank", False),)


def test_the_next_column() -> None:
    _, view = viewed()
    view.sort.next(view.keys())
    assert view.sort.sorts == (("class", False),)
    for _ in range(8):
        view.sort.next(view.keys())
    assert view.sort.sorts == (("rank", False),)


def test_next_goes_round_those_that_are_not_well() -> None:
    session, view = viewed()
    walked = []
    for _ in range(4):
        rank = view.next_match(1)
        assert rank is not None
        session.apply(events.RankSelected(rank))
        walked.append(rank)
    assert walked == [3, 9, 12, 3]
    assert view.next_match(-1) == 12


def test_next_goes_through_what_the_filter_shows() -> None:
    session, view = viewed()
    view.set_filter("rank:5-6")
    assert view.next_match(1) == 5
    session.apply(events.RankSelected(5))
    assert view.next_match(1) == 6
    view.set_filter("nothing-like-it")
    assert view.next_match(1) is None


def test_texts_are_looked_for_in_the_stacks_that_are_shown() -> None:
    session = Session()
    for event in stack_job(8, hung(8, loading=[2])):
        session.apply(event)
    view = RankView(session)
    assert view.stacks.update() is None
    view.set_filter("frame:loader")
    assert list(view.order()) == [2]
    view.set_filter("frame:pin_memory")
    assert not list(view.order())
    view.stacks.threads = ThreadChoice.ALL
    order = view.stacks.update()
    assert order is not None
    assert view.stacks.take(order, order.carry_out())
    assert len(view.order()) == 8
