"""Two looks compared: frozen, crawling, moving, idle."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from xpudbg.services.flight_recorder.analysis import Analysis, analyse
from xpudbg.services.flight_recorder.motion import Motion, Pace

from .recorded import dump_of, entry

OPEN = {"state": "started", "retired": False}
SECOND = 1_000_000_000


def look(*entries: list[dict[str, Any]], taken_at: int | None = None) -> Analysis:
    return analyse(replace(dump_of(rank, mine), taken_at=taken_at) for rank, mine in enumerate(entries))


def barriers(last: int, **state: Any) -> list[dict[str, Any]]:
    """Barriers a millisecond apart, the last of which has this state."""
    made = [entry("nccl:barrier", seq, time_created_ns=seq * SECOND // 1000) for seq in range(1, last + 1)]
    made[-1] |= state
    return made


def test_frozen_moving_and_idle() -> None:
    before = look(barriers(5, **OPEN), barriers(4))
    assert Motion(before, look(barriers(5, **OPEN), barriers(4))).by_rank == {0: Pace.FROZEN, 1: Pace.IDLE}
    assert Motion(before, look(barriers(9, **OPEN), barriers(9))).by_rank == {0: Pace.MOVING, 1: Pace.MOVING}


def test_crawling_is_a_tenth_of_the_usual_rate() -> None:
    def paces(made: int) -> dict[int, Pace]:
        before = look(barriers(50), barriers(50), taken_at=10 * SECOND)
        return Motion(before, look(barriers(50 + made), barriers(50 + made), taken_at=11 * SECOND)).by_rank

    assert paces(2) == {0: Pace.CRAWLING, 1: Pace.CRAWLING}
    assert paces(900) == {0: Pace.MOVING, 1: Pace.MOVING}


def test_without_times_what_gets_on_moves() -> None:
    assert Motion(look(barriers(50), []), look(barriers(51), [])).by_rank[0] is Pace.MOVING


def test_ranks_seen_once_have_no_pace() -> None:
    assert 1 not in Motion(look(barriers(5)), look(barriers(5), barriers(5))).by_rank


def test_inside_the_same_call_at_both_looks() -> None:
    now = look(barriers(5, **OPEN), barriers(5, **OPEN), barriers(4))
    (call,) = now.waits.calls
    assert str(Motion(look(barriers(5, **OPEN), barriers(4)), now).still_inside(call)) == "0"
