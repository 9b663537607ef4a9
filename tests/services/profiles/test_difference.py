"""Differences of summaries: two ranks, and a rank to the median."""

from __future__ import annotations

from pathlib import Path
from statistics import median

from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.traces import trace_text
from tests.services.profiles.made import summary_of_text
from xpudbg.services.profiles.difference import difference, from_median
from xpudbg.services.profiles.summary import OperatorRow, ProfileSummary


def summary(**self_times: float) -> ProfileSummary:
    rows = tuple(OperatorRow(name, "cpu_op", 1, own, own, own) for name, own in self_times.items())
    return ProfileSummary(None, "", 1.0, None, len(rows), rows, (), (), (), None, (), 0)


def test_the_greatest_difference_comes_first() -> None:
    rows = difference(summary(mm=10.0, add=5.0, only=1.0), summary(mm=12.0, add=50.0, gone=2.0))
    assert [(row.name, row.more) for row in rows] == [("add", -45.0), ("gone", -2.0), ("mm", -2.0), ("only", 1.0)]
    assert [(row.calls_here, row.calls_there) for row in rows] == [(1, 1), (0, 1), (1, 1), (1, 0)]


@given(
    st.lists(st.dictionaries(st.sampled_from("abc"), st.integers(0, 9).map(float), max_size=3), min_size=1, max_size=6)
)
def test_the_median_counts_what_is_missing_as_nothing(ranks: list[dict[str, float]]) -> None:
    rows = {row.name: row for row in from_median(summary(a=3.0), [summary(**rank) for rank in ranks])}
    for name in rows:
        assert rows[name].there == median([rank.get(name, 0.0) for rank in ranks])
        assert rows[name].here == (3.0 if name == "a" else 0.0)


def test_of_nobody_there_is_no_median() -> None:
    (row,) = from_median(summary(a=3.0), [])
    assert (row.there, row.more) == (0.0, 3.0)


def test_a_slow_rank_shows(tmp_path: Path) -> None:
    slow, usual = (summary_of_text(tmp_path, trace_text(5, rank, slow)) for rank, slow in ((1, 1.3), (0, 1.0)))
    first, *_ = difference(slow, usual)
    assert first.name == "aten::mm"
    assert first.here / first.there == 1.3
