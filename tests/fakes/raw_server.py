"""Servers on real sockets that behave as told, byte by byte: what a client meets when a rank is not well."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable

from xpudbg.services.snapshot import RankAddress

Serve = Callable[[str, asyncio.StreamWriter], Awaitable[None]]
"""Answers one request, given its path, and returns when it has nothing more to say."""


class RawServer:
    """One listening socket; `serve` answers each request, then the connection is closed."""

    def __init__(self, serve: Serve, host: str = "127.0.0.1") -> None:
        self._serve = serve
        self._host = host
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.port = 0
        self.requests: Counter[str] = Counter()
        """Requests received, by path."""
        self.open: Counter[str] = Counter()
        """Requests whose connection is open now, by path."""
        self.heads: list[str] = []
        """Request line and headers of each request."""
        self.arrived = asyncio.Condition()

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._handle, self._host, 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def address(self) -> RankAddress:
        url = f"http://127.0.0.1:{self.port}"
        return RankAddress(0, url, url, "127.0.0.1")

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until the counts satisfy `condition`."""
        async with self.arrived:
            await self.arrived.wait_for(condition)

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        path = ""
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            self.heads.append(head.decode("latin-1"))
            path = head.split(b" ", 2)[1].decode()
            await self._count(path, +1)
            gone = asyncio.ensure_future(reader.read())
            serving = asyncio.ensure_future(self._serve(path, writer))
            await asyncio.wait([gone, serving], return_when=asyncio.FIRST_COMPLETED)
            for one in (gone, serving):
                one.cancel()
            await asyncio.gather(gone, serving, return_exceptions=True)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            if path:
                await self._count(path, -1)
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def _count(self, path: str, change: int) -> None:
        async with self.arrived:
            if change > 0:
                self.requests[path] += 1
            self.open[path] += change
            self.arrived.notify_all()


@contextlib.asynccontextmanager
async def raw_server(serve: Serve, host: str = "127.0.0.1") -> AsyncIterator[RawServer]:
    server = RawServer(serve, host)
    await server.start()
    try:
        yield server
    finally:
        await server.close()


def response(body: bytes, status: str = "200 OK", *headers: str, length: int | None = None) -> bytes:
    """An HTTP/1.1 response; `length` overrides what Content-Length says."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body) if length is None else length}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def says(data: bytes) -> Serve:
    """Sends `data` and closes."""

    async def serve(_path: str, writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()

    return serve


async def silent(_path: str, _writer: asyncio.StreamWriter) -> None:
    """Never answers."""
    await asyncio.Event().wait()


def worker_server(
    *,
    stuck: set[str],
    released: asyncio.Event | None = None,
    traceback: bytes = b"Thread 0x01 (most recent call first):\n",
) -> Serve:
    """A rank's worker server whose handlers named in `stuck` answer only when `released` is set."""
    answers = {
        "/handler/ping": b"pong",
        "/handler/": b'["ping", "dump_traceback"]',
        "/handler/dump_traceback": traceback,
    }

    async def serve(path: str, writer: asyncio.StreamWriter) -> None:
        if path.rpartition("/")[2] in stuck:
            await (released or asyncio.Event()).wait()
        writer.write(response(answers[path]) if path in answers else response(b"no", "404 Not Found"))
        await writer.drain()

    return serve


def refused_port() -> socket.socket:
    """A bound socket that does not listen: connecting to its port is refused as long as it is held."""
    held = socket.socket()
    held.bind(("127.0.0.1", 0))
    return held
