"""Looks that brought wait counters, as the analysis makes them of the answers of ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fakes.counter_answers import SECOND, answer, counter, replies
from xpudbg.services import events
from xpudbg.services.counters.look import CounterAnalyst
from xpudbg.services.looks.recorders import RecorderLook
from xpudbg.services.looks.stacks import StackLook
from xpudbg.services.ranksets import RankSet

from .scripted import NOW, look, opened

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["counter_job", "trained"]


def trained(
    ranks: int, *, looks: int = 2, waiting: Sequence[int] = (), slow: Sequence[int] = ()
) -> list[dict[int, dict[str, object]]]:
    """Answers of a job at looks ten seconds apart.

    Args:
        waiting: ranks that wait in the store at each look.
        slow: ranks that wait nine times as long for their data.
    """
    made = []
    for number in range(looks):
        steps = 1_000 + 100 * number
        said = {}
        for rank in range(ranks):
            batch = steps * (1_800 + rank % 7 * 20) * (9 if rank in slow else 1)
            said[rank] = answer(
                **{
                    "TCPStore__wait": counter(int(rank in waiting), 5_473 + rank, 2, 5_473),
                    "TCPStore__set": counter(0, 26, 2, 16),
                    "c10d.init_process_group": counter(0, 325_696 + 31 * rank, 1, 325_696),
                    "data.next_batch": counter(0, batch, steps, 31_000),
                    "FlightRecorder__dump": counter(0, 2**53 + 1, 3, 9),
                }
            )
        made.append(said)
    return made


def counter_job(
    size: int,
    said: Sequence[Mapping[int, Mapping[str, object]]],
    sick: Mapping[int, str] | None = None,
    *,
    without: Sequence[int] = (),
) -> list[events.Event]:
    """A job looked at as often as there are answers, ten seconds apart, the last at NOW.

    Args:
        said: at each look what ranks answer.
        sick: class by rank.
        without: ranks that have no such handler.
    """
    analyst = CounterAnalyst()
    script: list[events.Event] = [events.TargetOpening("store head-0:29500"), opened(size)]
    for number, one in enumerate(said):
        at = NOW - (len(said) - 1 - number) * 10 * SECOND
        counters = analyst.analyse(
            number + 1, at, replies(one, at), RankSet.full(size), without=RankSet(without), inside=RankSet()
        )
        *replied, closed = look(number + 1, size, sick, at=at)
        analysed = events.Analysed(number + 1, StackLook(number + 1), RecorderLook(number + 1), counters=counters)
        script += [*replied, analysed, closed]
    return script
