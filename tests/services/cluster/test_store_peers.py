"""What is no store at the port of one, and stores that answer what makes no sense."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Awaitable, Callable

import pytest

from tests.fakes.store_server import raw_peer
from xpudbg.services.cluster.store import MAX_KEYS, StoreClient, StoreError, StoreFault

PATIENT_S = 20.0
"""Limit where none should be reached."""
SHORT_S = 0.4
"""Limit where it is what ends the exchange."""

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
Ask = Callable[[StoreClient], Awaitable[object]]


async def _http(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    await writer.drain()


def _says(data: bytes) -> Talk:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()
        await reader.read()

    return talk


async def _echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(100):
        writer.write(data)
        await writer.drain()


class TestOtherPeers:
    @pytest.mark.parametrize(
        ("talk", "what"),
        [
            (_http, "an HTTP server answers there"),
            (_says(b"<html>"), "an HTTP server answers there"),
            (_says(b"SSH-2.0-OpenSSH_9.2\r\n"), "an SSH server answers there"),
            (_says(b"\x15\x03\x01\x00\x02\x02\x16"), "a TLS server answers there"),
            (_says(b"220 mail \x1b[2J ready\r\n"), "it answers '220 mail"),
            (_says(b"\x00"), "it answers"),
            (_echo, "it answers"),
        ],
    )
    async def test_this_is_not_a_store(self, talk: Talk, what: str) -> None:
        async with raw_peer(talk) as port:
            with pytest.raises(StoreError, match="is not a TCPStore") as caught:
                await StoreClient("127.0.0.1", port, timeout_s=PATIENT_S).count()
        assert caught.value.kind is StoreFault.NOT_A_STORE
        assert what in str(caught.value)
        assert "\x1b" not in str(caught.value)
        assert caught.value.hint

    async def test_one_that_closes_at_once(self) -> None:
        async def close(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.close()

        async with raw_peer(close) as port:
            with pytest.raises(StoreError, match=r"closes the connection|reset the connection") as caught:
                await StoreClient("127.0.0.1", port, timeout_s=PATIENT_S).count()
        assert caught.value.kind is StoreFault.CLOSED

    async def test_one_that_begins_right_and_closes(self) -> None:
        async def half(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readexactly(10)
            writer.write(b"\r\n")
            await writer.drain()

        async with raw_peer(half) as port:
            with pytest.raises(StoreError, match="is not a TCPStore"):
                await StoreClient("127.0.0.1", port, timeout_s=PATIENT_S).count()

    async def test_silence(self) -> None:
        async def nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await asyncio.Event().wait()

        async with raw_peer(nothing) as port:
            with pytest.raises(StoreError, match="has not come within") as caught:
                await StoreClient("127.0.0.1", port, timeout_s=SHORT_S).count()
        assert caught.value.kind is StoreFault.TIMED_OUT
        assert "stopped" in caught.value.hint


def liar(answer: bytes, *, then: str = "wait") -> Talk:
    """A peer that greets as a store does and answers the first other query with these bytes."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert (await reader.readexactly(10))[:1] == b"\0"
        writer.write(b"\r\n\r\n")
        await reader.readexactly(1)
        if then == "drip":
            for place in range(len(answer)):
                writer.write(answer[place : place + 1])
                await writer.drain()
                await asyncio.sleep(SHORT_S / 10)
        writer.write(answer)
        await writer.drain()
        if then != "close":
            await asyncio.Event().wait()

    return talk


def u64(number: int) -> bytes:
    return struct.pack("<Q", number)


async def _ping(reader: StoreClient) -> object:
    await reader.ping()
    return None


async def _count(reader: StoreClient) -> object:
    return await reader.count()


async def _keys(reader: StoreClient) -> object:
    return await reader.keys()


async def _check(reader: StoreClient) -> object:
    return await reader.check([b"a"])


async def _get(reader: StoreClient) -> object:
    return await reader.get_many([b"a"])


