"""Answers of wait_counter_values, and looks made of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from xpudbg.services.counters.look import CounterAnalyst, CounterLook
from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import Outcome, RankReply
from xpudbg.services.spool import Body

__all__ = ["PREFIX", "SECOND", "START", "answer", "counter", "looks", "replies", "reply"]

PREFIX = "pytorch.wait_counter."
SECOND = 1_000_000_000
START = 1_760_000_000 * SECOND
SOURCE = "wait_counter_values"

Answer = Mapping[str, object]


def counter(active: int = 0, total: int = 0, calls: int = 0, longest: int = 0) -> dict[str, int]:
    """One counter as it stands in the answer; times in microseconds."""
    return {"active_count": active, "max_time_us": longest, "total_calls": calls, "total_time_us": total}


def answer(**counters: object) -> dict[str, object]:
    """An answer; names without torch's prefix."""
    return {PREFIX + name: value for name, value in counters.items()}


def reply(
    rank: int, said: object, at: int = START, *, outcome: Outcome = Outcome.OK, status: int | None = 200
) -> RankReply:
    """
    Args:
        said: what the JSON holds, or the body itself when it is bytes.
        at: when it was complete, ns since the epoch.
    """
    body = said if isinstance(said, bytes) else json.dumps(said).encode()
    error = "" if outcome is Outcome.OK else str(outcome)
    return RankReply(rank, SOURCE, "", outcome, status, Body(len(body), body), error, at, 0.0)


def replies(said: Mapping[int, Answer], at: int = START) -> dict[tuple[int, str], RankReply]:
    return {(rank, SOURCE): reply(rank, one, at) for rank, one in said.items()}


def looks(
    *said: Mapping[int, Answer],
    apart_s: Sequence[float] | float = 2.0,
    ranks: RankSet | None = None,
    without: RankSet | None = None,
    inside: RankSet | None = None,
) -> list[CounterLook]:
    """Looks one after the other.

    Args:
        said: what each rank answers at each look.
        apart_s: seconds between looks.
        ranks: the ranks asked; those that answer when None.
        without: ranks without the handler.
        inside: ranks inside a call by their recorder.
    """
    analyst, made, at = CounterAnalyst(), [], START
    for number, one in enumerate(said):
        if number:
            at += int((apart_s if isinstance(apart_s, float | int) else apart_s[number - 1]) * SECOND)
        asked = ranks if ranks is not None else RankSet(one)
        made.append(
            analyst.analyse(
                number + 1, at, replies(one, at), asked, without=without or RankSet(), inside=inside or RankSet()
            )
        )
    return made
