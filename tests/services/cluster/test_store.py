"""Reading a store: what is there, what goes away meanwhile, and that nothing is ever written."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.store_server import FakeStore, running_store
from xpudbg.services.cluster.store import Oversized, StoreClient, StoreError, StoreFault

PATIENT_S = 20.0
"""Limit where none should be reached."""
SHORT_S = 0.4
"""Limit where it is what ends the exchange."""

READING = {0, 3, 5, 7, 10, 13, 17}


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
