"""The filter of the profiler's tables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tui.profile_scripts import captured
from tests.tui.scripted import job
from xpudbg.services.events import RanksMarked
from xpudbg.services.filters.terms import FIELDS, FilterError
from xpudbg.services.profiles.profiles import Profiles
from xpudbg.services.ranksets import RankSet
from xpudbg.services.session import Session
from xpudbg.tui.profiler.filter import PLACES, ProfileFilter
from xpudbg.tui.profiler.view import ProfilerView, ProfileTab


def shown(tab: ProfileTab) -> tuple[ProfilerView, Session]:
    profiles, session = Profiles(), Session()
    for event in job(8):
        session.apply(event)
    for event in captured():
        profiles.apply(event)  # type: ignore[arg-type]
    view = ProfilerView(profiles)
    view.tab = tab
    return view, session


def left(view: ProfilerView, session: Session, column: str) -> set[str]:
    rows = view.rows(session, 0)
    place = [one.key for one in rows.columns].index(column)
    return {rows.entries(int(row))[place].text for row in view.order(session, 0)}


@pytest.mark.parametrize(
    ("text", "ranks"),
    [
        ("rank:2-4", {"2", "3", "4"}),
        ("!rank:0-3", {"4", "5"}),
        ("state:done", {"0", "1", "2", "3"}),
        ("state:fail,canc", {"4", "5"}),
        ("!state:done", {"4", "5"}),
        ("op:mm", {"0", "1", "2", "3"}),
        ("op:done", set()),
        ("runtimeerror", {"4"}),
        ('"HTTP 500"', {"4"}),
        ("re:^HTTP", {"4"}),
        ('re:"HTTP 5\\d+"', {"4"}),
        ("is:marked", {"1", "5"}),
        ("!is:marked state:done", {"0", "2", "3"}),
        ("host:node", {"0", "1", "2", "3", "4", "5"}),
        ("host:zzz", set()),
    ],
)
def test_ranks(text: str, ranks: set[str]) -> None:
    view, session = shown(ProfileTab.RANKS)
    session.apply(RanksMarked(RankSet([1, 5])))
    view.set_filter(text)
    assert not view.state.error
    assert left(view, session, "rank") == ranks


def test_marks_that_change_change_the_rows() -> None:
    view, session = shown(ProfileTab.RANKS)
    view.set_filter("is:marked")
    assert left(view, session, "rank") == set()
    session.apply(RanksMarked(RankSet([3])))
    assert left(view, session, "rank") == {"3"}


@pytest.mark.parametrize(
    ("tab", "text", "column", "holds"),
    [
        (ProfileTab.OPERATORS, "op:aten", "name", lambda cell: cell.startswith("aten")),
        (ProfileTab.OPERATORS, "!op:aten", "name", lambda cell: not cell.startswith("aten")),
        (ProfileTab.OPERATORS, "re:^aten::m", "name", lambda cell: cell.startswith("aten::m")),
        (ProfileTab.DIFFERENCE, "op:NCCL", "name", lambda cell: "nccl" in cell.lower()),
        (ProfileTab.COLLECTIVES, "group:default_pg", "group", lambda cell: "default_pg" in cell),
        (ProfileTab.COLLECTIVES, "!group:default_pg", "group", lambda cell: "default_pg" not in cell),
        (ProfileTab.GAPS, "!op:gemm", "before", lambda cell: "gemm" not in cell),
        (ProfileTab.COLLECTIVES, "op:reduce", "name", lambda cell: "reduce" in cell.lower()),
        (ProfileTab.GAPS, "re:stream", "track", lambda cell: "stream" in cell),
        (ProfileTab.SAVED, "older", "name", lambda cell: cell == "older"),
    ],
)
def test_the_other_tables(tab: ProfileTab, text: str, column: str, holds: object) -> None:
    view, session = shown(tab)
    everything = left(view, session, column)
    view.set_filter(text)
    assert not view.state.error
    assert callable(holds)
    assert left(view, session, column) == {cell for cell in everything if holds(cell)}


@pytest.mark.parametrize(
    ("tab", "text", "said"),
    [
        (ProfileTab.OPERATORS, "rank:3", "rank: can't be asked of operators of a trace; fields here are op:x, re:x"),
        (ProfileTab.SAVED, "op:x", "op: can't be asked of saved captures; fields here are re:x"),
        (ProfileTab.RANKS, "state:sleepy", "state: 'sleepy' is none of asked, receiving, done"),
        (ProfileTab.RANKS, "is:open", "is: knows marked; 'open' is none of them"),
        (ProfileTab.GAPS, "grp:x", "grp: is no field"),
        (ProfileTab.GAPS, "re:(a*)*", "re: what is repeated"),
    ],
)
def test_what_is_wrong_is_said_and_the_rest_holds(tab: ProfileTab, text: str, said: str) -> None:
    with pytest.raises(FilterError) as error:
        ProfileFilter.parse(text, tab)
    assert str(error.value).startswith(said)
    view, session = shown(tab)
    view.set_filter(f"nothing-like-it {text}")
    assert view.state.error.startswith(said)
    assert not len(view.order(session, 0))
    assert view.state.text == f"nothing-like-it {text}"


def test_each_table_keeps_its_filter() -> None:
    view, session = shown(ProfileTab.RANKS)
    view.set_filter("rank:3")
    view.tab = ProfileTab.SAVED
    assert len(view.order(session, 0)) == 2
    view.tab = ProfileTab.RANKS
    assert left(view, session, "rank") == {"3"}


@given(st.sampled_from(list(ProfileTab)), st.text(max_size=30) | st.text('!": rankopste-1', max_size=20))
def test_any_text_leaves_rows_of_the_table(tab: ProfileTab, text: str) -> None:
    view, session = SHOWN[tab]
    view.set_filter(text)
    assert set(view.order(session, 0).tolist()) <= set(view.rows(session, 0).items)
    assert set(PLACES[tab].written) <= FIELDS


SHOWN = {tab: shown(tab) for tab in ProfileTab}
