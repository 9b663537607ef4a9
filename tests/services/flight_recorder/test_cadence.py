"""A wait no longer than what a job has shown is not a hang yet; a young job has shown little."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pytest

from xpudbg.services.flight_recorder.cadence import Cadence, cadence_of

S = 1_000_000_000


@dataclass
class Entries:
    created: Any


@dataclass
class OneDump:
    entries: Entries


class OneJob:
    def __init__(self, created: dict[int, list[float]]) -> None:
        self._created = created

    def dump_of(self, rank: int) -> OneDump | None:
        if rank not in self._created:
            return None
        return OneDump(Entries(np.array([int(at * S) for at in self._created[rank]], dtype=np.int64)))


@dataclass
class Look:
    job: OneJob


@dataclass
class Call:
    rows: dict[int, int]


def cadence(created: dict[int, list[float]], inside: list[int]) -> Cadence:
    look, call = Look(OneJob(created)), Call(dict.fromkeys(inside, 0))
    return cadence_of(cast("Any", look), cast("Any", call))


def steps(count: int, step_s: float, calls: int) -> list[float]:
    return [1 + step * step_s + call * 0.01 for step in range(count) for call in range(calls)]


def told(created: list[float]) -> tuple[bool, float]:
    one = cadence({0: created}, [0])
    return one.young, round(one.usual_s, 2)


def test_a_slow_step_that_recurs_is_usual() -> None:
    assert told(steps(8, 10.0, 20)) == (False, 9.81)


def test_one_long_pause_is_not() -> None:
    created = [*steps(8, 0.5, 20), *(at + 100 for at in steps(8, 0.5, 20))]
    assert told(created) == (False, 0.31)


def test_a_checkpoint_in_a_long_run_of_short_steps_is_not() -> None:
    created = [*steps(100, 0.5, 1), *(at + 55 for at in steps(100, 0.5, 1))]
    assert told(created) == (False, 0.5)


def test_of_the_ranks_inside_the_one_with_the_longest_counts() -> None:
    one = cadence({0: steps(15, 1.0, 2), 1: steps(15, 3.0, 2)}, [0, 1])
    assert not one.young
    assert one.usual_s == pytest.approx(2.99)


@pytest.mark.parametrize("count", [2, 3])
def test_in_the_first_steps_the_longest_gap_so_far_counts(count: int) -> None:
    """Many calls at once, seconds of compute, many calls at once: what recurs are the gaps inside a step."""
    one = cadence({0: steps(count, 6.0, 200)}, [0])
    assert one.young
    assert one.usual_s == pytest.approx(4.01)


def test_the_gap_that_led_to_the_call_is_kept_apart() -> None:
    one = cadence({0: [1.0, 1.01, 1.02, 41.0]}, [0])
    assert one.young
    assert one.leading_s == pytest.approx(39.98)
    assert one.usual_s == pytest.approx(0.01)


def test_a_burst_of_calls_at_the_start_says_nothing_about_steps() -> None:
    assert told(steps(1, 1.0, 400)) == (True, 0.01)


def test_too_few_calls_tell_nothing() -> None:
    nothing = Cadence(0.0, young=True)
    assert cadence({0: [1.0]}, [0]) == nothing
    assert cadence({}, [3]) == nothing
    assert cadence({0: [0.0, 0.0, 0.0, 0.0]}, [0]) == nothing
