"""Op runs through the engine: events in order, one end each, cancelling, and an end of the engine."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from tests.fakes.op_servers import Answer, OpServer, adds, silent
from tests.services.dispatch.dispatching import ADD
from xpudbg.services import events
from xpudbg.services.dispatch.case import OpCase
from xpudbg.services.dispatch.errors import CaseError, RunCancelledError
from xpudbg.services.dispatch.progress import Running
from xpudbg.services.dispatch.replies import Output
from xpudbg.services.engine import Engine


@dataclass
class Servers:
    """Op servers on a thread of their own."""

    loop: asyncio.AbstractEventLoop
    started: list[OpServer]

    def start(self, *answers: Answer) -> OpServer:
        async def start() -> OpServer:
            server = OpServer(list(answers))
            await server.start()
            return server

        server = asyncio.run_coroutine_threadsafe(start(), self.loop).result(10)
        self.started.append(server)
        return server

    def wait(self, server: OpServer, idle: bool) -> None:
        waiting = server.until(lambda: (server.open == 0) == idle)
        asyncio.run_coroutine_threadsafe(waiting, self.loop).result(10)


@pytest.fixture
def servers() -> Iterator[Servers]:
    made = Servers(asyncio.new_event_loop(), [])
    thread = threading.Thread(target=made.loop.run_forever, daemon=True)
    thread.start()
    yield made
    for server in made.started:
        asyncio.run_coroutine_threadsafe(server.close(), made.loop).result(10)
    made.loop.call_soon_threadsafe(made.loop.stop)
    thread.join(10)
    made.loop.close()


def ended(engine: Engine, run_id: str) -> events.OpEnded:
    while True:
        event = engine.events.get(timeout=10)
        if isinstance(event, events.OpEnded) and event.run_id == run_id:
            return event


def test_runs_beside_each_other_end_each_on_its_own(servers: Servers) -> None:
    server = servers.start(adds)
    with Engine() as engine:
        for number in range(4):
            engine.run_op(str(number), ADD, server.endpoint)
        told: dict[str, list[str]] = {str(number): [] for number in range(4)}
        while any(names[-1:] != ["OpEnded"] for names in told.values()):
            event = engine.events.get(timeout=10)
            assert isinstance(event, events.OpProgressed | events.OpEnded)
            told[event.run_id].append(type(event).__name__)
            if isinstance(event, events.OpEnded):
                assert event.run is not None
                (output,) = event.run.outputs
                assert isinstance(output, Output)
                assert np.array_equal(output.array, [2, 2, 2])
    assert all(names.count("OpEnded") == 1 for names in told.values())


def test_cancelling_a_run_ends_it_and_no_other(servers: Servers) -> None:
    stuck, fine = servers.start(silent), servers.start(adds)
    with Engine() as engine:
        engine.run_op("stuck", ADD, stuck.endpoint)
        while not (
            isinstance(event := engine.events.get(timeout=10), events.OpProgressed)
            and isinstance(event.progress, Running)
        ):
            pass
        engine.run_op("fine", ADD, fine.endpoint)
        engine.run_op("at once", ADD, fine.endpoint)
        engine.cancel_op("at once")
        engine.cancel_op("stuck")
        engine.cancel_op("unknown")
        ends: dict[str, events.OpEnded] = {}
        while len(ends) < 3:
            event = engine.events.get(timeout=10)
            if isinstance(event, events.OpEnded):
                ends[event.run_id] = event
        servers.wait(stuck, idle=True)
    assert isinstance(ends["stuck"].error, RunCancelledError)
    assert isinstance(ends["at once"].error, RunCancelledError)
    assert ends["fine"].run is not None


def test_a_case_that_can_not_be_sent_ends_with_its_error(servers: Servers) -> None:
    with Engine() as engine:
        engine.run_op("a", OpCase(api="add"), servers.start(adds).endpoint)
        end = ended(engine, "a")
    assert end.run is None
    assert isinstance(end.error, CaseError)


def test_the_end_of_the_engine_ends_the_runs(servers: Servers) -> None:
    stuck = servers.start(silent)
    with Engine() as engine:
        engine.run_op("a", ADD, stuck.endpoint)
        servers.wait(stuck, idle=False)
    assert isinstance(ended(engine, "a").error, RunCancelledError)
    servers.wait(stuck, idle=True)
