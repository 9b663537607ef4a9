"""The filter: what it understands, what it refuses in which words, and its masks against a check row by row."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.flight_recorder_jobs import Fault
from xpudbg.services.filters.terms import FilterError
from xpudbg.services.ranksets import RankSet
from xpudbg.services.recorder_tables.browser import RecorderTables
from xpudbg.services.recorder_tables.row_filter import PLACES, RowFilter

from .making import cells, left, mixed_job, tables_of

TABLES = tables_of(mixed_job(Fault(3, 5, "stops")))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rank:x", "rank: 'x' is not a rank"),
        ("rank:", "rank: needs a value"),
        ("rank:5-2", "rank: '5-2' names no rank"),
        ("seq:abc", "seq: 'abc' is no number"),
        ("seq:-", "seq: '-' is no number"),
        ("seq:9-3", "seq: '9-3' holds no number"),
        ("seq:1,,2", "seq: '' is no number"),
        ("seq:99999999999999999999", "seq: '99999999999999999999' is above every sequence number"),
        ("frame:x", "frame: can't be asked of rows of the flight recorder; fields here are rank:0-63, host:x"),
        ("late:x", "late: is no field"),
        ("is:late", "is: knows missing, mismatch, open, p2p, marked; 'late' is none of them"),
        ("re:(", "re: no regular expression: "),
        ("re:(a+)+$", "re: what is repeated holds a repetition"),
        ('group:"a b', 'a " has no partner'),
        ("x" * 1001, "a filter has at most 1,000 characters"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(text: str, said: str) -> None:
    with pytest.raises(FilterError) as error:
        RowFilter.parse(text)
    assert str(error.value).startswith(said)
    assert "\n" not in str(error.value)


def test_an_empty_filter_leaves_all() -> None:
    assert not RowFilter.parse("  ")
    assert left(TABLES.calls, "") == list(range(len(TABLES.calls)))


def test_words_with_a_colon_that_is_no_field_are_texts() -> None:
    assert left(TABLES.collectives, "nccl:all_reduce") == left(TABLES.collectives, "op:ALL_REDUCE")


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("op:send", lambda row: "send" in row["op"]),
        ("!op:send", lambda row: "send" not in row["op"]),
        ("group:TP", lambda row: "tp" in row["group"]),
        ("rank:0,2-3", lambda row: int(row["rank"]) in (0, 2, 3)),
        ("rank:9", lambda row: False),
        ("state:started,scheduled", lambda row: row["state"].startswith(("scheduled", "started"))),
        ("!!state:scheduled", lambda row: row["state"].startswith("scheduled")),
        ("state:scheduled", lambda row: row["state"].startswith("scheduled")),
        ("is:open", lambda row: "over" not in row["state"] and row["state"] != "completed"),
        ("is:p2p", lambda row: "send" in row["op"] or "recv" in row["op"]),
        ("dtype:f32", lambda row: row["dtype"] == "f32"),
        ("dtype:float", lambda row: row["dtype"] == "f32"),
        ("[1024]", lambda row: "[1024]" in row["inputs"]),
        ("re:^nccl:(send|recv)", lambda row: row["op"][5:9] in ("send", "recv")),
        ("pt_main", lambda row: True),
        ("group:tp rank:1 !is:open", lambda row: "tp" in row["group"] and row["rank"] == "1"),
    ],
)
def test_terms_against_the_cells(text: str, holds: object) -> None:
    assert callable(holds)
    calls = TABLES.calls
    wanted = [row for row in range(len(calls)) if holds(cells(calls, row))]
    assert left(calls, text) == wanted


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [("seq:2", 2, 2), ("#2", 2, 2), ("seq:1-2", 1, 2), ("seq:2-", 2, 2**64), ("seq:-1", 0, 1), ("seq:#3", 3, 3)],
)
def test_sequence_numbers(text: str, first: int, last: int) -> None:
    lines = TABLES.lines
    wanted = [row for row in range(len(lines)) if first <= int(lines.sequence[row]) <= last]
    assert left(TABLES.calls, text) == wanted


def test_several_ranges() -> None:
    both = set(left(TABLES.calls, "seq:1")) | set(left(TABLES.calls, "seq:3-4"))
    assert left(TABLES.calls, "seq:1,3-4") == sorted(both)


@given(st.text(max_size=40))
def test_any_text_is_a_filter_or_refused(text: str) -> None:
    try:
        chosen = RowFilter.parse(text)
    except FilterError:
        return
    for table in TABLES.all:
        assert table.mask(chosen).shape == (len(table),)


@given(st.sets(st.integers(0, 5)))
def test_ranks_leave_the_rows_about_them(ranks: set[int]) -> None:
    chosen = RowFilter.parse(f"rank:{RankSet(ranks)}") if ranks else None
    if chosen is None:
        return
    for table in (TABLES.collectives, TABLES.calls, TABLES.groups, TABLES.memberships):
        wanted = [bool(table.ranks(row) & RankSet(ranks)) for row in range(len(table))]
        assert table.mask(chosen).tolist() == wanted


@pytest.mark.parametrize(
    ("text", "ranks"),
    [
        ("host:node-b", {2, 3}),
        ("!host:node-a", {2, 3, 4, 5}),
        ("host:NODE", {0, 1, 2, 3}),
        ("host:zzz", set()),
        ("is:marked", {1, 4}),
        ("!is:marked", {0, 2, 3, 5}),
        ("is:marked host:node-a", {1}),
    ],
)
def test_hosts_and_marks_of_ranks_are_handed_in(text: str, ranks: set[int]) -> None:
    chosen = RowFilter.parse(text).among({0: "node-a1", 1: "node-a2", 2: "node-b1", 3: "node-b1"}, RankSet([1, 4]))
    table = TABLES.calls
    wanted = [bool(table.ranks(row) & RankSet(ranks)) for row in range(len(table))]
    assert table.mask(chosen).tolist() == wanted


def test_marks_make_another_filter_only_where_they_are_asked_for() -> None:
    one, other = RankSet([1]), RankSet([2])
    for text, same in [("rank:1", True), ("is:marked", False), ("!is:marked", False)]:
        chosen = RowFilter.parse(text)
        assert (chosen.among({}, one) == chosen.among({}, other)) is same


@pytest.mark.parametrize("name", ["findings", "groups", "memberships"])
def test_a_field_that_a_table_has_not_leaves_none(name: str) -> None:
    table = getattr(TABLES, name)
    assert left(table, "dtype:f32") == []
    assert left(table, "!dtype:f32") == list(range(len(table)))


@pytest.mark.parametrize("name", list(PLACES))
def test_a_table_is_asked_exactly_what_it_knows(name: str) -> None:
    table = getattr(TABLES, name)
    for field in ("group", "op", "state", "dtype"):
        assert bool(table.texts(field)) is (field in PLACES[name].written), field
    has_numbers = bool(table.of_sequence(0, 2**64 - 1).any())
    assert has_numbers is ("seq" in PLACES[name].written)


def test_what_a_table_has_not_can_be_refused() -> None:
    with pytest.raises(
        FilterError, match=r"^dtype: can't be asked of groups; fields here are rank:0-63, host:x, group:x"
    ):
        RowFilter.parse("dtype:f32", PLACES["groups"])


def test_tables_are_those_of_a_hang() -> None:
    assert isinstance(TABLES, RecorderTables)
    assert left(TABLES.findings, "is:missing rank:3 op:coalesced") == [0]
