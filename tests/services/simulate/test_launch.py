"""The demo cluster as the engine starts it."""

from __future__ import annotations

import asyncio
import threading

import pytest

from tests.services.simulate.test_store_server import VALIDATE, Client
from xpudbg.services.addressing.endpoints import TargetError
from xpudbg.services.simulate.launch import DemoError, running_demo
from xpudbg.services.simulate.scenarios import DEFAULT, SCENARIOS


async def ping(port: int) -> bytes:
    async with Client(port) as client:
        return await client.ask(VALIDATE + bytes([13]) + b"abcd", 4)


async def test_it_serves_while_the_context_lasts_and_no_longer() -> None:
    async with running_demo(4, "stopped") as demo:
        assert (demo.ranks, demo.scenario, demo.host) == (4, "stopped", "127.0.0.1")
        assert await ping(demo.port) == b"abcd"
    with pytest.raises(ConnectionRefusedError):
        await ping(demo.port)


async def test_nothing_asked_for_is_the_default_scenario_with_its_ranks() -> None:
    async with running_demo() as demo:
        assert (demo.scenario, demo.ranks) == (DEFAULT, SCENARIOS[DEFAULT].default_ranks)


async def test_it_takes_commands() -> None:
    async with running_demo(4, "stopped") as demo:
        await demo.release([2])
        await demo.stop(range(2))
        assert await demo.counts() == {}
        assert await demo.queued() == {}
        with pytest.raises(DemoError, match="there is no rank 9"):
            await demo.stop([9])


async def test_commands_at_the_same_time_get_their_own_answers() -> None:
    async with running_demo(4, "dead") as demo:
        answers = await asyncio.gather(
            demo.counts(), demo.stop([2]), demo.counts(), demo.stop([0]), return_exceptions=True
        )
    assert answers[0] == answers[2] == {}
    assert isinstance(answers[1], DemoError)
    assert answers[3] is None


async def test_a_command_after_the_end_is_refused() -> None:
    async with running_demo(1, "healthy") as demo:
        pass
    with pytest.raises(DemoError, match="has ended"):
        await demo.counts()


def test_it_works_on_the_event_loop_of_another_thread() -> None:
    found: list[bytes] = []

    async def main() -> None:
        async with running_demo(2, "healthy") as demo:
            found.append(await ping(demo.port))

    thread = threading.Thread(target=lambda: asyncio.run(main()))
    thread.start()
    thread.join(60)
    assert found == [b"abcd"]


async def test_an_unknown_scenario_is_refused_with_the_known_ones() -> None:
    with pytest.raises(DemoError) as caught:
        async with running_demo(4, "nope"):
            pass
    assert isinstance(caught.value, TargetError)
    assert "nope" in str(caught.value)
    assert "healthy" in caught.value.hint


async def test_what_the_child_said_is_in_the_error() -> None:
    with pytest.raises(DemoError, match="ask for fewer ranks"):
        async with running_demo(1_000_000, "healthy"):
            pass


async def test_a_child_that_takes_too_long_is_given_up() -> None:
    with pytest.raises(DemoError, match=r"did not start within 1e-06 s"):
        async with running_demo(4, "healthy", start_timeout_s=1e-6):
            pass


async def test_cancelling_ends_the_child() -> None:
    serving: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def hold() -> None:
        async with running_demo(2, "healthy") as demo:
            serving.set_result(demo.port)
            await asyncio.Event().wait()

    holding = asyncio.create_task(hold())
    port = await serving
    holding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await holding
    with pytest.raises(ConnectionRefusedError):
        await ping(port)
