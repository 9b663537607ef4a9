"""One look over many ranks: every reply is handed on as it comes, nobody waits for the slowest.

Per rank the order is ping, then (when it answered as a worker server should) the list of its handlers, once, its
flight recorders, its wait counters, torchcomms' health check and its Python traceback; py-spy only where the traceback
did not come. Over ranks, lower stages go first: all pings before the first traceback.
"""

from __future__ import annotations

import asyncio
import traceback
from typing import TYPE_CHECKING

from ..snapshot import Outcome
from .answers import AnswerError, read_json
from .liveness import is_pong
from .probes import COUNTERS, DUMP_TRACEBACK, HANDLERS, HEALTH, PING, PYSPY, RECORDERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..snapshot import RankReply
    from .probes import Probe
    from .worker import Worker

_LOST = frozenset((Outcome.TIMEOUT, Outcome.RESET, Outcome.REFUSED, Outcome.UNREACHABLE))
"""Outcomes of a traceback after which another ping tells whether the rank is still there."""

__all__ = ["PYSPY_RANKS", "fan_out"]

PYSPY_RANKS = 64
"""Most ranks that one look asks for py-spy by itself: each starts a process on the rank's host."""


async def fan_out(
    workers: Iterable[Worker],
    *,
    budget_s: float,
    arrived: Callable[[RankReply], None],
    failed: Callable[[str, BaseException, str], None],
) -> None:
    """Ask all ranks and return when each has answered or used up its budget.

    Args:
        workers: the ranks to ask.
        budget_s: seconds a small request may take.
        arrived: called with each reply at once.
        failed: called with (what was being done, exception, traceback) when xpudbg itself fails on a rank; the other
            ranks go on.

    Cancelling ends it: what was not sent stays unsent, what a rank is answering is dropped, what it has not begun to
    answer is kept by its Worker.
    """

    py_spy_left = iter(range(PYSPY_RANKS))

    async def look_at(worker: Worker) -> None:
        try:
            await _look_at(worker, budget_s, arrived, py_spy_left)
        except Exception as error:
            failed(f"looking at rank {worker.rank}", error, traceback.format_exc())

    async with asyncio.TaskGroup() as group:
        for worker in workers:
            group.create_task(look_at(worker))


async def _look_at(
    worker: Worker, budget_s: float, arrived: Callable[[RankReply], None], py_spy_left: Iterator[int]
) -> None:
    async def ask(probe: Probe) -> RankReply:
        reply = await worker.ask(probe, budget_s * probe.budgets)
        arrived(reply)
        return reply

    if not is_pong(await ask(PING)):
        return
    if worker.handlers is None:
        try:
            worker.handlers = tuple(read_json(await ask(HANDLERS), list[str]))
        except AnswerError:  # the reply itself says so on the screen; it is asked again at the next look
            worker.handlers = None
    for probe in (*RECORDERS, COUNTERS, HEALTH):
        if worker.handlers is not None and worker.has(probe):
            await ask(probe)
    if not worker.has(DUMP_TRACEBACK):
        return
    outcome = (await ask(DUMP_TRACEBACK)).outcome
    if outcome in _LOST and not is_pong(await ask(PING)):
        return  # it has stopped or died since the first ping
    if outcome is not Outcome.TIMEOUT or not worker.has(PYSPY) or worker.without_py_spy:
        return
    if next(py_spy_left, None) is None:
        return
    reply = await ask(PYSPY)
    # A rank without py-spy, or without leave to use it, does not get them by being asked at every look.
    worker.without_py_spy = reply.outcome is Outcome.HTTP_ERROR