class TestLiars:
    @pytest.mark.parametrize(
        ("ask", "answer", "kind"),
        [
            (_ping, b"\0\0\0\0", StoreFault.NOT_A_STORE),
            (_count, struct.pack("<q", -1), StoreFault.NOT_A_STORE),
            (_check, b"\x07", StoreFault.NOT_A_STORE),
            (_keys, u64(2**63), StoreFault.TOO_LARGE),
            (_keys, u64(MAX_KEYS + 1), StoreFault.TOO_LARGE),
            (_keys, u64(1) + u64(64 * 1024 * 1024 + 1), StoreFault.TOO_LARGE),
            (_get, b"\0" + u64(2**64 - 1), StoreFault.TOO_LARGE),
            (_get, b"\0" + u64(64 * 1024 * 1024 + 1), StoreFault.TOO_LARGE),
            (_count, b"\0\0\0", StoreFault.TIMED_OUT),
            (_keys, u64(2) + u64(2) + b"/a", StoreFault.TIMED_OUT),
            (_keys, u64(1) + u64(64 * 1024 * 1024) + b"/a", StoreFault.TIMED_OUT),
            (_get, b"\0" + u64(5) + b"abc", StoreFault.TIMED_OUT),
        ],
    )
    async def test_an_answer_that_makes_no_sense(self, ask: Ask, answer: bytes, kind: StoreFault) -> None:
        async with raw_peer(liar(answer)) as port, StoreClient("127.0.0.1", port, timeout_s=SHORT_S) as reader:
            with pytest.raises(StoreError) as caught:
                await ask(reader)
            assert caught.value.kind is kind
            assert str(caught.value)

    @pytest.mark.parametrize(("ask", "answer"), [(_count, b"\0\0\0"), (_keys, u64(2) + u64(2) + b"/a")])
    async def test_half_an_answer_and_then_the_end(self, ask: Ask, answer: bytes) -> None:
        async with (
            raw_peer(liar(answer, then="close")) as port,
            StoreClient("127.0.0.1", port, timeout_s=PATIENT_S) as reader,
        ):
            with pytest.raises(StoreError, match="before the whole answer") as caught:
                await ask(reader)
            assert caught.value.kind is StoreFault.CLOSED

    async def test_a_byte_now_and_then_does_not_beat_the_limit(self) -> None:
        answer = u64(1) + u64(1_000) + b"/" * 1_000
        async with (
            raw_peer(liar(answer, then="drip")) as port,
            StoreClient("127.0.0.1", port, timeout_s=SHORT_S) as reader,
        ):
            with pytest.raises(StoreError) as caught:
                await reader.keys()
            assert caught.value.kind is StoreFault.TIMED_OUT

    async def test_keys_without_end(self) -> None:
        async def flood(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readexactly(10)
            writer.write(b"\r\n\r\n")
            await reader.readexactly(1)
            writer.write(u64(1_000))
            key = u64(8 * 1024 * 1024) + b"/" * (8 * 1024 * 1024)
            while True:
                writer.write(key)
                await writer.drain()

        async with raw_peer(flood) as port, StoreClient("127.0.0.1", port, timeout_s=PATIENT_S) as reader:
            with pytest.raises(StoreError, match="more than 256 MiB") as caught:
                await reader.keys()
            assert caught.value.kind is StoreFault.TOO_LARGE

    async def test_bytes_that_nobody_asked_for_are_not_taken_for_the_next_answer(self) -> None:
        async def extra(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readexactly(10)
            writer.write(b"\r\n\r\n")
            while await reader.read(1):
                writer.write(struct.pack("<q", 5) + struct.pack("<q", 999))
                await writer.drain()

        async with raw_peer(extra) as port, StoreClient("127.0.0.1", port, timeout_s=PATIENT_S) as reader:
            assert [await reader.count(), await reader.count()] == [5, 5]
