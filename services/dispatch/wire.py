"""One TCP connection to an op server, plain or TLS, on a socket of our own.

asyncio's transports drop bytes that have come when a write fails, and with them a server's early "busy". Here reading
and writing are separate: a failed write leaves what can still be read readable, under TLS too.
"""

from __future__ import annotations

import asyncio
import contextlib
import select
import socket
import ssl
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from typing import Self

__all__ = ["CHUNK", "Wire"]

CHUNK = 256 * 1024
"""Bytes sent or received at a time."""
CONNECT_S = 10.0
"""Seconds for the connection to one address of a host, and for its TLS handshake."""


class Wire:
    """A connected socket. One task may send while another receives."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._tls: ssl.SSLObject | None = None
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._flushing = asyncio.Lock()
        self.closed = False

    @classmethod
    async def connect(cls, host: str, port: int, context: ssl.SSLContext | None, server_name: str) -> Self:
        """Open a connection; with a context, TLS is up when this returns.

        Raises:
            OSError: no connection; ssl.SSLError among them.
        """
        sock = await _connected(host, port)
        wire = cls(sock)
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if context is not None:
                try:
                    async with asyncio.timeout(CONNECT_S):
                        await wire._handshake(context, server_name)
                except TimeoutError:
                    raise TimeoutError("the TLS handshake was not answered in time") from None
        except BaseException:
            wire.close()
            raise
        return wire

    async def send(self, data: bytes | memoryview) -> None:
        """Send all of it.

        Raises:
            OSError: the connection is broken.
        """
        if self._tls is None:
            await asyncio.get_running_loop().sock_sendall(self._sock, data)
            return
        view = memoryview(data)
        for at in range(0, len(view), CHUNK):
            self._tls.write(view[at : at + CHUNK])
            await self._flush()

    async def receive_into(self, buffer: memoryview) -> int:
        """Fill the front of the buffer; returns how many bytes came, 0 at the end.

        Raises:
            OSError: the connection is broken.
        """
        if self._tls is None:
            return await asyncio.get_running_loop().sock_recv_into(self._sock, buffer)
        while True:
            try:
                return cast("int", self._tls.read(len(buffer), cast("bytearray", buffer)))  # a count, given a buffer
            except ssl.SSLWantReadError:
                with contextlib.suppress(OSError):  # a broken way out says nothing about what can still be read
                    await self._flush()
                if not await self._pull():
                    return 0
            except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
                return 0

    def acknowledge_quickly(self) -> None:
        """Ask for no delayed acknowledgement: a server that writes headers and body apart would wait 40 ms for it."""
        quick = getattr(socket, "TCP_QUICKACK", None)  # Linux only
        if quick is not None:
            with contextlib.suppress(OSError):  # the connection is gone; the read that follows says so
                self._sock.setsockopt(socket.IPPROTO_TCP, quick, 1)

    @property
    def usable(self) -> bool:
        """No end and no unasked byte has come while it was idle. TLS may have sent tickets, which are fine."""
        if self.closed:
            return False
        readable = select.poll()
        readable.register(self._sock, select.POLLIN)
        if not readable.poll(0):
            return True
        if self._tls is None:
            return False
        try:
            return bool(self._sock.recv(1, socket.MSG_PEEK))
        except OSError:
            return False

    def close(self) -> None:
        """Close at once. May be called more than once."""
        self.closed = True
        self._sock.close()

    async def _handshake(self, context: ssl.SSLContext, server_name: str) -> None:
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=server_name)
        while True:
            try:
                self._tls.do_handshake()
            except ssl.SSLWantReadError:
                await self._flush()
                if not await self._pull():
                    raise ConnectionResetError("closed the connection during the TLS handshake") from None
            except ssl.SSLError:
                with contextlib.suppress(OSError):  # the alert is a courtesy; the error itself is what counts
                    await self._flush()
                raise
            else:
                await self._flush()
                return

    async def _pull(self) -> bool:
        data = await asyncio.get_running_loop().sock_recv(self._sock, CHUNK)
        if data:
            self._incoming.write(data)
        else:
            self._incoming.write_eof()
        return bool(data)

    async def _flush(self) -> None:
        async with self._flushing:
            while self._outgoing.pending:
                await asyncio.get_running_loop().sock_sendall(self._sock, self._outgoing.read(CHUNK))


async def _connected(host: str, port: int) -> socket.socket:
    """A connected, non-blocking socket to the first address of a host that takes it."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    problem: OSError = ConnectionError(f"{host} has no address")
    for family, kind, protocol, _name, address in found:
        sock = socket.socket(family, kind, protocol)
        try:
            sock.setblocking(False)
            async with asyncio.timeout(CONNECT_S):
                await loop.sock_connect(sock, address)
        except OSError as error:
            sock.close()
            problem = error
        except BaseException:
            sock.close()
            raise
        else:
            return sock
    raise problem
