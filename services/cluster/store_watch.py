"""Notices that the process which holds the store has ended, although its port still accepts connections.

torch's debug page is a process forked from rank 0; it inherits the listening sockets of the store and of the rank's
worker server. When rank 0 dies, the kernel goes on accepting connections for it that nobody answers, which looks like
a stopped rank. But a connection that the dead process had accepted is closed at its death: that tells the two apart.
"""

from __future__ import annotations

import asyncio
import contextlib

from .store_wire import ping_request, uint32, validate_request

__all__ = ["StoreWatch"]

_NONCE = 0x2A2A2A2A


class StoreWatch:
    """Holds one idle connection to a store. Lives on the engine's event loop."""

    def __init__(self) -> None:
        self._writer: asyncio.StreamWriter | None = None
        self._waiting: asyncio.Task[None] | None = None
        self.hung_up = False
        """The store had answered on the connection, and the connection is closed now."""

    @property
    def watching(self) -> bool:
        return self._waiting is not None and not self._waiting.done()

    async def start(self, host: str, port: int, timeout_s: float) -> None:
        """Connect and make sure that the store itself has accepted; without success nothing is watched.

        Args:
            host: name or address, without brackets.
            port: TCP port.
            timeout_s: seconds for connecting and for the store's answer.
        """
        await self.close()
        with contextlib.suppress(OSError, TimeoutError, asyncio.IncompleteReadError):  # then there is nothing to watch
            async with asyncio.timeout(timeout_s):
                reader, self._writer = await asyncio.open_connection(host, port)
                self._writer.write(validate_request() + ping_request(_NONCE))
                answered = uint32(await reader.readexactly(4)) == _NONCE
            if answered:
                self._waiting = asyncio.create_task(self._until_closed(reader), name="watching the store")

    async def close(self) -> None:
        """Let go of the connection."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.cancel()
            await asyncio.wait([waiting])
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.transport.abort()
        self.hung_up = False

    async def _until_closed(self, reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(OSError):  # a reset is an end as well
            while await reader.read(4096):
                pass  # a store says nothing unasked; whatever it is, it is not the end
        self.hung_up = True
