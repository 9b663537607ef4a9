"""What of the progress matrix is shown: order, column, who is accused."""

from __future__ import annotations

import pytest

from tests.tui.progress_scripts import job_of, mesh, recorder_job, stopped_job
from tests.tui.scripted import job
from xpudbg.services import events
from xpudbg.services.progress.matrix import LAG, RANK
from xpudbg.services.ranksets import RankSet
from xpudbg.services.session import Session
from xpudbg.tui.actions.conditions import needs_progress
from xpudbg.tui.recorder.progress_view import ProgressView


def after(said: list[events.Event]) -> Session:
    session = Session()
    for event in said:
        session.apply(event)
    return session


@pytest.fixture
def view() -> ProgressView:
    return ProgressView(after(recorder_job(stopped_job())))


def ranks(view: ProgressView, shown: RankSet | None = None) -> list[int]:
    return [int(rank) for rank in view.progress.ranks[view.order(shown)]]


def test_the_accused_rank_stands_first(view: ProgressView) -> None:
    assert view.culprits == RankSet([9])
    assert view.waiting == RankSet.full(16) - view.culprits
    assert ranks(view)[:5] == [9, 8, 10, 11, 0]
    assert ranks(view, RankSet([3, 10])) == [10, 3]


def test_ranks_that_are_only_out_of_reach_are_not_accused() -> None:
    session = after(job(16, {1: "dead"} | dict.fromkeys(range(8, 16), "unreachable")))
    accusing = [str(one.culprits) for one in session.verdict.findings if one.severity.accuses]
    assert accusing == ["1", "8-15"]
    assert ProgressView(session).culprits == RankSet([1])


def test_the_order_is_made_once(view: ProgressView) -> None:
    assert view.order(None) is view.order(None)
    before = view.order(None)
    view.sort_next()
    assert view.order(None) is not before


def test_sorting_goes_from_lag_to_rank_to_the_column(view: ProgressView) -> None:
    view.go_to_column(1)
    walked = []
    for _ in range(4):
        walked.append(view.sorted_by)
        view.sort_next()
    assert walked == [LAG, RANK, 1, LAG]
    assert view.sorted_by == RANK
    view.sort_by(RANK)
    assert ranks(view) == list(reversed(range(16)))
    view.sort_by(LAG)
    assert not view.descending


def test_column_and_order_are_kept_by_name_over_looks() -> None:
    session = after(recorder_job(stopped_job()))
    view = ProgressView(session)
    assert [column.title for column in view.progress.columns] == ["tp", "dp", "default_pg"]
    view.go_to_column(1)
    view.sort_by(view.progress.columns[1].key)
    healthy = recorder_job([job_of(mesh(16), 2), job_of(mesh(16), 3)])
    for event in healthy:
        session.apply(event)
    assert view.progress.columns[view.column].title == "dp"
    assert view.progress.columns[view.sorted_by].title == "dp"
    other = recorder_job([job_of(mesh(16, names=("mesh_cp", "mesh_pp")), 2)])
    for event in other:
        session.apply(event)
    assert (view.column, view.sorted_by) == (0, LAG)


def test_why_there_is_none() -> None:
    assert needs_progress(after(job(4))) == "no flight recorder has been read yet"
    idle = job_of(mesh(16), 0)
    assert needs_progress(after(recorder_job([idle]))) == "no flight recorder has recorded a call"
    gone = after(recorder_job([idle], absent=range(16)))
    assert needs_progress(gone) == "no flight recorder can be read; rank 0: it was not asked"
    assert needs_progress(after(recorder_job(stopped_job()))) == ""
