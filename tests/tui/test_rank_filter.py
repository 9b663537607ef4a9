"""The filter language."""

from __future__ import annotations

import pytest

from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import RankAddress, RankClass, RankState
from xpudbg.tui.rank_filter import FilterError, RankFilter


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
        ("!is:marked", 3),
        ("", 3),
    ],
)
def test_it_matches(text: str, rank: int) -> None:
    assert matches(text, state(rank, rank_class=RankClass.STOPPED, reason="Silent for 3 s"))


@pytest.mark.parametrize(
    "text", ["rank:4-9", "4", "host:b", "class:dead", "rank:3 class:dead", "is:marked", "!3", "zz"]
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


def test_marks() -> None:
    assert matches("is:marked", state(3), RankSet([3]))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("rank:x", "is not a rank or a range"),
        ("rank:9-2", "names no rank"),
        ("rank:", "needs a value"),
        ("class:sleepy", "is no class; classes are dead, stopped"),
        ("grp:tp", "is no field; fields are rank:0-63"),
        ("is:red", "is:marked"),
    ],
)
def test_what_is_wrong_is_said(text: str, says: str) -> None:
    with pytest.raises(FilterError, match=says):
        RankFilter.parse(text)


def test_frames_are_found_by_their_field_and_by_bare_text() -> None:
    def having(text: str) -> RankSet:
        return RankSet([3]) if text in "all_reduce c10d::work 25" else RankSet()

    for text, found in [("frame:all_red", True), ("all_red", True), ("c10d::work", True), ("!frame:all_red", False)]:
        chosen = RankFilter.parse(text)
        assert chosen.matches(state(3), RankSet(), having) is found
        assert chosen.matches(state(4), RankSet(), having) is not found
    assert not RankFilter.parse("25").matches(RankState(3, RankAddress(3, "", "", "")), RankSet(), having)


def test_the_texts_that_may_stand_in_frames() -> None:
    assert RankFilter.parse("all_red frame:loader !frame:x !y rank:1 host:a 25 std::vec").texts == (
        "all_red",
        "loader",
        "std::vec",
    )
