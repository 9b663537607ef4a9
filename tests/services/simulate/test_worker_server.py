"""Each behaviour of a simulated rank, seen through real sockets."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass

import pytest

from tests.services.simulate import recorded
from tests.services.simulate.test_hosts import ESTABLISHED, SYN_SENT, connect, state_of
from xpudbg.services.simulate.hosts import Hosts
from xpudbg.services.simulate.job import Job
from xpudbg.services.simulate.payloads import HANDLERS, PROFILER, TORCHCOMMS_HANDLERS
from xpudbg.services.simulate.scenarios import Behaviour
from xpudbg.services.simulate.worker_server import SERVER_THREADS, WorkerServer

linux = pytest.mark.skipif(sys.platform != "linux", reason="asks the Linux kernel about its queues")

Start = Callable[[Behaviour], WorkerServer]


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: str


def request(path: str, method: str = "POST") -> bytes:
    return f"{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()


def parsed(raw: bytes) -> Answer:
    head, _, body = raw.decode().partition("\r\n\r\n")
    status, *lines = head.split("\r\n")
    return Answer(int(status.split()[1]), dict(line.split(": ", 1) for line in lines), body)


async def ask(server: WorkerServer, path: str, method: str = "POST") -> Answer:
    async with asyncio.timeout(20):
        reader, writer = await asyncio.open_connection(Hosts().address(server.rank), server.port)
        writer.write(request(path, method))
        raw = await reader.read()
        writer.close()
        await writer.wait_closed()
    return parsed(raw)


async def until(condition: Callable[[], bool]) -> None:
    """Let the event loop run until the condition holds."""
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0)


@contextlib.contextmanager
def waiting_requests(server: WorkerServer, path: str, count: int) -> Iterator[list[socket.socket]]:
    """Connections that have sent a request each and don't read."""
    made = [socket.create_connection((Hosts().address(server.rank), server.port), timeout=20) for _ in range(count)]
    for one in made:
        one.sendall(request(path))
        one.setblocking(False)
    try:
        yield made
    finally:
        for one in made:
            one.close()


async def read_all(connection: socket.socket) -> bytes:
    loop, received = asyncio.get_running_loop(), b""
    async with asyncio.timeout(20):
        while piece := await loop.sock_recv(connection, 65536):
            received += piece
    return received


@pytest.fixture
async def start() -> AsyncIterator[Start]:
    servers: list[WorkerServer] = []
    hosts = Hosts()

    def make(behaviour: Behaviour) -> WorkerServer:
        rank = len(servers)
        sick = {rank} if behaviour.holds_up else set()
        job = Job(4, held_up_by=sick, holding_gil=set(), torchcomms=behaviour is Behaviour.UNHEALTHY)
        server = WorkerServer(rank, behaviour, job, hosts.bind(rank))
        servers.append(server)
        server.start()
        return server

    yield make
    for server in servers:
        await server.close()


async def test_a_healthy_rank_lists_its_handlers_and_has_them_all(start: Start) -> None:
    server = start(Behaviour.HEALTHY)
    listed = json.loads((await ask(server, "/handler/", "GET")).body)
    assert listed == [*HANDLERS, PROFILER]
    listed[-1] += "?duration=0"
    assert [(await ask(server, f"/handler/{name}")).status for name in listed] == [200] * len(listed)
    assert (await ask(server, "/handler/ping")).body == "pong"


@pytest.mark.parametrize("handler", [*HANDLERS, "unknown_handler"])
async def test_status_and_headers_are_those_recorded(start: Start, handler: str) -> None:
    server = start(Behaviour.HEALTHY)
    answer, real = await ask(server, f"/handler/{handler}"), recorded.headers(handler)
    assert answer.status == real["status"]
    assert answer.headers["Content-Type"] == real["headers"]["Content-Type"]
    assert answer.headers["Content-Length"] == str(len(answer.body.encode()))
    assert answer.headers.get("Keep-Alive") == real["headers"].get("Keep-Alive")


