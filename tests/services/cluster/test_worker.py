"""What a rank can do to its client, and the budget of requests to it. Real sockets throughout."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import gzip
import socket
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.raw_server import Serve, raw_server, refused_port, response, says, silent, worker_server
from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.cluster.lanes import Lanes
from xpudbg.services.cluster.probes import DUMP_TRACEBACK, HANDLERS, PING, Probe
from xpudbg.services.cluster.transport import make_client
from xpudbg.services.cluster.worker import MOST_UNANSWERED, Worker, WorkerListener
from xpudbg.services.snapshot import Outcome, RankAddress, RankReply
from xpudbg.services.spool import Spool

BUDGET = 1.0
LOGIN = b"<!DOCTYPE html><html><head><title>Sign\n in &amp; go</title></head><body>x</body></html>"


class Heard(WorkerListener):
    def __init__(self) -> None:
        self.stuck: list[tuple[str, ...]] = []
        self.replies: asyncio.Queue[RankReply] = asyncio.Queue()
        self.received: list[int] = []

    def progress(self, rank: int, source: str, received: int) -> None:
        self.received.append(received)

    def stuck_changed(self, rank: int, handlers: tuple[str, ...]) -> None:
        self.stuck.append(handlers)

    def late(self, reply: RankReply) -> None:
        self.replies.put_nowait(reply)


class Rig:
    def __init__(self, worker: Worker, heard: Heard, lanes: Lanes) -> None:
        self.worker, self.heard, self.lanes = worker, heard, lanes


@contextlib.asynccontextmanager
async def rig(address: RankAddress, tmp_path: Path, options: AttachOptions | None = None) -> AsyncIterator[Rig]:
    heard, lanes = Heard(), Lanes(connections=1000)
    async with make_client(options or AttachOptions()) as client:
        worker = Worker(address, client, Spool(tmp_path), lanes, heard)
        yield Rig(worker, heard, lanes)
        await worker.close()
        assert lanes.open == 0
        assert lanes.slow.free == Lanes(connections=1000).slow.free


async def answer_to(serve: Serve, tmp_path: Path, probe: Probe = PING) -> RankReply:
    async with raw_server(serve) as server, rig(server.address, tmp_path) as made:
        return await made.worker.ask(probe, BUDGET)


async def drip(_path: str, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.02)  # the server's own pace, not synchronisation


async def endless(_path: str, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2147483648\r\n\r\n")
    while True:
        writer.write(b"x" * 65_536)
        await writer.drain()


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npong\r\n"


@pytest.mark.parametrize(
    ("serve", "outcome", "status", "said"),
    [
        (says(response(b"pong")), Outcome.OK, 200, ""),
        (says(response(b"", "204 No Content")), Outcome.OK, 204, ""),
        (says(response(b"pong", length=10_000)), Outcome.RESET, None, "before the whole answer"),
        (says(CHUNKED), Outcome.RESET, None, "before the whole answer"),
        (
            says(response(b"", "302 Found", "Location: https://login.example/")),
            Outcome.HTTP_ERROR,
            302,
            "login.example",
        ),
        (says(response(LOGIN, "403 Forbidden")), Outcome.HTTP_ERROR, 403, "an HTML page titled 'Sign in & go'"),
        (says(response(b"xx", "200 OK", "Content-Encoding: gzip")), Outcome.HTTP_ERROR, None, "encoding"),
        (says(b"SSH-2.0-OpenSSH_9.2\r\n"), Outcome.HTTP_ERROR, None, "not HTTP"),
        (says(b""), Outcome.RESET, None, "closed the connection"),
        (drip, Outcome.TIMEOUT, 200, "was not complete after"),
        (endless, Outcome.TOO_LARGE, 200, "gave up after"),
        (silent, Outcome.TIMEOUT, None, "no answer after 1.0 s"),
    ],
)
async def test_what_comes_back(serve: Serve, outcome: Outcome, status: int | None, said: str, tmp_path: Path) -> None:
    reply = await answer_to(serve, tmp_path)
    assert (reply.outcome, reply.status) == (outcome, status)
    assert said in reply.error
    assert reply.connected


async def test_a_body_longer_than_it_says_is_an_error_and_the_next_request_is_not_poisoned(tmp_path: Path) -> None:
    bodies = iter([response(b"pong and more!", length=4), response(b"pong")])

    async def serve(_path: str, writer: asyncio.StreamWriter) -> None:
        writer.write(next(bodies))
        await writer.drain()

    async with raw_server(serve) as server, rig(server.address, tmp_path) as made:
        first = await made.worker.ask(PING, BUDGET)
        assert (first.outcome, first.status) == (Outcome.HTTP_ERROR, None)
        assert "not HTTP" in first.error
        assert (await made.worker.ask(PING, BUDGET)).body.read() == b"pong"


async def test_a_short_body_keeps_what_came(tmp_path: Path) -> None:
    reply = await answer_to(says(response(b"pong", length=10_000)), tmp_path)
    assert reply.body.read() == b"pong"


@pytest.mark.parametrize(
    ("largest", "outcome"), [(3, Outcome.TOO_LARGE), (4, Outcome.OK)], ids=["above the cap", "at the cap"]
)
async def test_an_answer_ends_at_the_cap_that_a_person_chose(largest: int, outcome: Outcome, tmp_path: Path) -> None:
    async with raw_server(says(response(b"pong"))) as server, make_client(AttachOptions()) as client:
        lanes = Lanes(connections=10)
        worker = Worker(server.address, client, Spool(tmp_path), lanes, Heard(), largest=largest)
        reply = await worker.ask(PING, BUDGET)
        await worker.close()
    assert reply.outcome is outcome
    assert ("the limit for ping is 3" in reply.error) is (largest == 3)


async def test_gzip_that_is_gzip_is_read(tmp_path: Path) -> None:
    reply = await answer_to(says(response(gzip.compress(b"pong"), "200 OK", "Content-Encoding: gzip")), tmp_path)
    assert reply.body.read() == b"pong"


@pytest.mark.parametrize("encoding", ["gzip, gzip", "br", "deflate"])
async def test_other_encodings_are_refused(encoding: str, tmp_path: Path) -> None:
    reply = await answer_to(says(response(b"xx", "200 OK", f"Content-Encoding: {encoding}")), tmp_path)
    assert (reply.outcome, reply.error) == (
        Outcome.HTTP_ERROR,
        f"answers in the encoding {encoding!r}, which was not asked for",
    )


async def test_a_gzip_bomb_stops_at_the_limit(tmp_path: Path) -> None:
    bomb = response(gzip.compress(bytes(200_000_000)), "200 OK", "Content-Encoding: gzip")
    reply = await answer_to(says(bomb), tmp_path)
    assert (reply.outcome, reply.status) == (Outcome.TOO_LARGE, 200)
    assert reply.body.size < 1_000_000


async def test_cookies_are_neither_kept_nor_sent(tmp_path: Path) -> None:
    """A cookie of one rank's port would go to all ranks of the host, and a broken one would end every request."""
    hostile = response(b"pong", "200 OK", "Set-Cookie: \x1b=1; Path=/", "Set-Cookie: session=SECRET; Path=/")
    async with raw_server(says(hostile)) as server, rig(server.address, tmp_path) as made:
        for _ in range(3):
            assert (await made.worker.ask(PING, BUDGET)).outcome is Outcome.OK
        assert not any("cookie" in head.lower() for head in server.heads)


