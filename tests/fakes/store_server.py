"""A small TCPStore server that behaves, and records what it is asked; flaws can be switched on one by one."""

from __future__ import annotations

import asyncio
import contextlib
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

__all__ = ["FakeStore", "raw_peer", "running_store"]

MAGIC = 0x3C85F7CE


class FakeStore:
    """Keys as the client names them. `queries` holds the code of each query in the order of arrival."""

    def __init__(self, values: Mapping[bytes, bytes] | None = None) -> None:
        self.values = dict(values or {})
        self.queries: list[int] = []
        self.connections = 0
        self.lists_keys = True
        """False: the connection is closed on LIST_KEYS, as an older store does."""
        self.on_missing = "block"
        """What a GET for a key that is not there does: `block`, `close` or `empty`; stores differ."""
        self.vanishing: set[bytes] = set()
        """Keys that go away after a CHECK has said once that they are there."""
        self.count: int | None = None
        """What GETNUMKEYS says in place of the truth."""
        self.port = 0
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self.connections += 1
        try:
            await self._talk(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.transport.abort()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async def number(size: int) -> int:
            return int.from_bytes(await reader.readexactly(size), "little")

        async def key() -> bytes:
            wire = await reader.readexactly(await number(8))
            assert wire.startswith(b"/"), wire
            return wire[1:]

        while True:
            query = await number(1)
            self.queries.append(query)
            if query == 0:
                assert await number(4) == MAGIC
            elif query == 13:
                writer.write(await reader.readexactly(4))
            elif query == 7:
                writer.write(struct.pack("<q", len(self.values) if self.count is None else self.count))
            elif query == 5:
                asked = [await key() for _ in range(await number(8))]
                there = all(name in self.values for name in asked)
                writer.write(b"\0" if there else b"\1")
                for name in self.vanishing & set(asked):
                    self.values.pop(name, None)
            elif query in (3, 10):
                asked = [await key() for _ in range(1 if query == 3 else await number(8))]
                for name in asked:
                    await self._answer(name, writer)
            elif query == 17 and self.lists_keys:
                wire = [b"init/", *(b"/" + name for name in self.values)]
                writer.write(struct.pack("<Q", len(wire)) + b"".join(map(_string, wire)))
            else:
                return
            await writer.drain()

    async def _answer(self, name: bytes, writer: asyncio.StreamWriter) -> None:
        value = self.values.get(name)
        if value is None and self.on_missing == "block":
            await asyncio.Event().wait()
        if value is None and self.on_missing == "close":
            raise ConnectionResetError
        writer.write(_string(value or b""))
        await writer.drain()


def _string(text: bytes) -> bytes:
    return struct.pack("<Q", len(text)) + text


@contextlib.asynccontextmanager
async def running_store(values: Mapping[bytes, bytes] | None = None) -> AsyncIterator[FakeStore]:
    store = FakeStore(values)
    await store.start()
    try:
        yield store
    finally:
        await store.close()


@contextlib.asynccontextmanager
async def raw_peer(
    talk: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> AsyncIterator[int]:
    """A peer that does what `talk` says with each connection, then closes it; yields its port."""
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await talk(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