async def test_a_rank_of_a_torchcomms_job_has_that_library_s_handlers(start: Start) -> None:
    server = start(Behaviour.UNHEALTHY)
    listed = json.loads((await ask(server, "/handler/", "GET")).body)
    assert listed == [*HANDLERS, PROFILER, *TORCHCOMMS_HANDLERS]
    health = json.loads((await ask(server, "/handler/torchcomms_health_check")).body)
    assert health["healthy"] is False
    assert json.loads((await ask(server, "/handler/torchcomms_fr_trace_json")).body)["version"] == "2.10"
    assert (await ask(server, "/handler/torchcomms_fr_dump_file")).status == 200
    assert (await ask(start(Behaviour.HEALTHY), "/handler/torchcomms_health_check")).status == 404


async def test_an_unknown_handler_is_told_in_a_line(start: Start) -> None:
    answer = await ask(start(Behaviour.HEALTHY), "/handler/nope")
    assert answer.body == recorded.text("unknown_handler.txt")


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/nope"), ("GET", "/handler/ping"), ("POST", "/"), ("PUT", "/handler/ping")]
)
async def test_paths_outside_the_handlers_are_404_without_text(start: Start, method: str, path: str) -> None:
    answer = await ask(start(Behaviour.HEALTHY), path, method)
    assert (answer.status, answer.body) == (404, "")


async def test_the_query_reaches_py_spy(start: Start) -> None:
    server = start(Behaviour.HEALTHY)
    assert ".so)" in (await ask(server, "/handler/pyspy_dump?nonblocking=1&native=1")).body
    assert ".so)" not in (await ask(server, "/handler/pyspy_dump?nonblocking=1")).body


async def test_requests_are_counted_by_handler(start: Start) -> None:
    server = start(Behaviour.HEALTHY)
    for _ in range(3):
        await ask(server, "/handler/ping")
    await ask(server, "/handler/", "GET")
    assert server.report() == {
        "ping": {"outstanding": 0, "maximum": 1, "total": 3},
        "handlers": {"outstanding": 0, "maximum": 1, "total": 1},
    }


async def test_a_slow_rank_answers_all_the_same(start: Start) -> None:
    assert (await ask(start(Behaviour.SLOW), "/handler/ping")).body == "pong"


async def test_a_rank_that_holds_the_gil_answers_all_but_its_traceback_until_released(start: Start) -> None:
    server = start(Behaviour.GIL_HELD)
    with waiting_requests(server, "/handler/dump_traceback", 1) as (stuck,):
        await until(lambda: "dump_traceback" in server.counts)
        others = [name for name in HANDLERS if name != "dump_traceback"]
        assert [(await ask(server, f"/handler/{name}")).status for name in others] == [200] * len(others)
        with pytest.raises(BlockingIOError):
            stuck.recv(1)
        server.release()
        assert "most recent call first" in parsed(await read_all(stuck)).body


async def test_a_request_that_cannot_be_answered_stays_when_its_client_has_gone(start: Start) -> None:
    server = start(Behaviour.GIL_HELD)
    with waiting_requests(server, "/handler/dump_traceback", 1):
        await until(lambda: "dump_traceback" in server.counts)
    await ask(server, "/handler/ping")
    assert server.counts["dump_traceback"].outstanding == 1
    server.release()
    await until(lambda: server.counts["dump_traceback"].outstanding == 0)


async def test_the_last_thread_that_is_stuck_silences_the_rank(start: Start) -> None:
    server = start(Behaviour.GIL_HELD)
    path = "/handler/dump_traceback"

    def stuck() -> int:
        return server.counts["dump_traceback"].outstanding if "dump_traceback" in server.counts else 0

    with contextlib.ExitStack() as stack:
        while stuck() < SERVER_THREADS - 1:
            before = stuck()
            stack.enter_context(waiting_requests(server, path, 1))
            await until(lambda before=before: stuck() > before)  # type: ignore[misc]
        assert (await ask(server, "/handler/ping")).body == "pong"
        stack.enter_context(waiting_requests(server, path, 1))
        await until(lambda: stuck() == SERVER_THREADS)
        (ping,) = stack.enter_context(waiting_requests(server, "/handler/ping", 1))
        await until(lambda: server.counts["ping"].outstanding == 1)
        with pytest.raises(BlockingIOError):
            ping.recv(1)
        server.release()
        assert parsed(await read_all(ping)).body == "pong"