async def test_a_rank_that_answered_late_gets_more_time(tmp_path: Path) -> None:
    async def slow(_path: str, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.5)  # the server's own pace, not synchronisation
        writer.write(response(b"pong"))
        await writer.drain()

    async with raw_server(slow) as server, rig(server.address, tmp_path) as made:
        assert (await made.worker.ask(PING, 0.3)).outcome is Outcome.TIMEOUT
        assert (await made.heard.replies.get()).outcome is Outcome.OK
        assert (await made.worker.ask(PING, 0.3)).outcome is Outcome.OK


async def test_a_worker_at_the_same_port_takes_over_the_budget(tmp_path: Path) -> None:
    async with raw_server(silent) as server, rig(server.address, tmp_path) as made:
        await made.worker.ask(PING, 0.05)
        again = replace(server.address, url=server.address.url + "/a")
        other = Worker(again, made.worker._client, Spool(tmp_path), made.lanes, made.heard)
        assert other.take_over(made.worker)
        assert (await other.ask(PING, 0.05)).outcome is Outcome.TIMEOUT
        assert sum(server.requests.values()) == 1
        elsewhere = replace(server.address, url="http://127.0.0.1:1")
        assert not Worker(elsewhere, made.worker._client, Spool(tmp_path), made.lanes, made.heard).take_over(other)


async def test_missing_handler_and_missing_pyspy_are_said_as_such(tmp_path: Path) -> None:
    missing = says(response(b"Handler dump_nccl_trace_json not found", "404 Not Found"))
    probe = replace(PING, source="dump_nccl_trace_json")
    assert (await answer_to(missing, tmp_path, probe)).error == "dump_nccl_trace_json is not there on this rank"
    pyspy = says(response(b"sh: 1: py-spy: not found", "500 Internal Server Error"))
    assert (await answer_to(pyspy, tmp_path, replace(PING, source="pyspy_dump"))).error == (
        "py-spy is not installed on this rank"
    )


