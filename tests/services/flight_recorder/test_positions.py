"""What counters count, and how far a rank is."""

from __future__ import annotations

from typing import Any

import pytest

from xpudbg.services.flight_recorder.analysis import analyse
from xpudbg.services.flight_recorder.positions import Position, Unit

from .recorded import dump_of, entry


def status(enqueued: int, completed: int) -> dict[str, Any]:
    return {
        "0": {
            "last_enqueued_collective": enqueued,
            "last_started_collective": -1,
            "last_completed_collective": str(completed),
        }
    }


def at(rank: int, *dumps: Any) -> Position:
    found = analyse(dumps).positions.at(rank, 0)
    assert found is not None
    return found


def test_counters_survive_the_ring() -> None:
    found = at(1, dump_of(0, [entry("nccl:barrier", 9)]), dump_of(1, [], pg_status=status(8, 8)))
    assert (found.enqueued, found.completed, found.first, found.unit) == (8, 8, None, Unit.COLLECTIVES)
    assert found.borrowed
    assert found.filtered


def test_gloo_counts_operations_not_collectives() -> None:
    """A send that is not recorded has taken number 2."""
    entries = [entry("gloo:barrier", 1, op_id=1), entry("gloo:barrier", 2, op_id=3)]
    found = at(0, dump_of(0, entries, pg_status=status(3, 3)))
    assert (found.enqueued, found.completed, found.unit) == (2, 2, Unit.OPERATIONS)


def test_nccl_keeps_the_last_of_either_kind() -> None:
    send = entry("nccl:send 0->1", 26, p2p_seq_id=11_985, is_p2p=True, record_id=99, state="scheduled", retired=False)
    found = at(0, dump_of(0, [send], pg_status=status(11_985, 11_983)))
    assert (found.p2p_enqueued, found.p2p_completed, found.unit) == (11_985, 11_983, Unit.P2P)


def test_the_newest_entry_has_both_numbers() -> None:
    send = entry("nccl:send 0->1", 26, p2p_seq_id=3, is_p2p=True, record_id=99)
    found = at(0, dump_of(0, [entry("nccl:barrier", 2), send]))
    assert (found.enqueued, found.p2p_enqueued, found.silent) == (26, 3, False)


def test_a_completed_counter_beyond_the_enqueued_one_is_of_the_other_kind() -> None:
    found = at(0, dump_of(0, [entry("nccl:barrier", 2, state="scheduled", retired=False)], pg_status=status(2, 40)))
    assert (found.enqueued, found.completed) == (2, None)


@pytest.mark.parametrize("entries", [[], [entry("nccl:barrier", 0, process_group=["7", "tp"])]])
def test_nothing_recorded_in_a_group_is_silence(entries: list[dict[str, Any]]) -> None:
    found = at(1, dump_of(0, [entry("nccl:barrier", 1)]), dump_of(1, entries))
    assert (found.enqueued, found.silent) == (0, True)


def test_without_a_dump_there_is_no_position() -> None:
    assert analyse([dump_of(0, [entry("nccl:barrier", 1)])]).positions.at(1, 0) is None


def test_counters_without_a_group_are_not_silence() -> None:
    lost = dump_of(1, [], pg_status={"5": status(3, 2)["0"], "6": status(1, 1)["0"]})
    positions = analyse([dump_of(0, [entry("nccl:barrier", 1)]), lost]).positions
    found = positions.at(1, 0)
    assert found is not None
    assert (found.enqueued, found.silent) == (None, False)
    assert positions.inside_something(1)
    assert not positions.inside_something(0)
