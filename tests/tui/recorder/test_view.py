"""What of the flight recorder is shown: filter, order, cursor, jumps and the way back, without any screen."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.tui.recorder_scripts import CPU, HOSTILE, NCCL, recorded, recorder_job, stuck, train
from tests.tui.recorder_scripts import dump_reply as dumped
from tests.tui.scripted import NOW, SECOND
from xpudbg.services.events import RanksMarked
from xpudbg.services.looks.recorders import RecorderAnalyst
from xpudbg.services.ranksets import RankSet
from xpudbg.services.recorder_tables.order import Sort
from xpudbg.services.session import Session
from xpudbg.tui.recorder import order as recorder_order
from xpudbg.tui.recorder.spots import GroupId, Spot, find_group, group_id
from xpudbg.tui.recorder.view import TABLES, RecorderView, Tab

TP1 = 2
"""Index of the group of ranks 4-7."""


def viewed(*, looks: int = 2, cpu: bool = False) -> tuple[Session, RecorderView]:
    jobs = {NCCL: stuck(), CPU: train(steps=2, backend="gloo")} if cpu else {NCCL: stuck()}
    session = Session()
    for event in recorder_job(jobs, looks=looks):
        session.apply(event)
    view = RecorderView(session)
    assert view.update() is None
    return session, view


def rows(view: RecorderView) -> list[int]:
    view.update()
    assert view.shown is not None
    return [int(row) for row in view.shown.order]


def cells(view: RecorderView, key: str) -> list[str]:
    """One column of the rows shown."""
    view.update()
    shown = view.shown
    assert shown is not None
    place = [column.key for column in shown.rows.columns].index(key)
    return [shown.rows.cell(int(row), place)[0] for row in shown.order]


def spot_of(view: RecorderView) -> Spot:
    spot = view.spot()
    assert spot is not None
    return spot


def look_again(session: Session, at: int = NOW + 10 * SECOND) -> None:
    job = stuck()
    replies = [dumped(job, rank, NCCL, at) for rank in range(8)]
    for event in recorded(3, 8, replies, analyst=RecorderAnalyst((NCCL,)), at=at):
        session.apply(event)


# what there is ----------------------------------------------------------------------------------------------------


def test_without_a_look_there_is_nothing() -> None:
    view = RecorderView(Session())
    assert view.update() is None
    assert view.shown is None
    assert view.source == ""
    assert view.cursor() is None
    assert view.tables() is None


@pytest.mark.parametrize("tab", TABLES)
def test_each_table_is_whole_and_in_its_own_order_at_first(tab: Tab) -> None:
    _, view = viewed()
    view.choose(tab)
    shown_rows = rows(view)
    assert view.shown is not None
    assert shown_rows == list(range(view.shown.total))
    assert view.cursor() == 0


def test_the_rows_are_the_same_object_until_something_is_chosen() -> None:
    _, view = viewed()
    view.choose(Tab.CALLS)
    view.update()
    first = view.shown
    view.update()
    assert view.shown is first
    view.sort_by("rank")
    view.update()
    assert view.shown is not first
    assert view.shown is not None
    assert first is not None
    assert view.shown.rows is first.rows


def test_sources_take_turns_and_one_that_is_gone_is_not_missed() -> None:
    session, view = viewed(cpu=True)
    assert list(view.sources) == [NCCL, CPU]
    assert view.source == NCCL
    assert view.next_source() == CPU
    assert view.next_source() == NCCL
    view.next_source()
    look_again(session)
    assert list(view.sources) == [NCCL]
    assert view.source == NCCL


# filter -----------------------------------------------------------------------------------------------------------


def test_the_filter_is_that_of_the_tab() -> None:
    _, view = viewed()
    view.choose(Tab.CALLS)
    view.set_filter("rank:5")
    assert set(cells(view, "rank")) == {"5"}
    view.choose(Tab.GROUPS)
    assert len(rows(view)) == 3
    view.choose(Tab.CALLS)
    assert view.state.text == "rank:5"


def test_of_a_bad_filter_the_good_terms_hold_and_the_bad_one_is_told() -> None:
    _, view = viewed()
    view.choose(Tab.CALLS)
    view.set_filter("rank:5 seq:x")
    assert "seq:" in view.state.error
    assert set(cells(view, "rank")) == {"5"}
    view.set_filter('"')
    assert view.state.error
    assert len(rows(view)) == 59


def test_hosts_marks_and_fields_of_the_table() -> None:
    session, view = viewed()
    view.choose(Tab.CALLS)
    view.set_filter("is:marked")
    assert rows(view) == []
    session.apply(RanksMarked(RankSet([2, 5])))
    assert set(cells(view, "rank")) == {"2", "5"}
    host = session.ranks[5].host
    wanted = {str(rank) for rank, state in session.ranks.items() if state.host == host}
    view.set_filter(f"host:{host}")
    assert set(cells(view, "rank")) == wanted
    view.choose(Tab.GROUPS)
    view.set_filter("rank:5 dtype:f32")
    assert view.state.error.startswith("dtype: can't be asked of groups; fields here are rank:0-63")
    assert 0 < len(rows(view)) < 3


# order ------------------------------------------------------------------------------------------------------------


def test_a_column_again_turns_round_and_another_replaces_it() -> None:
    _, view = viewed()
    view.choose(Tab.CALLS)
    for key, wanted in (("rank", False), ("rank", True), ("op", False)):
        view.sort_by(key)
        assert view.state.sorts == (Sort(key, wanted),)


def test_several_columns() -> None:
    _, view = viewed()
    view.choose(Tab.CALLS)
    view.sort_by("rank")
    view.sort_by("seq", also=True)
    view.sort_by("seq", also=True)
    assert list(view.state.sorts) == [Sort("rank"), Sort("seq", True)]
    ranks, numbers = cells(view, "rank"), cells(view, "seq")
    pairs = [(int(rank), -int(number)) for rank, number in zip(ranks, numbers, strict=True)]
    assert pairs == sorted(pairs)
    view.state.sort.less()
    assert list(view.state.sorts) == [Sort("rank")]


def test_the_keys_go_through_the_columns_and_never_take_one_twice() -> None:
    _, view = viewed()
    view.choose(Tab.GROUPS)
    view.update()
    assert view.shown is not None
    keys = [column.key for column in view.shown.rows.columns]
    view.state.sort.next(view.keys())
    view.state.sort.next(view.keys())
    assert list(view.state.sorts) == [Sort(keys[1])]
    for _ in range(len(keys)):
        view.state.sort.also(view.keys())
    assert sorted(sort.field for sort in view.state.sorts) == sorted(keys)
    view.state.sort.turn(view.keys())
    assert view.state.sorts[-1].descending
    for _ in range(len(keys) + 1):
        view.state.sort.less()
    assert list(view.state.sorts) == []


# cursor -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tab", TABLES)
def test_the_cursor_stays_on_its_row_over_sort_filter_and_look(tab: Tab) -> None:
    session, view = viewed()
    view.choose(tab)
    view.update()
    assert view.shown is not None
    last = view.shown.total - 1
    view.stand_on(last)
    spot = view.spot()
    view.sort_by(view.shown.rows.columns[0].key)
    view.state.sort.turn(view.keys())
    view.update()
    assert view.cursor() == last
    look_again(session)
    view.update()
    assert view.spot() == spot
    view.set_filter("nothing says this")
    view.update()
    assert view.cursor() is None
    view.set_filter("")
    view.update()
    assert view.spot() == spot


# jumps ------------------------------------------------------------------------------------------------------------


def into_calls_of(view: RecorderView) -> None:
    view.jump_to_calls_of(TP1, 4)


def into_call(view: RecorderView) -> None:
    view.jump_to_call(6, TP1, 4)


def into_rank(view: RecorderView) -> None:
    view.jump_to_rank(5)


def into_rank_in_group(view: RecorderView) -> None:
    view.jump_to_rank(5, TP1)


def into_group(view: RecorderView) -> None:
    view.jump_to_group(TP1)


@pytest.mark.parametrize(
    ("jump", "tab", "words", "ranks"),
    [
        (into_calls_of, Tab.CALLS, "calls of #4 of tp1", {"4", "6", "7"}),
        (into_call, Tab.CALLS, "calls of #4 of tp1", {"4", "6", "7"}),
        (into_rank, Tab.CALLS, "calls of rank 5", {"5"}),
        (into_rank_in_group, Tab.CALLS, "calls of rank 5 in tp1", {"5"}),
        (into_group, Tab.MEMBERSHIPS, "members of tp1", {"4", "5", "6", "7"}),
    ],
)
def test_a_jump_shows_its_rows_alone(
    jump: Callable[[RecorderView], None], tab: Tab, words: str, ranks: set[str]
) -> None:
    session, view = viewed()
    for looked in (False, True):
        if looked:
            look_again(session)
        else:
            jump(view)
        assert (view.tab, view.state.words) == (tab, words)
        assert set(cells(view, "rank")) == ranks
        assert {text.removeprefix("! ") for text in cells(view, "group")} <= {"14:tp1", "0:default_pg", "  14:tp1"}


def test_calls_of_a_rank_in_a_group_are_of_that_group() -> None:
    _, view = viewed()
    into_rank_in_group(view)
    assert cells(view, "group") == ["14:tp1"] * 3
    into_rank(view)
    assert sorted(cells(view, "group")) == ["0:default_pg"] * 3 + ["14:tp1"] * 3


def test_a_jump_to_one_call_puts_the_cursor_on_its_rank() -> None:
    _, view = viewed()
    into_call(view)
    view.update()
    spot = spot_of(view)
    assert (spot.rank, spot.seq, spot.p2p) == (6, 4, False)


def test_a_jump_to_a_collective_or_finding_narrows_nothing() -> None:
    _, view = viewed()
    view.jump_to_collective(TP1, 4)
    assert len(rows(view)) == 12
    spot = spot_of(view)
    assert spot.seq == 4
    assert spot.group is not None
    assert spot.group.name == "14"
    view.jump_to_finding(0)
    view.update()
    assert (view.tab, view.cursor()) == (Tab.FINDINGS, 0)


def test_a_jump_takes_the_filter_of_its_tab_away_and_back_gives_it_back() -> None:
    _, view = viewed()
    view.choose(Tab.CALLS)
    view.set_filter("rank:0")
    view.choose(Tab.GROUPS)
    view.jump_to_rank(5, outside=False)
    assert set(cells(view, "rank")) == {"5"}
    visit = view.back()
    assert visit is not None
    assert not visit.outside
    assert view.tab is Tab.GROUPS
    view.choose(Tab.CALLS)
    assert view.state.text == "rank:0"
    assert set(cells(view, "rank")) == {"0"}


def test_back_undoes_jump_by_jump() -> None:
    _, view = viewed()
    view.jump_to_group(TP1)
    view.jump_to_rank(5, TP1, outside=False)
    view.jump_to_calls_of(TP1, 4, outside=False)
    for words, outside in (("calls of rank 5 in tp1", False), ("members of tp1", False), ("", True)):
        visit = view.back()
        assert visit is not None
        assert (view.state.words, visit.outside) == (words, outside)
    assert view.back() is None
    assert view.tab is Tab.FINDINGS


def test_a_jump_into_another_source_comes_back_to_the_first() -> None:
    _, view = viewed(cpu=True)
    view.jump_to_rank(1, source=CPU)
    assert view.source == CPU
    assert len(rows(view)) == 4
    view.back()
    assert view.source == NCCL


def test_another_rank_selected_is_followed() -> None:
    _, view = viewed()
    view.jump_to_rank(5, TP1)
    view.follow(6)
    assert view.state.words == "calls of rank 6 in tp1"
    assert set(cells(view, "rank")) == {"6"}
    view.jump_to_calls_of(TP1, 4)
    view.update()
    view.follow(7)
    assert spot_of(view).rank == 7
    view.choose(Tab.COLLECTIVES)
    view.follow(3)
    assert view.state.narrowed is None


def test_the_cursor_of_a_ranks_calls_is_on_the_newest() -> None:
    _, view = viewed()
    view.jump_to_rank(6, TP1)
    numbers = [int(number) for number in cells(view, "seq")]
    assert numbers == sorted(numbers)
    assert spot_of(view).seq == numbers[-1] == 4
    view.sort_by("seq")
    view.state.sort.turn(view.keys())
    view.follow(7)
    view.update()
    assert (spot_of(view).rank, spot_of(view).seq) == (7, 4)


def test_a_finding_leads_to_a_call_and_its_culprit() -> None:
    _, view = viewed()
    spot = view.finding_spot(spot_of(view))
    assert spot is not None
    assert (spot.seq, spot.rank) == (4, 5)
    assert view.finding_spot(Spot(finding=("gone",))) is None


def test_a_group_that_is_gone_leaves_no_row() -> None:
    _, view = viewed()
    view.jump_to_group(TP1)
    assert view.state.narrowed is not None
    view.state.narrowed = Spot(group=GroupId("gone", view.state.narrowed.group.members))  # type: ignore[union-attr]
    assert rows(view) == []


def test_a_group_whose_members_became_known_is_still_the_same() -> None:
    session, _ = viewed()
    groups = session.recorder.diagnoses[NCCL].analysis.job.groups
    known = group_id(groups[TP1])
    some = GroupId(known.name, known.members & session.all_ranks & type(known.members)([4, 5]))
    assert find_group(groups, known) == find_group(groups, some) == TP1
    assert find_group(groups, GroupId("10", known.members)) is None


def test_names_of_groups_are_told_as_recorded() -> None:
    session = Session()
    for event in recorder_job(train(tp=HOSTILE), looks=1):
        session.apply(event)
    view = RecorderView(session)
    view.jump_to_group(TP1)
    assert view.state.words == f"members of {HOSTILE}1"


# beside the screen ------------------------------------------------------------------------------------------------


def test_a_long_order_is_given_back_and_taken_only_while_it_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    _, view = viewed()
    monkeypatch.setattr(recorder_order, "LONG", 10)
    view.choose(Tab.CALLS)
    work = view.update()
    assert work is not None
    assert view.shown is None
    made = work.carry_out()
    view.sort_by("rank")
    assert not view.take(made)
    assert view.shown is None
    newer = view.update()
    assert newer is not None
    assert view.take(newer.carry_out())
    assert view.update() is None
    assert set(cells(view, "rank")) == {str(rank) for rank in range(8)}


def test_findings_and_groups_never_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    _, view = viewed()
    monkeypatch.setattr(recorder_order, "LONG", 1)
    for tab in (Tab.GROUPS, Tab.FINDINGS):
        view.choose(tab)
        assert view.update() is None
        assert view.shown is not None
