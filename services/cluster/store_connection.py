"""One connection to a store: opened, greeted, and read from without trusting what the peer announces."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import TYPE_CHECKING

from .store_errors import StoreError, StoreFault, explain_connect, not_a_store
from .store_wire import MAX_LENGTH, ping_request, uint64, validate_request

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["GREETING", "Stalled", "StoreConnection", "open_store"]

GREETING = int.from_bytes(b"\r\n\r\n", "little")
"""Nonce of the first ping: it ends a request, so that a server of HTTP answers instead of waiting for more."""

MAX_TOTAL = 256 * 1024 * 1024
"""Bytes that one operation reads at most."""

_ADDRESSES = 4
"""Addresses of one name that are tried."""
_PIECE = 256 * 1024
_SKIPPED = 1024 * 1024
"""A value that is not wanted is read and dropped up to this many bytes; beyond, the connection is left."""


class Stalled(Exception):  # noqa: N818 - not an error yet: the reader decides what it means
    """No byte has come for the time that one piece may take."""


class StoreConnection:
    """Reads and writes of one connection. Nothing here limits the whole time: the caller does."""

    def __init__(self, where: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.where = where
        self.stall_s: float | None = None
        """Seconds without a byte after which a read raises Stalled; no limit when None."""
        self.received = 0
        """Bytes of the operation under way."""
        self._reader = reader
        self._writer = writer
        self._buffer = bytearray()
        self._at = 0

    @property
    def left_over(self) -> bool:
        """Whether bytes lie here that nobody asked for: the peer is out of step."""
        return len(self._buffer) > self._at

    async def greet(self) -> None:
        """Say what protocol we speak and see whether the peer speaks it.

        Raises:
            StoreError: it doesn't, or closes.
        """
        await self.send(validate_request() + ping_request(GREETING))
        wanted = GREETING.to_bytes(4, "little")
        while len(self._buffer) < len(wanted):
            try:
                await self._fill()
            except StoreError as error:
                if self._buffer:
                    raise not_a_store(self.where, bytes(self._buffer)) from error
                raise StoreError(
                    StoreFault.CLOSED,
                    f"{self.where} closes the connection without an answer: it is no TCPStore, or it is ending",
                    hint="the store is at MASTER_ADDR:MASTER_PORT of the job's processes",
                ) from error
            if not self._buffer.startswith(wanted[: len(self._buffer)]):
                raise not_a_store(self.where, bytes(self._buffer))
        await self.take(len(wanted))

    async def send(self, data: bytes) -> None:
        try:
            self._writer.write(data)
            await self._writer.drain()
        except OSError as error:
            raise self._closed() from error

    async def take(self, size: int) -> bytes:
        """Exactly `size` bytes.

        Raises:
            StoreError: the peer closed before, or the operation has read too much.
            Stalled: see `stall_s`.
        """
        while len(self._buffer) - self._at < size:
            await self._fill()
        end = self._at + size
        taken = bytes(memoryview(self._buffer)[self._at : end])
        if end == len(self._buffer) or end >= _PIECE:
            del self._buffer[:end]
            end = 0
        self._at = end
        return taken

    async def length(self, most: int = MAX_LENGTH) -> int:
        """A length as it stands before a string or value.

        Raises:
            StoreError: longer than `most`.
        """
        announced = uint64(await self.take(8))
        if announced > most:
            raise StoreError(
                StoreFault.TOO_LARGE,
                f"{self.where} announces {announced:,} bytes for one value; {most >> 20:,} MiB are accepted",
                hint="it may not be a TCPStore",
            )
        return announced

    async def string(self) -> bytes:
        return await self.take(await self.length())

    async def skip(self, size: int) -> bool:
        """Read `size` bytes and drop them; False when they are so many that the connection should be left instead."""
        if size > _SKIPPED:
            return False
        while size:
            size -= len(await self.take(min(size, _PIECE)))
        return True

    def abort(self) -> None:
        """Close at once."""
        self._writer.transport.abort()

    async def wait_closed(self) -> None:
        with contextlib.suppress(OSError):  # how a connection that was dropped has ended is no news
            await self._writer.wait_closed()

    async def _fill(self) -> None:
        try:
            async with asyncio.timeout(self.stall_s):
                data = await self._reader.read(_PIECE)
        except TimeoutError as error:
            raise Stalled from error
        except OSError as error:
            raise self._closed() from error
        if not data:
            raise self._closed()
        self.received += len(data)
        if self.received > MAX_TOTAL:
            raise StoreError(
                StoreFault.TOO_LARGE,
                f"{self.where} sends more than {MAX_TOTAL >> 20} MiB in answer to one question",
                hint="ask for fewer keys",
            )
        self._buffer += data

    def _closed(self) -> StoreError:
        return StoreError(
            StoreFault.CLOSED,
            f"{self.where} closed the connection before the whole answer was there",
            hint="the process that holds the store may be ending; look again",
        )


async def open_store(host: str, port: int, where: str, budget_s: float) -> StoreConnection:
    """Connect to the first address of the host that accepts; the greeting is left to the caller.

    Args:
        host: name or address, without brackets.
        port: TCP port.
        where: host and port as they are shown.
        budget_s: seconds for all addresses together; each gets an equal share of what is left.

    Raises:
        StoreError: kinds name_unknown, refused, unreachable.
    """
    loop = asyncio.get_running_loop()
    ends = loop.time() + budget_s
    try:
        async with asyncio.timeout(budget_s):
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except TimeoutError as error:
        raise StoreError(
            StoreFault.NAME_UNKNOWN,
            f"looking up the name {host} takes longer than {budget_s:g} s",
            hint="write the address in place of the name, or give more time with --timeout",
        ) from error
    except (OSError, ValueError) as error:
        raise explain_connect(where, error) from error
    addresses = found[:_ADDRESSES]
    failures: list[StoreError] = []
    for index, (family, kind, protocol, _, address) in enumerate(addresses):
        share = max(ends - loop.time(), 0.0) / (len(addresses) - index)
        try:
            return await _connect(where, family, kind, protocol, address, share)
        except StoreError as error:
            failures.append(error)
    refused = [failure for failure in failures if failure.kind is StoreFault.REFUSED]
    raise (refused or failures)[0]


async def _connect(
    where: str, family: int, kind: int, protocol: int, address: Sequence[object], budget_s: float
) -> StoreConnection:
    loop = asyncio.get_running_loop()
    connected: socket.socket | None = None
    try:
        connected = socket.socket(family, kind, protocol)
        connected.setblocking(False)
        async with asyncio.timeout(budget_s) as limit:
            await loop.sock_connect(connected, tuple(address))
        reader, writer = await asyncio.open_connection(sock=connected, limit=_PIECE)
    except OSError as error:
        if connected is not None:
            connected.close()
        if isinstance(error, TimeoutError) and limit.expired():
            raise StoreError(
                StoreFault.UNREACHABLE,
                f"connecting to {where} timed out",
                hint="the host is down, or a firewall drops what goes there; more time can be given with --timeout",
            ) from error
        raise explain_connect(where, error) from error
    except BaseException:
        if connected is not None:
            connected.close()
        raise
    return StoreConnection(where, reader, writer)