async def test_refused_and_unknown_names(tmp_path: Path) -> None:
    with refused_port() as held:
        url = f"http://127.0.0.1:{held.getsockname()[1]}"
        async with rig(RankAddress(0, url, url, "127.0.0.1"), tmp_path) as made:
            reply = await made.worker.ask(PING, BUDGET)
    assert (reply.outcome, reply.connected) == (Outcome.REFUSED, False)
    url = "http://node-7.invalid:80"
    async with rig(RankAddress(0, url, url, "node-7.invalid"), tmp_path) as made:
        reply = await made.worker.ask(PING, 5)
    assert reply.outcome is Outcome.NAME_UNKNOWN
    assert "--map" in reply.error


async def test_a_connection_that_does_not_come_about_is_unreachable_not_stopped(tmp_path: Path) -> None:
    """A listen queue that is full drops what comes: connecting times out, as with a firewall."""
    with contextlib.ExitStack() as stack:
        listening = stack.enter_context(contextlib.closing(socket.socket()))
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        port = listening.getsockname()[1]
        for _ in range(3):
            filler = stack.enter_context(contextlib.closing(socket.socket()))
            filler.setblocking(False)
            filler.connect_ex(("127.0.0.1", port))
        url = f"http://127.0.0.1:{port}"
        async with rig(RankAddress(0, url, url, "127.0.0.1"), tmp_path) as made:
            reply = await made.worker.ask(PING, BUDGET)
            assert made.worker.stuck == ()
    assert (reply.outcome, reply.connected) == (Outcome.UNREACHABLE, False)


async def test_a_name_server_that_does_not_answer_is_told_from_a_host_that_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(*_: object, **__: object) -> object:
        return await asyncio.Event().wait()

    monkeypatch.setattr("xpudbg.services.cluster.names.Names.resolve", never)
    url = "http://node-7.example:80"
    async with rig(RankAddress(0, url, url, "node-7.example"), tmp_path) as made:
        reply = await made.worker.ask(PING, BUDGET)
    assert reply.outcome is Outcome.NAME_UNKNOWN
    assert "has not been resolved after 1.0 s" in reply.error


async def test_a_large_body_reports_its_progress_and_lies_on_disk(tmp_path: Path) -> None:
    data = bytes(5 * 1024 * 1024)
    async with raw_server(says(response(data))) as server, rig(server.address, tmp_path) as made:
        reply = await made.worker.ask(DUMP_TRACEBACK, 30)
        assert reply.body.path is not None
        assert reply.body.size == len(data)
        assert len(made.heard.received) >= 4
        assert made.heard.received == sorted(made.heard.received)


async def test_an_unanswered_request_is_kept_and_never_doubled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xpudbg.services.cluster.worker.PATIENCE_S", 0.02)
    released = asyncio.Event()
    async with (
        raw_server(worker_server(stuck={"ping"}, released=released)) as server,
        rig(server.address, tmp_path) as made,
    ):
        for _ in range(20):
            reply = await made.worker.ask(PING, 0.05)
            assert reply.outcome is Outcome.TIMEOUT
            assert made.worker.stuck == ("ping",)
        assert server.requests["/handler/ping"] == 1
        assert made.heard.stuck == [("ping",)]
        released.set()
        late = await made.heard.replies.get()
        assert (late.outcome, late.body.read()) == (Outcome.OK, b"pong")
        assert made.worker.stuck == ()
        assert made.heard.stuck == [("ping",), ()]
        assert (await made.worker.ask(PING, BUDGET)).outcome is Outcome.OK
        assert server.requests["/handler/ping"] == 2


async def test_a_kept_request_that_is_answered_during_the_next_look_is_that_look_s_reply(tmp_path: Path) -> None:
    released = asyncio.Event()
    async with (
        raw_server(worker_server(stuck={"ping"}, released=released)) as server,
        rig(server.address, tmp_path) as made,
    ):
        await made.worker.ask(PING, 0.05)
        asking = asyncio.ensure_future(made.worker.ask(PING, BUDGET))
        await asyncio.sleep(0)
        released.set()
        assert (await asking).outcome is Outcome.OK
        assert made.heard.replies.empty()
        assert server.requests["/handler/ping"] == 1


async def test_other_handlers_are_asked_while_one_is_stuck(tmp_path: Path) -> None:
    async with raw_server(worker_server(stuck={"dump_traceback"})) as server, rig(server.address, tmp_path) as made:
        assert (await made.worker.ask(DUMP_TRACEBACK, 0.05)).outcome is Outcome.TIMEOUT
        assert (await made.worker.ask(PING, BUDGET)).outcome is Outcome.OK
        assert (await made.worker.ask(HANDLERS, BUDGET)).outcome is Outcome.OK
        assert made.worker.stuck == ("dump_traceback",)


