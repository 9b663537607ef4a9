"""Reading a store for its screen: nothing is created, nothing waited for, nothing holds up the rest."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.fakes.store_server import FakeStore, raw_peer, running_store
from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.cluster.store_wire import MAX_KEY
from xpudbg.services.engine import Engine
from xpudbg.services.events import LookClosed, TargetClosed, TargetOpened
from xpudbg.services.store_browse import events, work
from xpudbg.services.store_browse.orders import EndSearch, ExportValue, ListKeys, ReadValues, SearchValues
from xpudbg.services.store_browse.searching import parse_search
from xpudbg.services.store_browse.values import StoreValue
from xpudbg.services.targets import StoreTarget

READS = {0, 3, 5, 7, 10, 13, 17}
"""The queries that change nothing."""


class Working:
    """A StoreWork and what it said."""

    def __init__(self, port: int, timeout_s: float) -> None:
        self.said: asyncio.Queue[events.StoreEvent] = asyncio.Queue()
        self.faults: list[BaseException] = []
        target = StoreTarget("127.0.0.1", port)
        self.work = work.StoreWork(
            target, lambda: 4, timeout_s, self.said.put_nowait, lambda _doing, error: self.faults.append(error)
        )

    async def until(self, wanted: Callable[[events.StoreEvent], bool]) -> events.StoreEvent:
        async with asyncio.timeout(20):
            while True:
                event = await self.said.get()
                if wanted(event):
                    return event

    async def listing(self) -> events.StoreListing:
        self.work.carry_out(ListKeys())
        event = await self.until(lambda event: isinstance(event, events.StoreListed))
        assert isinstance(event, events.StoreListed)
        return event.listing

    async def values(self, *keys: bytes, limit: int = 100) -> dict[bytes, StoreValue]:
        self.work.carry_out(ReadValues(keys, limit))
        found: dict[bytes, StoreValue] = {}
        while len(found) < len(keys):
            event = await self.until(lambda event: isinstance(event, events.StoreValuesRead))
            assert isinstance(event, events.StoreValuesRead)
            found |= {value.key: value for value in event.values}
        return found


@asynccontextmanager
async def working(store: FakeStore, timeout_s: float = 2.0) -> AsyncIterator[Working]:
    made = Working(store.port, timeout_s)
    try:
        yield made
        assert made.faults == []
        assert set(store.queries) <= READS
    finally:
        await made.work.close()


async def test_keys_are_listed_and_values_read_up_to_a_limit() -> None:
    async with running_store({b"a": b"1", b"b/c": b"x" * 500, b"empty": b""}) as store, working(store) as it:
        listing = await it.listing()
        assert (listing.keys, listing.count, listing.note) == ((b"a", b"b/c", b"empty"), 3, "")
        values = await it.values(*listing.keys)
        assert (values[b"a"].head, values[b"a"].whole) == (b"1", True)
        assert (values[b"b/c"].head, values[b"b/c"].length, values[b"b/c"].whole) == (b"x" * 100, 500, False)
        assert values[b"empty"].readable
        assert store.values.keys() == {b"a", b"b/c", b"empty"}


@pytest.mark.parametrize("missing", ["block", "close", "empty"])
async def test_a_key_that_has_gone_is_gone_and_the_others_come(missing: str) -> None:
    async with running_store({b"a": b"1", b"b": b"2", b"c": b"3"}) as store, working(store) as it:
        store.on_missing = missing
        store.vanishing = {b"b"}
        values = await it.values(b"a", b"b", b"c")
        assert (values[b"a"].head, values[b"c"].head) == (b"1", b"3")
        assert values[b"b"].gone
        assert (await it.values(b"never"))[b"never"].gone
        assert set(store.values) == {b"a", b"c"}


async def test_a_store_that_cannot_list_is_asked_for_well_known_names() -> None:
    held = {b"debug_server/rank2": b"http://a:1", b"default_pg/0//cpu//0/3": b"x", b"other": b"y"}
    async with running_store(held) as store, working(store) as it:
        store.lists_keys = False
        listing = await it.listing()
        assert listing.keys == (b"debug_server/rank2", b"default_pg/0//cpu//0/3")
        assert "can't list its keys" in listing.note


async def test_a_store_with_too_many_keys_is_not_listed() -> None:
    async with running_store({b"debug_server/rank0": b"u"}) as store, working(store) as it:
        store.count = work.LIST_LIMIT + 1
        listing = await it.listing()
        assert listing.keys == (b"debug_server/rank0",)
        assert "more than are listed" in listing.note
        assert 17 not in store.queries


async def test_a_store_that_is_gone_says_so_and_values_too() -> None:
    async with running_store() as store:
        port = store.port
    it = Working(port, 1.0)
    it.work.carry_out(ListKeys())
    refused = await it.until(lambda event: isinstance(event, events.StoreRefused))
    assert isinstance(refused, events.StoreRefused)
    assert "refused" in refused.message
    values = await it.values(b"a", b"b")
    assert all("refused" in value.error for value in values.values())
    await it.work.close()


async def test_a_peer_that_is_no_store_says_so() -> None:
    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await reader.read()

    async with raw_peer(speak) as port:
        it = Working(port, 2.0)
        it.work.carry_out(ListKeys())
        refused = await it.until(lambda event: isinstance(event, events.StoreRefused))
        assert isinstance(refused, events.StoreRefused)
        assert "is not a TCPStore: an HTTP server answers there" in refused.message
        assert "not a TCPStore" in (await it.values(b"a"))[b"a"].error
        await it.work.close()


async def test_the_engine_browses_the_store_of_its_target() -> None:
    async with running_store({b"debug_server/rank0": b"http://127.0.0.1:9"}) as store:
        with Engine() as engine:
            said: list[object] = []

            async def until(kind: type) -> None:
                while not said or not isinstance(said[-1], kind):
                    said.append(await asyncio.to_thread(engine.events.get, True, 20))

            engine.browse_store(ListKeys())  # nothing is attached: nothing is answered
            engine.attach(StoreTarget("127.0.0.1", store.port), AttachOptions(timeout_s=1))
            await until(LookClosed)
            opened = next(event for event in said if isinstance(event, TargetOpened))
            assert opened.store == f"127.0.0.1:{store.port}"
            engine.browse_store(ListKeys())
            await until(events.StoreListed)
            engine.browse_store(ReadValues((b"debug_server/rank0",), 100))
            await until(events.StoreValuesRead)
            engine.detach()
            await until(TargetClosed)
            assert sum(isinstance(event, events.StoreReading) for event in said) == 1
        assert set(store.queries) <= READS


async def test_a_huge_value_does_not_keep_the_others_away() -> None:
    held = {b"big%d" % number: b"A" * 1_200_000 for number in range(12)} | {b"small": b"1"}
    async with running_store(held) as store, working(store) as it:
        values = await it.values(*sorted(held), limit=64)
        assert values[b"small"].head == b"1"
        assert {value.length for key, value in values.items() if key != b"small"} == {1_200_000}
        assert {len(value.head) for key, value in values.items() if key != b"small"} == {64}


async def test_a_name_too_long_for_a_question_is_said() -> None:
    async with running_store({b"a": b"1"}) as store, working(store) as it:
        long = b"k" * (MAX_KEY + 1)
        values = await it.values(b"a", long)
        assert values[b"a"].head == b"1"
        assert "its name has" in values[long].error


async def test_searching_values() -> None:
    held = {b"rank%d" % rank: b"http://Node-%d" % (rank // 8) for rank in range(200)}
    async with running_store(held) as store, working(store) as it:
        search = parse_search("rank value:node-3")
        it.work.carry_out(SearchValues(search, sorted(held)))
        found = await it.until(lambda event: isinstance(event, events.StoreSearched) and event.done)
        assert isinstance(found, events.StoreSearched)
        assert set(found.hits) == {b"rank%d" % rank for rank in range(24, 32)}
        assert (found.read, found.total, found.error, found.cut) == (200, 200, "", 0)


async def test_a_search_can_be_ended_and_gives_way_to_another() -> None:
    async with running_store({b"a": b"1"}) as store, working(store) as it:
        endless = [b"missing%d" % number for number in range(100_000)]
        it.work.carry_out(SearchValues(parse_search("value:x"), endless))
        it.work.carry_out(EndSearch())
        it.work.carry_out(SearchValues(parse_search("value:y"), endless))
        it.work.carry_out(SearchValues(parse_search("value:1"), [b"a"]))
        found = await it.until(lambda event: isinstance(event, events.StoreSearched) and event.done)
        assert isinstance(found, events.StoreSearched)
        assert (found.search.text, found.hits) == ("value:1", (b"a",))


async def test_a_search_ends_with_the_store() -> None:
    async with running_store() as store:
        port = store.port
    it = Working(port, 1.0)
    it.work.carry_out(SearchValues(parse_search("value:x"), [b"a", b"b"]))
    found = await it.until(lambda event: isinstance(event, events.StoreSearched))
    assert isinstance(found, events.StoreSearched)
    assert found.done
    assert "refused" in found.error
    await it.work.close()


async def test_a_value_is_exported_whole_to_a_new_file(tmp_path: Path) -> None:
    data = bytes(range(256)) * 8192
    async with running_store({b"a/../b\n": data}) as store, working(store) as it:
        for name in ("xpudbg-store-a-..-b.bin", "xpudbg-store-a-..-b-2.bin"):
            it.work.carry_out(ExportValue(b"a/../b\n", tmp_path))
            said = await it.until(lambda event: isinstance(event, events.StoreSaid))
            assert isinstance(said, events.StoreSaid)
            assert said.message == f"the 2 MiB of a/../b\\n are in {tmp_path / name}"
            assert (tmp_path / name).read_bytes() == data
        it.work.carry_out(ExportValue(b"never", tmp_path))
        assert await it.until(lambda event: event == events.StoreSaid("not exported: the key is gone"))
        it.work.carry_out(ExportValue(b"a/../b\n", tmp_path / "nowhere"))
        assert await it.until(lambda event: event == events.StoreSaid("not exported: No such file or directory"))
