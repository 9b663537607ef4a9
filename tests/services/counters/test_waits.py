"""Which waits for others go on."""

from __future__ import annotations

import pytest

from tests.fakes.counter_answers import answer, counter, looks
from xpudbg.services.counters.waits import is_wait_for_others
from xpudbg.services.ranksets import RankSet

STAYS = answer(TCPStore__wait=counter(1, 50, 2, 40))
AWAY = answer(TCPStore__wait=counter(0, 50, 2, 40))


@pytest.mark.parametrize(
    ("title", "is_one"),
    [
        ("TCPStore__wait", True),
        ("TCPStore__get", True),
        ("TCPStore__set", False),
        ("TCPStore__waiting", False),
        ("c10d.all_gather_object", True),
        ("c10d._object_to_tensor", False),
        ("dynamo_compile", False),
        ("data.next_batch", False),
        ("FlightRecorder__dump", False),
    ],
)
def test_waits_for_other_ranks_are_known_by_name(title: str, is_one: bool) -> None:
    assert is_wait_for_others(title) is is_one


@pytest.mark.parametrize(
    ("before", "now", "held"),
    [
        (STAYS, STAYS, True),
        (AWAY, STAYS, False),
        (STAYS, AWAY, False),
        (answer(TCPStore__wait=counter(1, 50, 1, 40)), STAYS, False),
        (answer(TCPStore__wait=counter(1, 49, 2, 40)), STAYS, False),
        (answer(), STAYS, False),
        (answer(TCPStore__wait=counter(1, 99, 3, 99)), STAYS, False),
        (answer(TCPStore__wait={"active_count": 1}), answer(TCPStore__wait={"active_count": 1}), False),
        (answer(compile=counter(1)), answer(compile=counter(1)), False),
    ],
    ids=["same", "new", "over", "another call", "time added", "first seen", "anew", "calls not known", "no wait"],
)
def test_the_same_wait_goes_on_when_none_of_its_counter_began_or_ended(
    before: dict[str, object], now: dict[str, object], held: bool
) -> None:
    made = looks({0: AWAY, 1: before}, {0: AWAY, 1: now})[-1]
    assert made.waits == ({1: "TCPStore__wait"} if held else {})


def test_one_look_alone_tells_no_wait_that_lasts() -> None:
    assert looks({0: STAYS})[0].waits == {}


def test_a_wait_that_ranks_inside_a_collective_have_too_is_of_a_thread_beside() -> None:
    said = dict.fromkeys(range(3), STAYS)
    assert looks(said, said, inside=RankSet([0, 1]))[-1].waits == {}


def test_a_rank_inside_a_collective_waits_there() -> None:
    said = {0: answer(**{"c10d.barrier": counter(1)}), 1: answer(**{"c10d.barrier": counter(1)})}
    assert looks(said, said, inside=RankSet([0]))[-1].waits == {1: "c10d.barrier"}


def test_of_several_waits_the_first_by_name_is_told() -> None:
    said = {0: answer(TCPStore__wait=counter(1), TCPStore__get=counter(1))}
    assert looks(said, said)[-1].waits == {0: "TCPStore__get"}
