"""How the wait counters are shown."""

from __future__ import annotations

import pytest

from tests.tui.counter_scripts import counter_job, trained
from xpudbg.services.counters.metrics import Metric
from xpudbg.services.counters.sheet import ACTIVITY, RANK
from xpudbg.services.events import RankSelected, RanksMarked
from xpudbg.services.ranksets import RankSet
from xpudbg.services.session import Session
from xpudbg.tui.counters.view import CountersView

BATCH = "pytorch.wait_counter.data.next_batch"


def view(ranks: int = 8, **how: list[int]) -> CountersView:
    session = Session()
    for event in counter_job(ranks, trained(ranks, waiting=how.get("waiting", [3]), slow=how.get("slow", [5]))):
        session.apply(event)
    return CountersView(session)


def ranks(made: CountersView) -> list[int]:
    return [int(made.sheet.ranks[row]) for row in made.rows]


def title(made: CountersView) -> str:
    assert made.column is not None
    return made.sheet.title(made.column)


def test_it_is_the_same_as_long_as_nothing_changed() -> None:
    made = view()
    sheet, rows, columns = made.sheet, made.rows, made.columns
    made._session.apply(RankSelected(4))
    assert made.sheet is sheet
    assert made.rows is rows
    assert made.columns is columns
    made._session.apply(RanksMarked(RankSet([1])))
    assert made.rows is rows


def test_marks_count_where_the_filter_asks_for_them() -> None:
    made = view()
    made._session.apply(RanksMarked(RankSet([1, 6])))
    made.set_filter("is:marked")
    assert ranks(made) == [1, 6]
    made._session.apply(RanksMarked(RankSet([6])))
    assert ranks(made) == [6]


def test_metrics_go_round_and_the_cursor_stays_on_its_counter() -> None:
    made = view()
    assert (made.metric, title(made)) == (Metric.ACTIVE, "TCPStore__wait")
    made.go_to(list(made.columns).index(made.sheet.names.index(BATCH)))
    made.next_metric(-1)
    assert (made.metric, title(made)) == (Metric.CALL_RATE, "data.next_batch")
    made.next_metric(2)
    assert (made.metric, title(made)) == (Metric.TOTAL, "data.next_batch")


def test_sorting_goes_from_activity_to_ranks_to_the_counter_of_the_cursor() -> None:
    made = view()
    made.next_metric(1)
    assert (made.sorted_by, ranks(made)[:2]) == (ACTIVITY, [3, 5])
    made.sort_next()
    assert (made.sorted_by, ranks(made)) == (RANK, list(range(8)))
    made.go_to(list(made.columns).index(made.sheet.names.index(BATCH)))
    made.sort_next()
    assert ranks(made) == [5, 6, 4, 3, 2, 1, 0, 7]
    made.sort_by(BATCH)
    assert ranks(made) == [7, 0, 1, 2, 3, 4, 6, 5]
    made.sort_next()
    assert made.sorted_by == ACTIVITY


def test_a_counter_sorted_by_that_is_gone_gives_way() -> None:
    made = view()
    made.sort_by("gone")
    assert made.sorted_by == ACTIVITY


def test_a_wrong_term_is_told_and_the_rest_holds() -> None:
    made = view()
    made.set_filter("rank:1-2 is:odd")
    assert made.error.startswith("is: knows active, outlier, missing, marked; 'odd' is none")
    assert made.text == "rank:1-2 is:odd"
    assert ranks(made) == [1, 2]
    made.set_filter("no-such-counter")
    assert (made.error, made.column, made.next_cell(1)) == ("", None, None)


@pytest.mark.parametrize(("selected", "step", "found"), [(0, 1, 3), (3, 1, 5), (5, 1, 3), (3, -1, 5), (5, -1, 3)])
def test_the_next_cell_is_one_in_which_a_rank_waits_or_is_an_outlier(selected: int, step: int, found: int) -> None:
    made = view()
    made.metric = Metric.TOTAL
    made.sort_by(RANK)
    made._session.apply(RankSelected(selected))
    if selected == 3:
        made.go_to(list(made.columns).index(made.sheet.names.index("pytorch.wait_counter.TCPStore__wait")))
    if selected == 5:
        made.go_to(list(made.columns).index(made.sheet.names.index(BATCH)))
    cell = made.next_cell(step)
    assert cell is not None
    assert cell[0] == found


def test_without_anything_to_find_there_is_no_next_cell() -> None:
    assert view(waiting=[], slow=[]).next_cell(1) is None


def test_before_the_first_look_it_is_empty() -> None:
    made = CountersView(Session())
    assert (len(made.rows), len(made.columns), made.column, made.place) == (0, 0, None, 0)
