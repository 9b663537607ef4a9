"""A read-only client of a job's TCPStore (spec: tcpstore.md). Needs no torch and never blocks on a missing key."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from ..addressing.endpoints import Endpoint
from .store_connection import Stalled, StoreConnection, open_store
from .store_errors import StoreError, StoreFault, not_a_store
from .store_wire import (
    KEY_PREFIX,
    MAX_ANNOUNCED,
    MAX_LENGTH,
    Query,
    check_request,
    get_request,
    int64,
    multi_get_request,
    ping_request,
    uint32,
    uint64,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from types import TracebackType

__all__ = ["MAX_KEYS", "Oversized", "StoreClient", "StoreError", "StoreFault"]

T = TypeVar("T")

MAX_KEYS = 1_000_000
"""Keys that are listed; a store with more has to be asked for single keys."""

_CHECKS = 1_024
"""Keys in one batch of CHECK queries."""
_VALUES = 256
"""Keys in one MULTI_GET query."""
_RESUMES = 8
"""New connections within one operation, after keys went away or values were too long."""


@dataclass(frozen=True, slots=True)
class Oversized:
    """Stands for a value that is longer than was wanted."""

    length: int
    """Bytes of the value."""
    head: bytes = field(default=b"", compare=False, repr=False)
    """As many of them as were wanted."""


class StoreClient:
    """One store, one connection at a time; operations queue up behind each other.

    `async with StoreClient(host, port, timeout_s=3) as store` connects and makes sure that a TCPStore answers. Each
    operation has `timeout_s` for all it does, connecting included. After a failed one the connection is dropped, and
    the next opens a new one. Keys are bytes without the slash that stands before them on the wire.

    Every operation raises StoreError.
    """

    def __init__(self, host: str, port: int, *, timeout_s: float) -> None:
        self.host = host
        self.port = port
        self.timeout_s = timeout_s
        self._where = str(Endpoint(host, port))
        self._connection: StoreConnection | None = None
        self._greeted = False
        self._lists = True
        self._lock = asyncio.Lock()

    async def __aenter__(self) -> StoreClient:
        await self._operation(_nothing)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection. A later operation opens a new one."""
        connection = self._drop()
        if connection is not None:
            await connection.wait_closed()

    async def ping(self) -> None:
        """Make sure that the store answers."""

        async def talk(connection: StoreConnection) -> None:
            nonce = 0x5A5AA5A5
            await connection.send(ping_request(nonce))
            answer = await connection.take(4)
            if uint32(answer) != nonce:
                raise not_a_store(self._where, answer)

        await self._operation(talk)

    async def count(self) -> int:
        """Number of keys, those included that the store keeps for itself."""

        async def talk(connection: StoreConnection) -> int:
            await connection.send(bytes((Query.GETNUMKEYS,)))
            answer = await connection.take(8)
            if int64(answer) < 0:
                raise not_a_store(self._where, answer)
            return int64(answer)

        return await self._operation(talk)

    async def keys(self) -> list[bytes] | None:
        """All keys except those that the store keeps for itself, sorted; None when the store can't list them.

        A store without this query closes the connection; it is opened anew.
        """
        return await self._operation(self._list_keys) if self._lists else None

    async def check(self, keys: Sequence[bytes]) -> bool:
        """Whether all these keys are there."""

        async def talk(connection: StoreConnection) -> bool:
            for batch in _batches(keys, _CHECKS):
                await connection.send(check_request(batch))
                if not await self._yes(connection):
                    return False
            return True

        return await self._operation(talk)

    async def present(self, keys: Sequence[bytes]) -> list[bool]:
        """For each key whether it is there."""
        return await self._operation(lambda connection: self._present(connection, keys))

    async def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """The value of each key; None for a key that is not there, or went away meanwhile."""
        values = await self._operation(lambda connection: self._values(connection, keys, None))
        return [None if isinstance(value, Oversized) else value for value in values]

    async def get_short(self, keys: Sequence[bytes], limit: int) -> list[bytes | Oversized | None]:
        """As `get_many`, but of a longer value only `limit` bytes are kept: Oversized stands in its place."""
        return await self._operation(lambda connection: self._values(connection, keys, limit))

    # one operation --------------------------------------------------------------------------------------------

    async def _operation(self, talk: Callable[[StoreConnection], Awaitable[T]]) -> T:
        async with self._lock:
            done = False
            ends_at = asyncio.get_running_loop().time() + self.timeout_s
            try:
                await self._open()  # outside of the limit below: what fails there says itself what it was
                async with asyncio.timeout_at(ends_at):
                    result = await talk(await self._connected())
                done = True
                return result
            except TimeoutError as error:
                raise StoreError(
                    StoreFault.TIMED_OUT,
                    f"{self._where} accepts the connection, but its answer has not come within {self.timeout_s:g} s",
                    hint="the process that holds the store (rank 0 or the launcher) may be stopped, very busy, or dead "
                    "while a child of it keeps the port open; the workers can be named: xpudbg http://HOST:PORT ...",
                ) from error
            finally:
                if not done:
                    self._drop()

    async def _open(self) -> None:
        if self._connection is not None and self._connection.left_over:
            self._drop()
        if self._connection is None:
            self._connection = await open_store(self.host, self.port, self._where, self.timeout_s)
            self._greeted = False

    async def _connected(self) -> StoreConnection:
        await self._open()
        assert self._connection is not None
        if not self._greeted:
            await self._connection.greet()
            self._greeted = True
        self._connection.received = 0
        self._connection.stall_s = None
        return self._connection

    def _drop(self) -> StoreConnection | None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.abort()
        return connection

    async def _anew(self) -> StoreConnection:
        self._drop()
        return await self._connected()

    # the queries ----------------------------------------------------------------------------------------------

    async def _list_keys(self, connection: StoreConnection) -> list[bytes] | None:
        await connection.send(bytes((Query.LIST_KEYS,)))
        before = connection.received
        try:
            count = uint64(await connection.take(8))
        except StoreError as error:
            if error.kind is not StoreFault.CLOSED or connection.received > before:
                raise
            await self._anew()  # it is there and answers, so it was the query that it did not know
            self._lists = False
            return None
        if count > MAX_KEYS:
            raise StoreError(
                StoreFault.TOO_LARGE,
                f"{self._where} announces {count:,} keys; {MAX_KEYS:,} are accepted",
                hint="it may not be a TCPStore",
            )
        found: list[bytes] = []
        for _ in range(count):
            key = await connection.string()
            if key.startswith(KEY_PREFIX):
                found.append(key.removeprefix(KEY_PREFIX))
        found.sort()
        return found

    async def _yes(self, connection: StoreConnection) -> bool:
        answer = await connection.take(1)
        if answer not in (b"\0", b"\1"):
            raise not_a_store(self._where, answer)
        return answer == b"\0"

    async def _present(self, connection: StoreConnection, keys: Sequence[bytes]) -> list[bool]:
        answers: list[bool] = []
        for batch in _batches(keys, _CHECKS):
            await connection.send(b"".join(check_request([key]) for key in batch))
            answers += [await self._yes(connection) for _ in batch]
        return answers

    async def _values(
        self, connection: StoreConnection, keys: Sequence[bytes], limit: int | None
    ) -> list[bytes | Oversized | None]:
        """Values of the keys that are there.

        A key that goes away between CHECK and MULTI_GET makes one kind of store wait for ever, another close the
        connection, and a third answer an empty value: the first two show as an answer that breaks off, after which the
        rest is checked and asked again on a new connection; an empty value is checked once more.
        """
        values: list[bytes | Oversized | None] = [None] * len(keys)
        waiting = await self._those_there(connection, keys, range(len(keys)))
        connection.stall_s = self._stall_s
        resumes, patient = 0, False
        while waiting:
            batch = waiting[:_VALUES]
            got, broke = await self._batch(connection, keys, batch, limit, values)
            waiting = waiting[got:]
            if broke is None:
                continue
            resumes += 1
            if resumes > _RESUMES:
                raise broke
            connection = await self._anew()
            first = waiting[:1]
            waiting = await self._those_there(connection, keys, waiting)
            if first and first == waiting[:1] and broke.kind is not StoreFault.TOO_LARGE:
                if patient:
                    raise broke
                patient = True  # nothing has gone away, the store is slow: the operation's own limit holds from here
            connection.stall_s = None if patient else self._stall_s
        empty = [index for index, value in enumerate(values) if value == b""]
        for index in set(empty) - set(await self._those_there(connection, keys, empty)):
            values[index] = None
        return values

    async def _batch(
        self,
        connection: StoreConnection,
        keys: Sequence[bytes],
        batch: Sequence[int],
        limit: int | None,
        values: list[bytes | Oversized | None],
    ) -> tuple[int, StoreError | None]:
        """Ask for the values of keys[i] for each i of `batch` and fill them in.

        Returns:
            How many came, and why no more did, after which the connection is of no use.
        """
        wanted = [keys[index] for index in batch]
        got = 0
        try:
            await connection.send(get_request(wanted[0]) if len(wanted) == 1 else multi_get_request(wanted))
            for index in batch:
                length = await connection.length(MAX_LENGTH if limit is None else MAX_ANNOUNCED)
                if limit is None or length <= limit:
                    values[index] = await connection.take(length)
                    got += 1
                    continue
                values[index] = Oversized(length, await self._head(connection, limit, length))
                got += 1
                if not await connection.skip(length - limit):
                    return got, StoreError(
                        StoreFault.TOO_LARGE,
                        f"{self._where} holds many values as long as {length:,} bytes where short ones belong",
                    )
        except Stalled:
            return got, StoreError(
                StoreFault.TIMED_OUT, f"{self._where} does not answer for a key that it says is there"
            )
        except StoreError as error:
            if error.kind is not StoreFault.CLOSED:
                raise
            return got, error
        return got, None

    async def _head(self, connection: StoreConnection, limit: int, length: int) -> bytes:
        """The beginning of a long value; nothing of one that is so long and does not begin to come."""
        if length <= MAX_LENGTH:
            return await connection.take(limit)
        connection.stall_s = self._stall_s
        try:
            return await connection.take(limit)
        except Stalled:
            return b""

    async def _those_there(
        self, connection: StoreConnection, keys: Sequence[bytes], indexes: Sequence[int]
    ) -> list[int]:
        there = await self._present(connection, [keys[index] for index in indexes])
        return [index for index, is_there in zip(indexes, there, strict=True) if is_there]

    @property
    def _stall_s(self) -> float:
        """Seconds without a byte after which a value is taken not to come."""
        return min(1.0, self.timeout_s / 4)


async def _nothing(_connection: StoreConnection) -> None:
    """Connecting is all."""


def _batches(keys: Sequence[bytes], size: int) -> list[Sequence[bytes]]:
    return [keys[start : start + size] for start in range(0, len(keys), size)]
