"""The profiler's state: events folded in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.tui.profile_scripts import FOLDER, captured, opened_set, summary, trace_row, under_way
from xpudbg.services.profiles import profiles as profiles_module
from xpudbg.services.profiles.events import (
    MergeProgressed,
    ProfileSaid,
    SavedListed,
    SummaryFailed,
    SummaryMade,
    SummaryProgressed,
    TraceChanged,
)
from xpudbg.services.profiles.profiles import Profiles
from xpudbg.services.profiles.trace_set import TraceState
from xpudbg.services.ranksets import RankSet


def after(*said: object) -> Profiles:
    made = Profiles()
    for event in said:
        made.apply(event)  # type: ignore[arg-type]
    return made


def is_capturing(made: Profiles) -> bool:
    return made.capturing is not None


def test_a_capture_is_under_way_until_its_last_rank_is_through() -> None:
    made = after(*under_way())
    assert made.shown is not None
    for rank in range(1, 4):
        assert is_capturing(made)
        made.apply(TraceChanged(str(FOLDER), trace_row(rank, TraceState.FAILED, "gone")))
    assert not is_capturing(made)
    assert made.shown.failed == RankSet([1, 2, 3])
    made.apply(TraceChanged("another", trace_row(9)))
    assert 9 not in made.shown.rows
    assert made.revision == len(under_way()) + 4


def test_another_set_may_be_shown_while_a_capture_goes_on() -> None:
    made = after(*under_way())
    other = replace(opened_set([trace_row(7)]).traces, id="other")
    made.apply(replace(opened_set([]), traces=other))
    made.apply(TraceChanged(str(FOLDER), trace_row(2)))
    assert made.shown == other
    assert made.capturing is not None
    assert made.capturing.rows[2].state is TraceState.DONE


def test_summaries_of_the_ranks_that_are_shown() -> None:
    made = after(*captured())
    assert made.read_ranks() == [0, 1, 2, 3]
    assert made.summary(1) == summary(1)
    assert (made.summary(4), made.summary(None), made.row(77)) == (None, None, None)
    first, *_ = made.difference(2, None)
    assert (first.name, round(first.here / first.there, 6)) == ("aten::mm", 1.2)
    assert made.difference(2, None) is made.difference(2, None)
    assert made.difference(2, 0)[0].more == pytest.approx(2_880.0)
    assert made.difference(2, 4) == made.difference(4, None) == ()


def test_reading_is_followed_and_failures_are_kept() -> None:
    path = FOLDER / "rank-00000.json.gz"
    made = after(opened_set([trace_row(0)]), SummaryProgressed(path, 5))
    assert made.reading == (path, 5)
    made.apply(SummaryFailed(path, "Permission denied"))
    assert made.failures == {path: "Permission denied"}
    made.apply(SummaryMade(path, summary(0)))
    assert not made.failures
    assert made.reading is None


def test_the_oldest_summaries_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profiles_module, "SUMMARIES_KEPT", 2)
    made = after(*(SummaryMade(Path(name), summary(0)) for name in "abc"))
    assert list(made.summaries) == [Path("b"), Path("c")]


def test_a_median_is_of_a_bounded_number_of_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profiles_module, "MEDIAN_OF", 2)
    made = after(*captured(failed=False))
    assert made.median_ranks(0) == [1, 3]
    assert made.median_ranks(2) == [0, 3]


def test_what_is_told_is_kept_in_order() -> None:
    made = after(ProfileSaid("a"), MergeProgressed(4), ProfileSaid("b"), SavedListed((), "/x", "no home"))
    assert (made.said, made.merging, made.saved, made.saved_problem) == (["a", "b"], 4, (), "no home")
    made.apply(MergeProgressed(None))
    assert made.merging is None
