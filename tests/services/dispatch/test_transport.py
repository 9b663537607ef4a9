"""The transport alone: every way in which an answer may be framed or broken off."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from itertools import pairwise

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.op_servers import adds, op_server
from tests.services.dispatch.dispatching import ADD, Time, dispatcher
from xpudbg.services.dispatch.endpoint import OpEndpoint
from xpudbg.services.dispatch.transport import HEAD_LIMIT, DuplexTransport

HELLO = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"


class Server:
    """Answers each request with the next of some byte strings; after the last one it closes."""

    def __init__(self, pieces: list[list[bytes]], *, close: bool) -> None:
        self._answers = iter(pieces)
        self._close = close
        self.connections = 0
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            while True:
                await reader.readuntil(b"\r\n\r\n")
                for piece in next(self._answers):
                    writer.write(piece)
                    await writer.drain()
                if self._close:
                    break
        writer.close()


@contextlib.asynccontextmanager
async def served(*answers: bytes | list[bytes], close: bool = False) -> AsyncIterator[tuple[httpx.AsyncClient, Server]]:
    server = Server([[answer] if isinstance(answer, bytes) else answer for answer in answers], close=close)
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    server.port = listening.sockets[0].getsockname()[1]
    url = f"http://127.0.0.1:{server.port}"
    async with listening, httpx.AsyncClient(transport=DuplexTransport(), base_url=url, trust_env=False) as client:
        yield client, server


@pytest.mark.parametrize(
    "answer",
    [
        HELLO,
        CHUNKED,
        b"HTTP/1.1 100 Continue\r\n\r\n" + HELLO,
        b"HTTP/1.1 200 \r\ncontent-length:5\r\nX-Empty:\r\n\r\nhello",
    ],
    ids=["length", "chunked", "continue", "bare"],
)
async def test_framed_answers_keep_the_connection(answer: bytes) -> None:
    async with served(answer, [bytes([byte]) for byte in answer]) as (client, server):
        for _ in range(2):
            assert (await client.get("/")).text == "hello"
    assert server.connections == 1


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.0 200 OK\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.1 503 Busy\r\nContent-Length: 5\r\n\r\nhello",
        HELLO + b"garbage",
        CHUNKED + b"garbage",
    ],
    ids=["1.0", "1.0 to the end", "1.1 to the end", "close", "503", "more", "more chunks"],
)
async def test_other_answers_end_it(answer: bytes) -> None:
    async with served(answer, answer, close=True) as (client, server):
        for _ in range(2):
            assert (await client.get("/")).text == "hello"
    assert server.connections == 2


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b"", httpx.ReadError),
        (b"HTTP/1.1 2", httpx.ReadError),
        (HELLO[:-1], httpx.ReadError),
        (CHUNKED[:-5], httpx.ReadError),
        (b"hello\r\n", httpx.RemoteProtocolError),
        (b"HTTP/1.1 abc\r\n\r\n", httpx.RemoteProtocolError),
        (b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n", httpx.RemoteProtocolError),
        (b"HTTP/1.1 200 OK\r\nX: " + b"y" * 2 * HEAD_LIMIT, httpx.RemoteProtocolError),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", httpx.RemoteProtocolError),
    ],
    ids=["nothing", "half a line", "short", "short chunks", "no http", "status", "negative", "huge head", "bad chunk"],
)
async def test_broken_answers(answer: bytes, error: type[Exception]) -> None:
    async with served(answer, close=True) as (client, _server):
        with pytest.raises(error):
            await client.get("/")


@given(st.lists(st.integers(1, len(CHUNKED) - 1), max_size=6, unique=True), st.sampled_from([HELLO, CHUNKED]))
def test_answers_in_any_pieces(cuts: list[int], answer: bytes) -> None:
    edges = [0, *sorted(cut for cut in cuts if cut < len(answer)), len(answer)]
    pieces = [answer[start:end] for start, end in pairwise(edges)]

    async def ask() -> str:
        async with served(pieces) as (client, _server):
            return (await client.get("/")).text

    assert asyncio.run(ask()) == "hello"


async def test_an_answer_that_is_left_closes_the_connection() -> None:
    long = b"HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n" + b"x" * 100
    async with served(long, HELLO) as (client, server):
        async with client.stream("GET", "/") as response:
            assert response.status_code == 200
        assert (await client.get("/")).text == "hello"
    assert server.connections == 2


async def test_a_body_that_can_not_be_made_is_its_own_error() -> None:
    async def body() -> AsyncIterator[bytes]:
        yield b"x"
        raise ValueError("the array changed")

    async with served() as (client, _server):
        with pytest.raises(ValueError, match="the array changed"):
            await client.post("/", content=body(), headers={"Content-Length": "10"})


async def test_the_next_address_of_a_name_is_tried() -> None:
    async with op_server(adds) as server, dispatcher(Time()) as client:
        assert len((await client.run(ADD, OpEndpoint("localhost", server.port))).outputs) == 1
