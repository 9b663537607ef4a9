"""Deadline and cancelling: at any point, with nothing left open."""

from __future__ import annotations

import asyncio
import random

import numpy as np
import pytest

from tests.fakes.op_servers import (
    Answer,
    Call,
    adds,
    busy,
    busy_then_reset,
    closes,
    drips,
    op_server,
    reads_nothing,
    silent,
)
from tests.services.dispatch.dispatching import ADD, Time, big, dispatcher
from tests.services.dispatch.test_client import first
from xpudbg.services.dispatch.case import OpCase, Slot
from xpudbg.services.dispatch.endpoint import DispatchSettings
from xpudbg.services.dispatch.errors import (
    DeadlinePassedError,
)
from xpudbg.services.dispatch.progress import Busy, Downloading, Progress, Running, Uploading
from xpudbg.services.dispatch.run_loop import OpRun


async def test_the_deadline_holds_within_a_slow_download() -> None:
    tick = asyncio.Semaphore(0)
    time = Time()
    got: list[int] = []

    def tell(latest: Progress) -> None:
        if isinstance(latest, Downloading):
            got.append(latest.received)
            tick.release()
            time.pass_deadline()

    async with op_server(drips(tick)) as server, dispatcher(time) as client:
        with pytest.raises(DeadlinePassedError, match=r"not done within 300 s; 0 of 10,000,000 bytes had come back"):
            await client.run(ADD, server.endpoint, tell)
        await server.until(lambda: server.open == 0)
    assert got == [0]


@pytest.mark.parametrize(
    ("answer", "at", "where"),
    [
        (silent, Running, "the server had it all and had not answered"),
        (reads_nothing, Uploading, "bytes were uploaded"),
    ],
)
async def test_the_deadline_holds_everywhere(answer: Answer, at: type[Progress], where: str) -> None:
    time = Time()

    def tell(latest: Progress) -> None:
        if isinstance(latest, at):
            time.pass_deadline()

    async with op_server(answer) as server, dispatcher(time) as client:
        with pytest.raises(DeadlinePassedError, match=where):
            await client.run(big(16) if at is Uploading else ADD, server.endpoint, tell)
        server.released.set()
        await server.until(lambda: server.open == 0)


@pytest.mark.parametrize("answer", [silent, reads_nothing, busy], ids=["running", "uploading", "waiting"])
async def test_cancelling_ends_it_anywhere_and_closes_the_connection(answer: Answer) -> None:
    time = Time()
    reached = asyncio.Event()
    wanted = Running if answer is silent else Uploading if answer is reads_nothing else Busy

    def tell(latest: Progress) -> None:
        if isinstance(latest, wanted):
            reached.set()

    async with op_server(answer) as server, dispatcher(time, sleep=time.never) as client:
        task = asyncio.create_task(client.run(big(16) if answer is reads_nothing else ADD, server.endpoint, tell))
        await reached.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        server.released.set()
        await server.until(lambda: server.open == 0)


async def test_many_runs_cancelled_at_random_lose_and_leak_nothing() -> None:
    chance = random.Random(11)
    wanted = asyncio.Event()

    async def moody(call: Call) -> None:
        mood = chance.random()
        if mood < 0.2:
            await busy(call)
        elif mood < 0.3:
            await busy_then_reset(call)
        elif mood < 0.4:
            await closes(call)
        elif mood < 0.5:
            await call.body()
            await wanted.wait()
            await adds(call)
        else:
            await adds(call)

    before = asyncio.all_tasks()
    async with op_server(moody) as one, op_server(moody, newer=False) as two:
        client = dispatcher(Time(), settings=DispatchSettings(deadline_s=1e9, busy_retries=100, connection_retries=100))
        steps = 0

        def tell(_latest: Progress) -> None:
            nonlocal steps
            steps += 1
            if steps % 9 == 0:
                chance.choice(runs).cancel()

        def case(number: int) -> OpCase:
            return OpCase(api="torch.add", inputs=(Slot("x", np.full(50_000, number, np.float32)),))

        runs = [
            asyncio.create_task(client.run(case(number), (one, two)[number % 2].endpoint, tell)) for number in range(64)
        ]
        await asyncio.sleep(0)
        wanted.set()
        ended = await asyncio.gather(*runs, return_exceptions=True)
        for number, result in enumerate(ended):
            if isinstance(result, OpRun):
                assert first(result).tolist() == [number] * 50_000
            else:
                assert isinstance(result, asyncio.CancelledError)
        assert {type(result) for result in ended} == {OpRun, asyncio.CancelledError}
        await client.close()
        for server in (one, two):
            await server.until(lambda server=server: server.open == 0)  # type: ignore[misc]
    await asyncio.sleep(0)
    assert asyncio.all_tasks() <= before
