from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.store_server import FakeStore, raw_peer, running_store
from xpudbg.services.cluster.store import MAX_KEYS, Oversized, StoreClient, StoreError, StoreFault

PATIENT_S = 20.0
"""Limit where none should be reached."""
SHORT_S = 0.4
"""Limit where it is what ends the exchange."""

READING = {0, 3, 5, 7, 10, 13, 17}

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
Ask = Callable[[StoreClient], Awaitable[object]]


def client(store: FakeStore, timeout_s: float = PATIENT_S) -> StoreClient:
    return StoreClient("127.0.0.1", store.port, timeout_s=timeout_s)


VALUES = {
    b"debug_server/rank0": b"http://a:1",
    b"empty": b"",
    b"bin": bytes(range(256)),
    "键\n2".encode(): b"\xff",
    b"/with/slash": b"x",
    b"big": b"A" * 1_048_576,
}


class TestReading:
    async def test_keys_and_values_are_the_bytes_that_are_there(self) -> None:
        async with running_store(VALUES) as store, client(store) as reader:
            assert await reader.keys() == sorted(VALUES)
            assert await reader.get_many(list(VALUES)) == list(VALUES.values())

    async def test_a_missing_key_is_none_among_the_others(self) -> None:
        async with running_store(VALUES) as store, client(store) as reader:
            assert await reader.get_many([b"empty", b"nope", b"bin"]) == [b"", None, VALUES[b"bin"]]
            assert await reader.get_many([b"nope"]) == [None]
            assert await reader.get_many([]) == []

    async def test_check_count_ping_present(self) -> None:
        async with running_store(VALUES) as store, client(store) as reader:
            await reader.ping()
            assert await reader.count() == len(VALUES)
            assert await reader.check(list(VALUES))
            assert await reader.check([])
            assert not await reader.check([b"bin", b"nope"])
            assert await reader.present([b"bin", b"nope", b"empty"]) == [True, False, True]
            assert store.connections == 1

    async def test_many_keys(self) -> None:
        values = {b"debug_server/rank%d" % rank: b"http://node-%d:1" % rank for rank in range(5_000)}
        async with running_store(values) as store, client(store) as reader:
            assert await reader.get_many(list(values)) == list(values.values())
            assert len(await reader.keys() or []) == 5_000

    async def test_long_values_can_be_left_out(self) -> None:
        values = {b"a": b"short", b"b": b"x" * 5_000, b"c": b"y" * 3_000_000, b"d": b"z" * 3_000_000, b"e": b"end"}
        async with running_store(values) as store, client(store) as reader:
            got = await reader.get_short(list(values), 2_048)
            assert got == [b"short", Oversized(5_000), Oversized(3_000_000), Oversized(3_000_000), b"end"]
            assert await reader.count() == 5

    async def test_an_endless_row_of_long_values_is_given_up(self) -> None:
        values = {b"%d" % number: b"x" * 2_000_000 for number in range(20)}
        async with running_store(values) as store, client(store) as reader:
            with pytest.raises(StoreError, match="many values as long as 2,000,000 bytes") as caught:
                await reader.get_short(list(values), 2_048)
            assert caught.value.kind is StoreFault.TOO_LARGE

    async def test_an_older_store_closes_on_list_keys_and_is_asked_on(self) -> None:
        async with running_store(VALUES) as store:
            store.lists_keys = False
            async with client(store) as reader:
                assert await reader.keys() is None
                assert await reader.get_many([b"bin"]) == [VALUES[b"bin"]]
                assert await reader.keys() is None
            assert store.queries.count(17) == 1
            assert store.connections == 2

    async def test_operations_queue_up(self) -> None:
        async with running_store(VALUES) as store, client(store) as reader:
            one, two, three = await asyncio.gather(reader.count(), reader.get_many([b"bin"]), reader.keys())
            assert (one, two, three) == (len(VALUES), [VALUES[b"bin"]], sorted(VALUES))

    @settings(max_examples=20, deadline=None)
    @given(st.dictionaries(st.binary(max_size=30), st.binary(max_size=50), max_size=8))
    def test_any_bytes(self, values: dict[bytes, bytes]) -> None:
        async def run() -> None:
            async with running_store(values) as store, client(store) as reader:
                assert await reader.keys() == sorted(values)
                assert await reader.get_many(list(values)) == list(values.values())

        asyncio.run(run())


class TestReadsOnly:
    async def test_only_reading_queries_are_ever_sent(self) -> None:
        async with running_store(VALUES) as store, client(store) as reader:
            await reader.ping()
            await reader.count()
            await reader.keys()
            await reader.check([b"bin", b"nope"])
            await reader.present([b"bin", b"nope"])
            await reader.get_many([*VALUES, b"nope"])
            await reader.get_many([b"bin"])
            await reader.get_short([b"big"], 5)
            await reader.close()
            await reader.count()
        assert set(store.queries) == READING
        assert store.values == VALUES

    async def test_a_value_is_asked_only_after_a_check_said_that_it_is_there(self) -> None:
        async with running_store(VALUES) as store, client(store) as reader:
            await reader.get_many([b"nope", b"neither"])
        assert 3 not in store.queries
        assert 10 not in store.queries

    async def test_a_key_longer_than_stores_accept_is_not_sent(self) -> None:
        async with running_store(VALUES) as store, client(store) as reader:
            with pytest.raises(ValueError, match=r"9,000 bytes"):
                await reader.check([b"x" * 9_000])


