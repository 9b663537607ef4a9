"""The store's protocol, byte by byte."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator
from types import TracebackType

import pytest

from xpudbg.services.simulate.store_server import StoreServer

KEYS = {b"/debug_server/rank0": b"http://127.0.0.1:1", b"/blob": b"\x00\xff" * 40_000, b"init/": b"1"}
VALIDATE = bytes([0]) + bytes.fromhex("cef7853c")


class Client:
    """A connection on which the tests write bytes."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def __aenter__(self) -> Client:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self._port)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.writer.close()
        await self.writer.wait_closed()

    async def ask(self, question: bytes, length: int) -> bytes:
        self.writer.write(question)
        async with asyncio.timeout(10):
            return await self.reader.readexactly(length)


@pytest.fixture
async def store() -> AsyncIterator[StoreServer]:
    server = StoreServer(KEYS)
    await server.start("127.0.0.1")
    yield server
    await server.close()


def string(text: bytes) -> bytes:
    return struct.pack("<Q", len(text)) + text


def strings(*texts: bytes) -> bytes:
    return struct.pack("<Q", len(texts)) + b"".join(map(string, texts))


async def test_ping_and_count_come_back_to_back(store: StoreServer) -> None:
    async with Client(store.port) as client:
        assert await client.ask(VALIDATE + bytes([13]) + b"abcd" + bytes([7]), 12) == b"abcd" + struct.pack("<q", 3)


async def test_check_says_whether_all_keys_are_there(store: StoreServer) -> None:
    async with Client(store.port) as client:
        assert await client.ask(VALIDATE + bytes([5]) + strings(b"/blob", b"init/"), 1) == b"\x00"
        assert await client.ask(bytes([5]) + strings(b"/blob", b"/nope"), 1) == b"\x01"
        assert await client.ask(bytes([5]) + strings(), 1) == b"\x00"


async def test_get_and_multi_get_give_values_with_their_length(store: StoreServer) -> None:
    address, blob = string(KEYS[b"/debug_server/rank0"]), string(KEYS[b"/blob"])
    async with Client(store.port) as client:
        assert await client.ask(VALIDATE + bytes([3]) + string(b"/debug_server/rank0"), len(address)) == address
        several = bytes([10]) + strings(b"/blob", b"/debug_server/rank0")
        assert await client.ask(several, len(blob + address)) == blob + address


async def test_list_gives_every_key_as_it_is_on_the_wire(store: StoreServer) -> None:
    wanted = strings(*KEYS)
    async with Client(store.port) as client:
        assert await client.ask(VALIDATE + bytes([17]), len(wanted)) == wanted


async def test_wait_ends_at_once_for_keys_that_are_there_and_when_it_is_cancelled(store: StoreServer) -> None:
    async with Client(store.port) as client:
        assert await client.ask(VALIDATE + bytes([6]) + strings(b"/blob"), 1) == b"\x00"
        assert await client.ask(bytes([6]) + strings(b"/nope") + bytes([12]), 1) == b"\x01"


@pytest.mark.parametrize("question", [bytes([3]) + string(b"/nope"), bytes([10]) + strings(b"/blob", b"/nope")])
async def test_a_missing_key_keeps_its_connection_and_no_other(store: StoreServer, question: bytes) -> None:
    async with Client(store.port) as stuck, Client(store.port) as other:
        stuck.writer.write(VALIDATE + question)
        await stuck.writer.drain()
        stuck.writer.write(bytes([13]) + b"abcd")
        assert await other.ask(VALIDATE + bytes([13]) + b"efgh", 4) == b"efgh"
        stuck.writer.write_eof()
        assert await stuck.reader.read() == b""


@pytest.mark.parametrize(
    "question",
    [
        bytes([1]) + string(b"/new") + string(b"1"),
        bytes([4]) + string(b"/counter") + struct.pack("<q", 1),
        bytes([8]) + string(b"/blob"),
        bytes([99]),
        bytes([3]) + struct.pack("<Q", 2**40),
        bytes([5]) + struct.pack("<Q", 2**40),
    ],
    ids=["set", "add", "delete", "unknown", "huge key", "huge count"],
)
async def test_what_it_does_not_do_ends_the_connection(store: StoreServer, question: bytes) -> None:
    async with Client(store.port) as client, asyncio.timeout(10):
        client.writer.write(VALIDATE + question)
        assert await client.reader.read() == b""


@pytest.mark.parametrize("opening", [b"GET / HTTP/1.1\r\n\r\n", bytes([0]) + b"\x00\x00\x00\x01"])
async def test_who_does_not_validate_gets_no_answer(store: StoreServer, opening: bytes) -> None:
    async with Client(store.port) as client, asyncio.timeout(10):
        client.writer.write(opening + bytes([13]) + b"abcd")
        client.writer.write_eof()
        assert await client.reader.read() == b""
