"""Cells and orders of the rank table."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.tui.progress_scripts import recorder_looks, stopped_job
from tests.tui.scripted import NOW, SECOND
from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import RankAddress, RankClass, RankState
from xpudbg.services.stacks.model import Frame
from xpudbg.tui.ranks.filter import RankFilter
from xpudbg.tui.ranks.record import RankRecord
from xpudbg.tui.ranks.rows import RankRows, row_text

RANKS = {
    0: RankState(0, RankAddress(0, "http://n10:1", "", "n10"), RankClass.ALIVE, "fine", since=NOW, ping_s=0.25),
    1: RankState(1, RankAddress(1, "", "", ""), RankClass.NOT_REGISTERED, "not there", since=NOW - 5 * SECOND),
    2: RankState(2, RankAddress(2, "http://n2:1", "", "n2"), RankClass.DEAD, "refused", stuck=("ping", "x")),
    3: RankState(3, RankAddress(3, "http://n2:9", "", "n2"), RankClass.ALIVE, "fine", since=NOW, ping_s=0.0031),
}


WHERE = {0: Frame("f", "b.py", 10), 3: Frame("f", "b.py", 9)}


def order(key: str, descending: bool = False, text: str = "") -> list[int]:
    shown = RankFilter.parse(text) if text else None
    return [int(r) for r in RankRows(RANKS, NOW, WHERE.get).order(shown, RankSet(), ((key, descending),), None)]


@pytest.mark.parametrize(
    ("key", "ascending", "descending"),
    [
        ("rank", [0, 1, 2, 3], [3, 2, 1, 0]),
        ("class", [2, 1, 0, 3], [0, 3, 1, 2]),
        ("host", [2, 3, 0, 1], [0, 2, 3, 1]),
        ("since", [0, 3, 1, 2], [1, 0, 3, 2]),
        ("where", [3, 0, 1, 2], [0, 3, 1, 2]),
        ("ping", [3, 0, 1, 2], [0, 3, 1, 2]),
        ("stuck", [2, 0, 1, 3], [2, 0, 1, 3]),
        ("address", [2, 3, 0, 1], [0, 3, 2, 1]),
    ],
)
def test_orders_put_empty_cells_last(key: str, ascending: list[int], descending: list[int]) -> None:
    assert order(key) == ascending
    assert order(key, descending=True) == descending


def test_the_filter_leaves_rows_out() -> None:
    assert order("rank", text="host:n2") == [2, 3]


def test_the_same_order_is_the_same_array() -> None:
    rows = RankRows(RANKS, NOW)
    first = rows.order(None, RankSet(), (("host", False),), None)
    assert rows.order(None, RankSet(), (("host", False),), first) is first


def test_cells() -> None:
    rows = RankRows(RANKS, NOW + 65 * SECOND)
    said = {column.key: rows.cell(2, index)[0] for index, column in enumerate(rows.columns)}
    assert said == {
        "rank": "2",
        "class": "X dead",
        "host": "n2",
        "since": "",
        "where": "",
        "ping": "",
        "stuck": "2",
        "reason": "refused",
        "address": "http://n2:1",
    }
    assert rows.cell(0, 3)[0] == "1 m 05 s"
    assert said_of(rows, 0)["ping"] == "250"


def test_a_row_as_text() -> None:
    text = row_text(RankRows(RANKS, NOW + SECOND, {3: Frame("step", "/job/train.py", 8)}.get), 3)
    assert (
        text
        == "rank 3  class o alive  host n2  since 1 s  where step train.py:8  ping ms 3.1  reason fine  address http://n2:9"
    )


def rows_of(ranks: dict[int, RankState]) -> RankRows:
    """With the flight recorders of a job whose rank 9 has not made its third call of tp."""
    look = recorder_looks(stopped_job())[-1]
    return RankRows(ranks, NOW, record=RankRecord(look, called_at={8: Frame("step", "/job/train.py", 8)}.get))


def said_of(rows: RankRows, rank: int) -> dict[str, str]:
    return {column.key: rows.cell(rank, index)[0] for index, column in enumerate(rows.columns)}


def test_what_the_recorders_say_stands_beside_the_rank() -> None:
    live = {rank: RankState(rank, RankAddress(rank, "http://n:1", "", "n"), RankClass.ALIVE) for rank in range(16)}
    rows = rows_of(live)
    keys = [column.key for column in rows.columns]
    assert keys == [*("rank", "class", "host", "since", "call", "lag", "place", "where", "ping", "stuck"), *keys[-2:]]
    shown = [said_of(rows, rank) for rank in (8, 9)]
    assert [one["call"] for one in shown] == ["all_reduce #3 of tp", "not in a call"]
    assert [(one["lag"], one["place"]) for one in shown] == [("1", "dp2 tp0"), ("1", "dp2 tp1")]
    assert rows.cell(9, keys.index("call"))[1] == "table--muted"
    in_order = rows.order(None, RankSet(), (("lag", True),), None).tolist()
    assert set(in_order[:4]) == {8, 9, 10, 11}
    assert rows.order(None, RankSet(), (("place", False),), None).tolist() == list(range(16))


def test_post_mortem_only_what_files_tell_is_shown() -> None:
    files = {rank: RankState(rank, RankAddress(rank, "", "", "", file=f"_dump_{rank}")) for rank in range(16)}
    rows = rows_of(files)
    assert [column.key for column in rows.columns] == ["rank", "call", "lag", "place", "called", "file"]
    assert said_of(rows, 8)["called"] == "step train.py:8"
    assert said_of(rows, 9) | {"called": "", "file": "_dump_9"} == said_of(rows, 9)
    assert "where" in {column.key for column in RankRows(files, NOW, WHERE.get).columns}
    files[3] = replace(files[3], rank_class=RankClass.GIL_HELD, reason="gave its wait counters")
    assert {"class", "reason"} < {column.key for column in rows_of(files).columns}
    named = {rank: replace(state, address=replace(state.address, host="n1")) for rank, state in files.items()}
    assert "host" in said_of(rows_of(named), 0)


def test_without_a_recorder_there_are_no_columns_of_it() -> None:
    assert not {"call", "lag", "place", "called", "file"} & {column.key for column in RankRows(RANKS, NOW).columns}