class TestKeysThatGoAway:
    @pytest.mark.parametrize("kind", ["block", "close", "empty"])
    @pytest.mark.parametrize("asked", [[b"a", b"gone", b"b"], [b"gone", b"a"], [b"a", b"gone"], [b"gone"]])
    async def test_it_is_none_and_the_rest_is_read(self, kind: str, asked: list[bytes]) -> None:
        async with running_store({b"a": b"1", b"b": b"2", b"gone": b"3"}) as store:
            store.on_missing, store.vanishing = kind, {b"gone"}
            async with client(store, timeout_s=2.0) as reader:
                expected = {b"a": b"1", b"b": b"2", b"gone": None}
                assert await reader.get_many(asked) == [expected[key] for key in asked]
                assert await reader.count() == 2

    async def test_many_at_once_cost_one_pause(self) -> None:
        values = {b"%d" % number: b"v" for number in range(1_000)}
        async with running_store(values) as store:
            store.vanishing = {b"%d" % number for number in range(0, 1_000, 3)}
            async with client(store, timeout_s=4.0) as reader:
                got = await reader.get_many(list(values))
            assert got == [None if number % 3 == 0 else b"v" for number in range(1_000)]
            assert store.connections == 2

    @pytest.mark.parametrize(("how", "kind"), [("block", StoreFault.TIMED_OUT), ("close", StoreFault.CLOSED)])
    async def test_a_store_that_claims_a_key_and_never_gives_it(self, how: str, kind: StoreFault) -> None:
        async with running_store({b"a": b"1"}) as store:
            store.on_missing = how
            async with client(store, timeout_s=SHORT_S) as reader:
                store.values = _Claims({b"a": b"1"})
                with pytest.raises(StoreError) as caught:
                    await reader.get_many([b"a", b"liar"])
                assert caught.value.kind is kind
                assert await reader.check([b"a"])


class _Claims(dict[bytes, bytes]):
    """Says that every key is there."""

    def __contains__(self, key: object) -> bool:
        return True


class TestNoConnection:
    async def test_refused(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            port = listening.getsockname()[1]
        with pytest.raises(StoreError, match="nothing listens there") as caught:
            await StoreClient("127.0.0.1", port, timeout_s=PATIENT_S).count()
        assert caught.value.kind is StoreFault.REFUSED
        assert "MASTER_ADDR" in caught.value.hint

    @pytest.mark.parametrize("host", ["no-such-host.invalid", "x" * 70 + ".invalid", "nul\0"])
    async def test_name_unknown(self, host: str) -> None:
        with pytest.raises(StoreError) as caught:
            await StoreClient(host, 1, timeout_s=PATIENT_S).count()
        assert caught.value.kind is StoreFault.NAME_UNKNOWN

    async def test_a_full_listen_queue_is_unreachable(self) -> None:
        with socket.socket() as listening:
            listening.bind(("127.0.0.1", 0))
            listening.listen(0)
            waiting = [socket.socket() for _ in range(4)]
            for each in waiting:
                each.setblocking(False)
                each.connect_ex(listening.getsockname())
            with pytest.raises(StoreError, match=r"connecting to .* timed out") as caught:
                await StoreClient("127.0.0.1", listening.getsockname()[1], timeout_s=SHORT_S).count()
            assert caught.value.kind is StoreFault.UNREACHABLE
            for each in waiting:
                each.close()

    async def test_a_name_lookup_that_hangs(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async def hang(*_: object, **__: object) -> None:
            await asyncio.Event().wait()

        monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", hang)
        with pytest.raises(StoreError, match="looking up the name") as caught:
            await StoreClient("slow", 1, timeout_s=SHORT_S).count()
        assert caught.value.kind is StoreFault.NAME_UNKNOWN

    async def test_the_next_address_of_a_name_is_tried(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            closed = listening.getsockname()
        async with running_store(VALUES) as store:

            async def both(*_: object, **__: object) -> list[object]:
                kind = (socket.AF_INET, socket.SOCK_STREAM, 6, "")
                return [(*kind, closed), (*kind, ("127.0.0.1", store.port))]

            monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", both)
            async with StoreClient("twice", 1, timeout_s=PATIENT_S) as reader:
                assert await reader.count() == len(VALUES)


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


class TestAfterAFailure:
    async def test_the_connection_is_not_used_again(self) -> None:
        async with running_store(VALUES) as store, client(store) as reader:
            store.count = -1
            with pytest.raises(StoreError):
                await reader.count()
            store.count = None
            assert await reader.count() == len(VALUES)
            assert store.connections == 2

    async def test_cancellation_leaves_nothing_half_read(self) -> None:
        async with running_store({b"a": b"1"}) as store, client(store) as reader:
            store.values = _Claims({b"a": b"1"})
            hanging = asyncio.ensure_future(reader.get_many([b"liar"]))
            while 3 not in store.queries:
                await asyncio.sleep(0)
            hanging.cancel()
            with pytest.raises(asyncio.CancelledError):
                await hanging
            assert await reader.get_many([b"a"]) == [b"1"]
            assert store.connections == 2