@linux
async def test_a_stopped_rank_has_room_for_six_connections_and_answers_them_when_released(start: Start) -> None:
    healthy, server = start(Behaviour.HEALTHY), start(Behaviour.STOPPED)
    with waiting_requests(server, "/handler/ping", 6) as waiting:
        address = (Hosts().address(server.rank), server.port)
        with connect(address) as seventh:
            assert [state_of(one) for one in waiting] == [ESTABLISHED] * 6
            assert state_of(seventh) == SYN_SENT
        await ask(healthy, "/handler/ping")
        assert (server.queued(), server.counts) == (6, {})
        with pytest.raises(BlockingIOError):
            waiting[0].recv(1)
        server.release()
        assert [parsed(await read_all(one)).body for one in waiting] == ["pong"] * 6
        assert server.queued() == 0


async def test_a_rank_can_be_stopped_and_released_again(start: Start) -> None:
    healthy, server = start(Behaviour.HEALTHY), start(Behaviour.HEALTHY)
    assert (await ask(server, "/handler/ping")).body == "pong"
    server.stop()
    with waiting_requests(server, "/handler/ping", 1) as (waiting,):
        await ask(healthy, "/handler/ping")
        assert server.counts["ping"].total == 1
        with pytest.raises(BlockingIOError):
            waiting.recv(1)
        server.release()
        assert parsed(await read_all(waiting)).body == "pong"


async def test_a_connection_that_was_open_already_gets_no_answer_from_a_stopped_rank(start: Start) -> None:
    server = start(Behaviour.HEALTHY)
    reader, writer = await asyncio.open_connection(Hosts().address(server.rank), server.port)
    keep = b"POST /handler/ping HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
    writer.write(keep)
    assert b"pong" in await reader.readuntil(b"pong")
    server.stop()
    writer.write(keep)
    await until(lambda: server.counts["ping"].outstanding == 1)
    server.release()
    async with asyncio.timeout(20):
        await reader.readuntil(b"pong")
    writer.close()
    await writer.wait_closed()


async def test_a_dead_rank_refuses(start: Start) -> None:
    with pytest.raises(ConnectionRefusedError):
        await ask(start(Behaviour.DEAD), "/handler/ping")


@linux
async def test_an_unreachable_rank_answers_no_connection(start: Start) -> None:
    server = start(Behaviour.UNREACHABLE)
    with connect((Hosts().address(server.rank), server.port)) as connecting:
        assert state_of(connecting) == SYN_SENT
    assert server.queued() == 0


async def test_a_foreign_port_is_somebody_elses_web_server(start: Start) -> None:
    server = start(Behaviour.FOREIGN_PORT)
    answer = await ask(server, "/handler/ping")
    assert (answer.status, answer.headers["Server"]) == (501, "SimpleHTTP/0.6")
    assert "Unsupported method ('POST')" in answer.body
    page = await ask(server, "/handler/", "GET")
    assert (page.status, page.headers["Content-Type"].partition(";")[0]) == (200, "text/html")
    assert server.counts == {}


async def test_a_failing_server_answers_500_with_a_line(start: Start) -> None:
    answer = await ask(start(Behaviour.SERVER_ERROR), "/handler/ping")
    assert answer.status == recorded.headers("failed_handler")["status"] == 500
    assert answer.body.startswith("Handler ping failed: ")


async def test_a_resetting_rank_accepts_and_resets(start: Start) -> None:
    server = start(Behaviour.RESET)
    with waiting_requests(server, "/handler/ping", 1) as (connection,), pytest.raises(ConnectionResetError):
        await read_all(connection)


@pytest.mark.parametrize("behaviour", [Behaviour.NAME_UNKNOWN, Behaviour.NOT_REGISTERED])
async def test_where_only_the_registration_is_wrong_the_rank_itself_is_well(start: Start, behaviour: Behaviour) -> None:
    assert (await ask(start(behaviour), "/handler/ping")).body == "pong"
