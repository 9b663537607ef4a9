"""The filter of the wait counters."""

from __future__ import annotations

import pytest

from tests.fakes.counter_answers import looks
from tests.tui.counter_scripts import trained
from xpudbg.services.counters.metrics import Metric
from xpudbg.services.counters.sheet import CounterSheet
from xpudbg.services.filters.terms import FilterError
from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import RankAddress, RankClass, RankState
from xpudbg.tui.counters.filter import CounterFilter

SHEET = CounterSheet(looks(*trained(8, waiting=[3], slow=[5]), apart_s=10)[-1], Metric.TOTAL, RankSet.full(9))
RANKS = {
    rank: RankState(
        rank,
        RankAddress(rank, "", "", f"node-{rank // 4}"),
        RankClass.STOPPED if rank == 6 else RankClass.ALIVE,
    )
    for rank in range(8)
}
ALL = ["FlightRecorder__dump", "TCPStore__set", "TCPStore__wait", "c10d.init_process_group", "data.next_batch"]


@pytest.mark.parametrize(
    ("text", "ranks", "titles"),
    [
        ("", "0-8", ALL),
        ("tcpstore", "0-8", ["TCPStore__set", "TCPStore__wait"]),
        ("tcpstore wait", "0-8", ["TCPStore__wait"]),
        ("!tcpstore !data", "0-8", ["FlightRecorder__dump", "c10d.init_process_group"]),
        ("rank:2-3,7", "2-3,7", ALL),
        ("!rank:1-8", "0", ALL),
        ("is:active", "3", ["TCPStore__wait"]),
        ("!is:active", "0-2,4-8", [title for title in ALL if title != "TCPStore__wait"]),
        ("is:outlier", "5", ["data.next_batch"]),
        ("is:marked", "1-2", ALL),
        ("is:missing", "8", ALL),
        ("!is:missing rank:6-8 data", "6-7", ["data.next_batch"]),
        ("nothing-of-it", "0-8", []),
        ("!", "0-8", []),
        ("c10d.init", "0-8", ["c10d.init_process_group"]),
        ("host:node-1", "4-7", ALL),
        ("!host:NODE-1", "0-3,8", ALL),
        ("state:stopped", "6", ALL),
        ("class:stop,dead", "6", ALL),
        ("!state:alive host:node", "6", ALL),
        ("re:^TCP.*(set|wait)$", "0-8", ["TCPStore__set", "TCPStore__wait"]),
        ("!re:__", "0-8", ["c10d.init_process_group", "data.next_batch"]),
        ('"c10d.init" rank:2', "2", ["c10d.init_process_group"]),
    ],
)
def test_what_is_shown(text: str, ranks: str, titles: list[str]) -> None:
    rows, columns = CounterFilter.parse(text).chosen(SHEET, RankSet([1, 2]), RANKS)
    assert str(RankSet(SHEET.ranks[rows].tolist())) == ranks
    assert [SHEET.title(int(column)) for column in columns.nonzero()[0]] == titles


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("rank:x", "rank: 'x' is not a rank"),
        ("is:odd", "is: knows active, outlier, missing, marked; 'odd' is none of them"),
        ("!is:", "is: needs a value, as is:active.outlier.missing.marked"),
        ("state:started", "state: 'started' is none of dead, stopped"),
        ("group:tp", "group: can't be asked of wait counters"),
        ("re:(a+)+", "re: what is repeated"),
    ],
)
def test_a_term_that_is_none_is_told(text: str, says: str) -> None:
    with pytest.raises(FilterError, match=says):
        CounterFilter.parse(text)


def test_a_filter_without_terms_is_none() -> None:
    assert not CounterFilter.parse("  ")
    assert CounterFilter.parse(" a  b ").text == "a  b"
