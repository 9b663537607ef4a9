"""A wait no longer than what recurs in a job is not a hang yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pytest

from xpudbg.services.flight_recorder.cadence import usual_gap_s

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


def gap(created: dict[int, list[float]], inside: list[int]) -> float | None:
    look, call = Look(OneJob(created)), Call(dict.fromkeys(inside, 0))
    return usual_gap_s(cast("Any", look), cast("Any", call))


def steps(count: int, step_s: float, calls: int) -> list[float]:
    return [1 + step * step_s + call * 0.01 for step in range(count) for call in range(calls)]


def test_a_slow_step_that_recurs_is_usual() -> None:
    assert gap({0: steps(8, 10.0, 20)}, [0]) == pytest.approx(9.81, abs=0.01)


def test_one_long_pause_is_not() -> None:
    created = [*steps(8, 0.5, 20), *(at + 100 for at in steps(8, 0.5, 20))]
    assert gap({0: created}, [0]) == pytest.approx(0.31, abs=0.01)


def test_of_the_ranks_inside_the_one_with_the_longest_counts() -> None:
    assert gap({0: steps(5, 1.0, 2), 1: steps(5, 3.0, 2)}, [0, 1]) == pytest.approx(2.99, abs=0.01)


def test_too_few_calls_tell_nothing() -> None:
    assert gap({0: [1.0, 5.0]}, [0]) is None
    assert gap({}, [3]) is None
    assert gap({0: [0.0, 0.0, 0.0, 0.0]}, [0]) is None
