"""Looks at wait counters, one after the other."""

from __future__ import annotations

import pytest

from tests.fakes.counter_answers import SECOND, START, answer, counter, looks, reply
from xpudbg.services.counters import look as look_module
from xpudbg.services.counters.look import NO_COUNTERS, SOURCE, CounterAnalyst
from xpudbg.services.counters.metrics import Metric
from xpudbg.services.counters.over_looks import cell_of, over_looks
from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import Outcome, RankReply
from xpudbg.services.spool import EMPTY

NOBODY = RankSet()


def test_each_rank_has_its_counters_or_a_reason() -> None:
    refused = RankReply(2, "ping", "", Outcome.REFUSED, None, EMPTY, "connection refused", START, 0.0)
    said = {
        (0, SOURCE): reply(0, answer(a=counter(1))),
        (1, SOURCE): reply(1, b"pong"),
        (2, "ping"): refused,
        (3, SOURCE): reply(3, b"no", outcome=Outcome.HTTP_ERROR, status=404),
        (5, SOURCE): reply(5, b"", outcome=Outcome.TOO_LARGE, status=200),
    }
    made = CounterAnalyst().analyse(1, START, said, RankSet(range(7)), without=RankSet([4]), inside=NOBODY)
    assert made.ranks == RankSet([0])
    assert made.missing == {
        1: "not JSON: pong",
        2: "ping: connection refused",
        3: "not there: the rank has no wait_counter_values",
        4: "not there: the rank has no wait_counter_values",
        5: "too_large",
        6: "it was not asked",
    }
    assert made.active_ranks == RankSet([0])
    assert made.waiting_in(0) == [("a", 1)]
    assert made.waiting_in(2) == []


def test_before_the_first_look_there_is_nothing() -> None:
    assert not NO_COUNTERS.ranks
    assert not NO_COUNTERS.active_ranks
    assert cell_of(NO_COUNTERS, Metric.TOTAL, 0, "a") is None


def test_a_look_is_compared_with_the_newest_that_lies_far_enough_back() -> None:
    said = {0: answer(a=counter())}
    first, second, third, fourth = looks(said, said, said, said, apart_s=[0.5, 0.5, 0.5])
    assert (first.before, first.before_id) == (None, 0)
    assert second.before is None
    assert (third.before is first.table, third.before_id) == (True, 1)
    assert (fourth.before is second.table, fourth.before_id) == (True, 2)


def test_a_rank_whose_numbers_fell_began_anew() -> None:
    _, made = looks(
        {0: answer(a=counter(0, 9, 9, 9)), 1: answer(a=counter(0, 9, 9, 9))},
        {0: answer(a=counter(0, 1, 1, 1)), 1: answer(a=counter(0, 9, 9, 9))},
    )
    assert made.restarted == RankSet([0])
    assert made.restarted_rows.tolist() == [True, False]
    assert cell_of(made, Metric.CALL_RATE, 0, "pytorch.wait_counter.a") is None
    assert cell_of(made, Metric.CALL_RATE, 1, "pytorch.wait_counter.a") == 0.0


NAME = "pytorch.wait_counter.a"


def test_a_cell_over_looks() -> None:
    every = looks(
        {0: answer(a=counter(0, 1_000_000, 1, 5)), 1: answer()},
        {1: answer()},
        {0: answer(a=counter(1, 3_000_000, 2, 6)), 1: answer()},
        {0: answer(a=counter(0, 7_000_000, 4, 7)), 1: answer()},
        {0: answer(a=counter(0, 1, 1, 7)), 1: answer()},
    )
    last = every[-1]
    assert over_looks(last, Metric.ACTIVE, 0, NAME) == [0, None, 1, 0, 0]
    assert over_looks(last, Metric.TOTAL, 0, NAME) == [1_000_000, None, 3_000_000, 7_000_000, 1]
    assert over_looks(last, Metric.MEAN, 0, NAME) == [1_000_000, None, 1_500_000, 1_750_000, 1]
    assert over_looks(last, Metric.WAITED, 0, NAME) == [None, None, None, 2.0, None]
    assert over_looks(last, Metric.CALL_RATE, 0, NAME) == [None, None, None, 1.0, None]
    assert over_looks(last, Metric.TOTAL, 1, NAME) == [None] * 5
    assert over_looks(NO_COUNTERS, Metric.WAITED, 0, NAME) == []


@pytest.mark.parametrize(("memory", "kept"), [(0, 2), (10**9, 4)], ids=["none left", "enough"])
def test_looks_are_kept_as_long_as_memory_allows(monkeypatch: pytest.MonkeyPatch, memory: int, kept: int) -> None:
    monkeypatch.setattr(look_module, "LOOKS_MEMORY", memory)
    said = {0: answer(a=counter())}
    last = looks(said, said, said, said)[-1]
    assert len(last.past) == kept
    assert last.past[-1] is last.table
    assert last.before is not None


def test_rates_are_of_the_time_between_the_answers_of_the_rank() -> None:
    analyst, everybody = CounterAnalyst(), RankSet([0])
    analyst.analyse(
        1, START, {(0, SOURCE): reply(0, answer(a=counter(calls=1)), START)}, everybody, without=NOBODY, inside=NOBODY
    )
    late = START + 10 * SECOND
    made = analyst.analyse(
        2,
        START + 2 * SECOND,
        {(0, SOURCE): reply(0, answer(a=counter(calls=11)), late)},
        everybody,
        without=NOBODY,
        inside=NOBODY,
    )
    assert cell_of(made, Metric.CALL_RATE, 0, NAME) == 1.0