async def test_a_rank_that_answers_nothing_keeps_half_of_its_threads(tmp_path: Path) -> None:
    async with raw_server(silent) as server, rig(server.address, tmp_path) as made:
        own = [replace(PING, source=f"own{number}", path=f"/handler/own{number}") for number in range(40)]
        replies = [await made.worker.ask(probe, 0.01) for probe in own]
        assert [reply.outcome for reply in replies[:MOST_UNANSWERED]] == [Outcome.TIMEOUT] * MOST_UNANSWERED
        assert {reply.outcome for reply in replies[MOST_UNANSWERED:]} == {Outcome.CANCELLED}
        assert replies[-1].error == "not asked: the rank has left 16 requests unanswered"
        assert sum(server.requests.values()) == MOST_UNANSWERED


async def test_cancelling_keeps_what_is_unanswered_and_drops_what_is_being_answered(tmp_path: Path) -> None:
    async with raw_server(silent) as server, rig(server.address, tmp_path) as made:
        asking = asyncio.ensure_future(made.worker.ask(PING, 60))
        await server.until(lambda: server.open["/handler/ping"] == 1)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert made.worker.stuck == ("ping",)
        assert server.open["/handler/ping"] == 1
    async with raw_server(drip) as server, rig(server.address, tmp_path) as made:
        asking = asyncio.ensure_future(made.worker.ask(PING, 60))
        await server.until(lambda: server.open["/handler/ping"] == 1)
        while not any(request.answering for request in made.worker._requests.values()):
            await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await server.until(lambda: server.open["/handler/ping"] == 0)
        assert made.worker.stuck == ()


async def test_closing_ends_everything(tmp_path: Path) -> None:
    async with raw_server(silent) as server, rig(server.address, tmp_path) as made:
        await made.worker.ask(PING, 0.05)
        await made.worker.close()
        await server.until(lambda: server.open["/handler/ping"] == 0)
        assert made.heard.replies.empty()


async def test_without_room_for_a_connection_nothing_is_sent_and_that_is_said(tmp_path: Path) -> None:
    async with raw_server(says(response(b"pong"))) as server, rig(server.address, tmp_path) as made:
        made.lanes.open = made.lanes.connections
        reply = await made.worker.ask(PING, BUDGET)
        made.lanes.open = 0
        assert reply.outcome is Outcome.CANCELLED
        assert "this machine allows no more" in reply.error
        assert not server.requests


@pytest.mark.parametrize(
    "env",
    [
        {"HTTP_PROXY": "http://127.0.0.1:9"},
        {"http_proxy": "http://127.0.0.1:9", "no_proxy": "fd56:9122::/32"},
        {"ALL_PROXY": "socks5h://127.0.0.1:9"},
        {"SSL_CERT_FILE": "/nope.pem", "REQUESTS_CA_BUNDLE": "/nope.pem"},
    ],
)
async def test_the_environment_s_proxies_and_certificates_are_not_used(
    env: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert (await answer_to(says(response(b"pong")), tmp_path)).body.read() == b"pong"


async def test_user_and_password_of_the_address_are_sent(tmp_path: Path) -> None:
    async with raw_server(says(response(b"pong"))) as server:
        address = RankAddress(0, "", f"http://night:a%40b@127.0.0.1:{server.port}", "127.0.0.1")
        async with rig(address, tmp_path) as made:
            assert (await made.worker.ask(PING, BUDGET)).outcome is Outcome.OK
        assert "authorization: basic " + base64.b64encode(b"night:a@b").decode().lower() in server.heads[0].lower()


async def test_an_ipv6_address_with_a_zone_is_asked(tmp_path: Path) -> None:
    async with raw_server(says(response(b"pong")), "::1") as server:
        address = RankAddress(0, "", f"http://[::1%251]:{server.port}", "::1%1")
        async with rig(address, tmp_path) as made:
            reply = await made.worker.ask(PING, BUDGET)
    assert (reply.outcome, reply.error) == (Outcome.OK, "")


async def test_a_proxy_is_used_when_asked_for(tmp_path: Path) -> None:
    seen: list[str] = []

    async def proxy(path: str, writer: asyncio.StreamWriter) -> None:
        seen.append(path)
        writer.write(response(b"pong"))
        await writer.drain()

    async with raw_server(proxy) as server:
        address = RankAddress(0, "http://gpu-7:1", "http://gpu-7:1", "gpu-7")
        options = AttachOptions(proxy=f"http://127.0.0.1:{server.port}")
        async with rig(address, tmp_path, options) as made:
            assert (await made.worker.ask(PING, BUDGET)).body.read() == b"pong"
    assert seen == ["http://gpu-7:1/handler/ping"]
