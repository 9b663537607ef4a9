"""The filter language."""

from __future__ import annotations

import re

import pytest

from xpudbg.services.filters.expressions import compiled
from xpudbg.services.filters.terms import FilterError
from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import RankAddress, RankClass, RankState
from xpudbg.tui.ranks.filter import RankFilter


def state(rank: int, host: str = "node-a1", rank_class: RankClass = RankClass.ALIVE, reason: str = "") -> RankState:
    return RankState(rank, RankAddress(rank, f"http://{host}:25{rank:03d}", "", host), rank_class, reason)


def matches(text: str, of: RankState, marked: RankSet | None = None) -> bool:
    return RankFilter.parse(text).matches(of, marked or RankSet())


@pytest.mark.parametrize(
    ("text", "rank"),
    [
        ("rank:0-3", 3),
        ("rank:1,3", 3),
        ("rank:1-7:2", 3),
        ("3", 3),
        ("host:NODE", 3),
        ("node-a", 3),
        ("25003", 3),
        ("http://node", 3),
        ("class:stopped", 3),
        ("class:dead,stopped", 3),
        ("class:stop", 3),
        ("stopped", 3),
        ("silent", 3),
        ("rank:0-7 host:a1 class:stopped silent", 3),
        ("!class:alive", 3),
        ("state:stopped", 3),
        ("STATE:gil_held,stop", 3),
        ("state:not_reg,stopped", 3),
        ("re:^node-[a-c]1$", 3),
        ("re:node-a1:25\\d+", 3),
        ("!re:zzz", 3),
        ('host:"node-a1"', 3),
        ('"silent for 3"', 3),
        ('"http://node"', 3),
        ("!!silent", 3),
        ('""', 3),
        ("!is:marked", 3),
        ("", 3),
    ],
)
def test_it_matches(text: str, rank: int) -> None:
    assert matches(text, state(rank, rank_class=RankClass.STOPPED, reason="Silent for 3 s"))


@pytest.mark.parametrize(
    "text",
    ["rank:4-9", "4", "host:b", "class:dead", "rank:3 class:dead", "is:marked", "!3", "zz", "re:^a1", "!re:node"],
)
def test_it_does_not_match(text: str) -> None:
    assert not matches(text, state(3, rank_class=RankClass.STOPPED))


@pytest.mark.parametrize(
    ("text", "does"), [("op:gather", True), ("op:reduce", False), ("group:tp", True), ("!group:tp", False)]
)
def test_the_call_a_rank_is_inside(text: str, does: bool) -> None:
    known = {("op", "gather"): RankSet([3]), ("op", "reduce"): RankSet([4]), ("group", "tp"): RankSet([3])}
    found = RankFilter.parse(text).matches(state(3), RankSet(), inside=lambda field, value: known[field, value])
    assert found is does
    assert RankFilter.parse(text).texts == ()


@pytest.mark.parametrize(
    ("text", "ranks"),
    [
        ("state:scheduled", "1"),
        ("state:st", "2-3"),
        ("state:started", "2"),
        ("!state:started", "0-1,3"),
        ("class:s", "1-3"),
    ],
)
def test_the_state_of_the_call_a_rank_is_inside(text: str, ranks: str) -> None:
    known = {("state", "scheduled"): RankSet([1]), ("state", "started"): RankSet([2])}
    chosen = RankFilter.parse(text)
    states = [state(rank, rank_class=RankClass.STOPPED if rank == 3 else RankClass.ALIVE) for rank in range(4)]
    found = [one.rank for one in states if chosen.matches(one, RankSet(), inside=lambda *asked: known[asked])]
    assert str(RankSet(found)) == ranks


def test_marks() -> None:
    assert matches("is:marked", state(3), RankSet([3]))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("rank:x", "is not a rank or a range"),
        ("rank:9-2", "names no rank"),
        ("rank:", "needs a value"),
        ("class:sleepy", "state: 'sleepy' is none of dead, stopped, gil_held, .*, alive, scheduled, started$"),
        ("state:dead,", "state: '' is none of dead"),
        ("grp:tp", "grp: is no field, in quotes it is a text; fields here are rank:0-63"),
        ("seq:3", "seq: can't be asked of ranks; fields here are rank:0-63"),
        ("is:red", "is: knows marked; 'red' is none of them"),
        ("re:[", "re: no regular expression"),
        ("re:(x*)*", "re: what is repeated"),
    ],
)
def test_what_is_wrong_is_said(text: str, says: str) -> None:
    with pytest.raises(FilterError, match=says):
        RankFilter.parse(text)


def test_frames_are_found_by_their_field_and_by_bare_text() -> None:
    def having(sought: str | re.Pattern[str]) -> RankSet:
        said = "all_reduce c10d::work 25"
        found = sought in said if isinstance(sought, str) else sought.search(said) is not None
        return RankSet([3]) if found else RankSet()

    for text, found in [
        ("frame:all_red", True),
        ("all_red", True),
        ("c10d::work", True),
        ("re:L_RE.*10d", True),
        ("!frame:all_red", False),
    ]:
        chosen = RankFilter.parse(text)
        assert chosen.matches(state(3), RankSet(), having) is found
        assert chosen.matches(state(4), RankSet(), having) is not found
    assert not RankFilter.parse("25").matches(RankState(3, RankAddress(3, "", "", "")), RankSet(), having)


def test_the_texts_that_may_stand_in_frames() -> None:
    typed = 'all_red frame:loader !frame:x !y rank:1 host:a 25 std::vec "two words" re:ab+ !re:c'
    wanted = ("all_red", "loader", "std::vec", "two words", compiled("ab+"))
    assert RankFilter.parse(typed).texts == wanted
