"""The store of the simulated job: the server side of the TCPStore protocol, read-only (spec: tcpstore).

It answers CHECK, GET, WAIT, CANCEL_WAIT, GETNUMKEYS, MULTI_GET, PING and LIST_KEYS as torch 2.13's does, and closes
the connection on everything else. As nobody can write, a GET or WAIT for a missing key never ends; as there, what
doesn't begin with the right VALIDATE gets no answer at all.
"""

from __future__ import annotations

import asyncio
import struct
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["MAGIC", "Query", "StoreServer"]

MAGIC = 0x3C85F7CE
_MAX_KEY = 1024 * 1024
_MAX_KEYS = 1024 * 1024
_STOP_WAITING, _WAIT_CANCELLED = b"\x00", b"\x01"


class Query(IntEnum):
    """The queries of the TCPStore's protocol that are answered (spec: tcpstore.md)."""

    VALIDATE = 0
    GET = 3
    CHECK = 5
    WAIT = 6
    GETNUMKEYS = 7
    MULTI_GET = 10
    CANCEL_WAIT = 12
    PING = 13
    LIST_KEYS = 17


class _RefusedError(Exception):
    """The client asked for something that the store doesn't do."""


class StoreServer:
    """Serves `keys`: wire keys (with their leading slash) and their values."""

    def __init__(self, keys: Mapping[bytes, bytes]) -> None:
        self.keys = keys
        self._server: asyncio.Server | None = None
        self._port = 0
        self._open: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    @property
    def port(self) -> int:
        return self._port

    async def start(self, host: str) -> None:
        """Listen on a free port of `host`.

        Raises:
            OSError: the system refuses to listen.
        """
        self._server = await asyncio.start_server(self._serve, host, 0, backlog=128)
        self._port = int(self._server.sockets[0].getsockname()[1])

    async def close(self) -> None:
        """Close the port and every connection."""
        if self._server is not None:
            self._server.close()
        for writer in self._open.values():
            writer.close()
        await asyncio.gather(*self._open)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open[task] = writer
        try:
            if await reader.readexactly(5) == struct.pack("<BI", Query.VALIDATE, MAGIC):
                while True:
                    await self._answer((await reader.readexactly(1))[0], reader, writer)
                    await writer.drain()
            await _until_gone(reader)
        except (asyncio.IncompleteReadError, ConnectionError, _RefusedError):
            pass  # the client has gone, or is sent away
        finally:
            del self._open[task]
            writer.close()

    async def _answer(self, query: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        match query:
            case Query.GET:
                key = await _read_string(reader)
                if key not in self.keys:
                    await _until_gone(reader)
                writer.write(_sized(self.keys[key]))
            case Query.MULTI_GET:
                keys = await _read_strings(reader)
                if not all(key in self.keys for key in keys):
                    await _until_gone(reader)
                for key in keys:
                    writer.write(_sized(self.keys[key]))
                    await writer.drain()
            case Query.CHECK:
                keys = await _read_strings(reader)
                writer.write(b"\x00" if all(key in self.keys for key in keys) else b"\x01")
            case Query.WAIT:
                keys = await _read_strings(reader)
                if all(key in self.keys for key in keys):
                    writer.write(_STOP_WAITING)
            case Query.CANCEL_WAIT:
                writer.write(_WAIT_CANCELLED)
            case Query.GETNUMKEYS:
                writer.write(struct.pack("<q", len(self.keys)))
            case Query.PING:
                writer.write(await reader.readexactly(4))
            case Query.LIST_KEYS:
                writer.write(struct.pack("<Q", len(self.keys)) + _joined(self.keys))
            case _:
                raise _RefusedError


async def _until_gone(reader: asyncio.StreamReader) -> None:
    """Read and drop until the client closes the connection.

    Raises:
        asyncio.IncompleteReadError: it has.
    """
    while await reader.read(65536):
        pass
    raise asyncio.IncompleteReadError(b"", None)


async def _read_strings(reader: asyncio.StreamReader) -> list[bytes]:
    (count,) = struct.unpack("<Q", await reader.readexactly(8))
    if count > _MAX_KEYS:
        raise _RefusedError
    return [await _read_string(reader) for _ in range(count)]


async def _read_string(reader: asyncio.StreamReader) -> bytes:
    (length,) = struct.unpack("<Q", await reader.readexactly(8))
    if length > _MAX_KEY:
        raise _RefusedError
    return await reader.readexactly(length)


def _sized(data: bytes) -> bytes:
    return struct.pack("<Q", len(data)) + data


def _joined(strings: Iterable[bytes]) -> bytes:
    return b"".join(_sized(one) for one in strings)
