"""What is chosen of the stacks."""

from __future__ import annotations

from tests.tui.scripted import NOW, SECOND
from tests.tui.stack_scripts import hung, stack_job, stacks
from xpudbg.services.looks.stacks import StackAnalyst
from xpudbg.services.ranksets import RankSet
from xpudbg.services.session import Session
from xpudbg.services.stacks.tree import ThreadChoice
from xpudbg.tui.ranks.filter import RankFilter
from xpudbg.tui.stacks.view import StackView


def viewed() -> tuple[Session, StackView]:
    session = Session()
    view = StackView(session)
    assert view.is_current
    for event in stack_job(8, hung(8, loading=[2]), looks=2):
        session.apply(event)
    return session, view


def test_the_usual_choice_needs_no_merge() -> None:
    session, view = viewed()
    assert view.merged is not session.stacks.merged
    assert view.update() is None
    assert view.is_current
    assert view.merged is session.stacks.merged


def test_another_choice_is_merged_first_and_the_old_one_shown_so_long() -> None:
    _, view = viewed()
    view.update()
    before = view.merged
    view.threads, view.show_boring = ThreadChoice.ALL, True
    order = view.update()
    assert order is not None
    assert order == view.update()
    assert view.merged is before
    assert not view.is_current
    merged = order.carry_out()
    assert view.take(order, merged)
    assert view.merged is merged
    assert (view.merged_threads, view.merged_boring) == (ThreadChoice.ALL, True)
    assert merged.root.threads == 16


def test_a_merge_that_is_no_longer_wanted_is_not_shown() -> None:
    session, view = viewed()
    view.threads = ThreadChoice.ALL
    order = view.update()
    assert order is not None
    for event in stacks(3, 8, hung(8), at=NOW + SECOND):
        session.apply(event)
    assert not view.take(order, order.carry_out())
    newer = view.update()
    assert newer is not None
    assert newer != order
    view.threads = ThreadChoice.MAIN
    assert view.update() is None
    assert not view.take(newer, newer.carry_out())


def test_the_filter_leaves_a_part() -> None:
    _, view = viewed()
    view.update()
    everything = RankSet.full(8)
    assert view.part(None, everything) is view.merged
    chosen = RankFilter.parse("frame:loader rank:0-4")
    part = view.part(chosen, RankSet([2]))
    assert view.part(chosen, RankSet([2])) is part
    assert part.ranks == RankSet([2])
    assert {frame.function for frame in view.matched(chosen)} == {"next_batch"}
    assert view.hits(chosen, RankSet([2])) == [(0, 3)]
    assert view.hits(RankFilter.parse("frame:train.py"), everything) == [(0, 1), (0, 2)]


def test_where_a_rank_is() -> None:
    session, view = viewed()
    where = view.where(0)
    assert where is not None
    assert where.function == "flush"
    assert [frame.function for frame in view.top(2)] == ["decode", "next_batch", "train", "<module>"]
    assert [frame.function for frame in view.top(0)][:2] == ["all_reduce", "flush"]
    assert view.where(99) is None
    assert view.top(None) == ()
    for event in stacks(3, 8, hung(8, loading=[0])):
        session.apply(event)
    moved = view.where(0)
    assert moved is not None
    assert moved.function == "decode"


def test_what_ranks_did_since_the_look_before() -> None:
    session, analyst = Session(), StackAnalyst()
    view = StackView(session)
    for number, loading in enumerate(([2], [3]), 1):
        at = NOW + number * 10 * SECOND
        for event in stacks(number, 8, hung(8, loading=loading), analyst=analyst, at=at):
            session.apply(event)
        view.update()
    assert view.standing(RankSet([3])).moved == RankSet([3])
    assert view.standing(RankSet([0, 1])).same == RankSet([0, 1])
    assert view.standing(RankSet([0, 1])).since == NOW + 6 * SECOND
