"""One look over many ranks: nobody waits for the slowest, and a stuck rank is never asked twice."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.raw_server import RawServer, Serve, raw_server, refused_port, response, says, silent, worker_server
from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.cluster.fanout import fan_out
from xpudbg.services.cluster.lanes import Lanes
from xpudbg.services.cluster.transport import make_client
from xpudbg.services.cluster.worker import Worker, WorkerListener
from xpudbg.services.snapshot import Outcome, RankReply
from xpudbg.services.spool import Spool

BUDGET = 1.0


class Sweep:
    """Workers over servers, and what comes back of looks at them."""

    def __init__(self, workers: list[Worker], servers: list[RawServer]) -> None:
        self.workers, self.servers = workers, servers
        self.replies: list[RankReply] = []
        self.failures: list[str] = []

    async def look(self, budget_s: float = BUDGET) -> list[RankReply]:
        self.replies = []
        await fan_out(
            self.workers,
            budget_s=budget_s,
            arrived=self.replies.append,
            failed=lambda doing, error, _trace: self.failures.append(f"{doing}: {error}"),
        )
        return self.replies

    def outcomes(self, source: str) -> dict[int, Outcome]:
        return {reply.rank: reply.outcome for reply in self.replies if reply.source == source}


@contextlib.asynccontextmanager
async def sweep(serves: Sequence[Serve], tmp_path: Path, fast_slots: int = 128) -> AsyncIterator[Sweep]:
    async with contextlib.AsyncExitStack() as stack:
        client = await stack.enter_async_context(make_client(AttachOptions()))
        lanes = Lanes(connections=2000, fast_slots=fast_slots)
        servers = [await stack.enter_async_context(raw_server(serve)) for serve in serves]
        workers = [
            Worker(replace(server.address, rank=rank), client, Spool(tmp_path), lanes, WorkerListener())
            for rank, server in enumerate(servers)
        ]
        yield Sweep(workers, servers)
        for worker in workers:
            await worker.close()


healthy = worker_server(stuck=set())


async def test_63_ranks_are_told_and_one_that_never_answers_is_marked(tmp_path: Path) -> None:
    async with sweep([healthy] * 63 + [silent], tmp_path) as made:
        await made.look()
        pings = [reply for reply in made.replies if reply.source == "ping"]
        assert [reply.rank for reply in pings][-1] == 63
        assert sum(reply.outcome is Outcome.OK for reply in pings) == 63
        assert (pings[-1].outcome, pings[-1].error) == (Outcome.TIMEOUT, "no answer after 1.0 s")
        assert set(made.outcomes("dump_traceback").values()) == {Outcome.OK}
        assert len(made.outcomes("dump_traceback")) == 63


async def test_stopped_ranks_do_not_starve_the_live_ones(tmp_path: Path) -> None:
    """With one fast slot, ranks that never answer give it back long before their budget ends."""
    async with sweep([silent] * 5 + [healthy] * 3, tmp_path, fast_slots=1) as made:
        looking = asyncio.ensure_future(made.look(budget_s=3600))
        while len(made.outcomes("dump_traceback")) < 3:
            await asyncio.sleep(0.01)  # polls for the replies of the live ranks; the look itself would last an hour
        assert not looking.done()
        looking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await looking


async def test_all_pings_go_before_the_first_traceback(tmp_path: Path) -> None:
    async with sweep([healthy] * 12, tmp_path, fast_slots=2) as made:
        await made.look()
        stages = [{"ping": 0, "handlers": 1, "dump_traceback": 4}[reply.source] for reply in made.replies]
        assert stages[:10] == [0] * 10
        assert len(stages) == 36


async def test_handlers_are_asked_once_and_missing_ones_never(tmp_path: Path) -> None:
    async def without_traceback(path: str, writer: asyncio.StreamWriter) -> None:
        writer.write(response(b'["ping"]' if path == "/handler/" else b"pong"))
        await writer.drain()

    async with sweep([without_traceback], tmp_path) as made:
        for _ in range(3):
            await made.look()
        assert made.servers[0].requests == {"/handler/ping": 3, "/handler/": 1}


@pytest.mark.parametrize("stuck", ["ping", "dump_traceback"])
async def test_twenty_looks_leave_one_request_on_a_stuck_rank_and_it_recovers(
    stuck: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("xpudbg.services.cluster.worker.PATIENCE_S", 0.02)
    released = asyncio.Event()
    async with sweep([worker_server(stuck={stuck}, released=released), healthy], tmp_path) as made:
        answered = 0
        for _ in range(20):
            await made.look(budget_s=1)  # the first takes it whole, the others wait for what is outstanding
            assert made.outcomes(stuck)[0] is Outcome.TIMEOUT
            assert made.workers[0].stuck == (stuck,)
            answered += made.outcomes(stuck)[1] is Outcome.OK  # on a busy machine not each time
        path = f"/handler/{stuck}"
        assert made.servers[0].requests[path] == 1
        assert made.servers[1].requests[path] >= answered > 1
        released.set()
        await made.servers[0].until(lambda: made.servers[0].open[path] == 0)
        await made.look()
        assert made.outcomes("dump_traceback")[0] is Outcome.OK
        assert made.workers[0].stuck == ()


async def test_a_foreign_server_is_asked_for_nothing_but_ping(tmp_path: Path) -> None:
    async with sweep([says(response(b"<html></html>"))], tmp_path) as made:
        await made.look()
        assert made.servers[0].requests == {"/handler/ping": 1}


async def test_one_rank_that_breaks_xpudbg_is_reported_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with sweep([healthy] * 3, tmp_path) as made:

        async def broken(*_: object) -> RankReply:
            raise KeyError("a defect")

        monkeypatch.setattr(made.workers[1], "ask", broken)
        await made.look()
        assert made.failures == ["looking at rank 1: 'a defect'"]
        assert set(made.outcomes("dump_traceback")) == {0, 2}


async def test_a_refused_rank_is_told_beside_the_others(tmp_path: Path) -> None:
    with refused_port() as held:
        async with sweep([healthy] * 4, tmp_path) as made:
            made.workers[2]._base = f"http://127.0.0.1:{held.getsockname()[1]}"
            await made.look()
            assert made.outcomes("ping") == {0: Outcome.OK, 1: Outcome.OK, 2: Outcome.REFUSED, 3: Outcome.OK}


async def test_a_rank_that_dies_during_the_look_is_pinged_again(tmp_path: Path) -> None:
    """Its traceback ends in a reset; only another ping tells that nobody is there any more."""
    server: RawServer

    async def dies(path: str, writer: asyncio.StreamWriter) -> None:
        if path == "/handler/dump_traceback":
            assert server._server is not None
            server._server.close()
            writer.transport.abort()
        else:
            await healthy(path, writer)

    async with sweep([dies], tmp_path) as made:
        server = made.servers[0]
        await made.look()
        assert [(reply.source, reply.outcome) for reply in made.replies][-2:] == [
            ("dump_traceback", Outcome.RESET),
            ("ping", Outcome.REFUSED),
        ]


async def test_py_spy_is_asked_only_where_the_traceback_does_not_come_and_not_again_where_it_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("xpudbg.services.cluster.worker.PATIENCE_S", 0.02)
    pyspy = response(b"sh: 1: py-spy: not found", "500 Internal Server Error")

    async def serve(path: str, writer: asyncio.StreamWriter, stuck: bool) -> None:
        if path == "/handler/":
            writer.write(response(b'["ping", "dump_traceback", "pyspy_dump"]'))
        elif path.startswith("/handler/pyspy_dump"):
            writer.write(pyspy)
        elif path == "/handler/dump_traceback" and stuck:
            await asyncio.Event().wait()
        else:
            await healthy(path, writer)
            return
        await writer.drain()

    async def held(path: str, writer: asyncio.StreamWriter) -> None:
        await serve(path, writer, stuck=True)

    async def free(path: str, writer: asyncio.StreamWriter) -> None:
        await serve(path, writer, stuck=False)

    async with sweep([held, free], tmp_path) as made:
        for _ in range(3):
            await made.look(budget_s=1)
        asked = [server.requests["/handler/pyspy_dump?nonblocking=1"] for server in made.servers]
        assert asked == [1, 0]


async def test_the_health_check_is_asked_once_a_look_of_ranks_that_have_it(tmp_path: Path) -> None:
    asked: list[str] = []

    async def torchcomms(path: str, writer: asyncio.StreamWriter) -> None:
        asked.append(path)
        answers = {
            "/handler/ping": b"pong",
            "/handler/": b'["ping", "dump_traceback", "torchcomms_health_check", "torchcomms_fr_dump_file"]',
            "/handler/torchcomms_health_check": b'{"healthy": false}',
            "/handler/dump_traceback": b"Thread 0x01 (most recent call first):\n",
        }
        writer.write(response(answers[path]) if path in answers else response(b"no", "404 Not Found"))
        await writer.drain()

    async with sweep([torchcomms, healthy], tmp_path) as made:
        await made.look()
        assert made.outcomes("torchcomms_health_check") == {0: Outcome.OK}
        await made.look()
    assert asked.count("/handler/torchcomms_health_check") == 2
    assert not any("dump_file" in path for path in asked)
