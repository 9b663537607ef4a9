"""Stores that speak the protocol and send what is none: huge values, lengths that are lies, ends in the middle."""

from __future__ import annotations

import asyncio
import struct
import tracemalloc
from pathlib import Path

import pytest

from tests.fakes.store_server import FakeStore, raw_peer
from tests.services.store_browse.test_work import Working
from xpudbg.services.store_browse import events
from xpudbg.services.store_browse.orders import ExportValue, ListKeys
from xpudbg.services.store_browse.values import View, kind_of, value_preview, view_text

GIB = 1 << 30
MIB = 1 << 20
NAMES = (b"breaks", b"huge", b"insane", b"liar", b"short")


class Hostile(FakeStore):
    """Its keys are `NAMES`."""

    def __init__(self) -> None:
        super().__init__(dict.fromkeys(NAMES, b"1"))
        self.sent = 0
        """Bytes of the huge value that went out."""

    async def _answer(self, name: bytes, writer: asyncio.StreamWriter) -> None:
        if name == b"huge":  # a gigabyte, all of which is sent to those who read it
            writer.write(struct.pack("<Q", GIB))
            piece = b"H" * 65_536
            while self.sent < GIB:
                writer.write(piece)
                self.sent += len(piece)
                await writer.drain()
        elif name == b"liar":  # nothing comes of it
            writer.write(struct.pack("<Q", 2 * GIB))
            await asyncio.Event().wait()
        elif name == b"insane":
            writer.write(b"\xff" * 8)
        elif name == b"breaks":
            writer.write(struct.pack("<Q", 100) + b"only so far")
            raise ConnectionResetError
        else:
            await super()._answer(name, writer)


async def test_each_value_costs_itself_alone_and_is_capped(tmp_path: Path) -> None:
    store = Hostile()
    await store.start()
    it = Working(store.port, 1.0)
    try:
        assert (await it.listing()).keys == NAMES
        tracemalloc.start()
        values = await it.values(*NAMES, limit=16 * 1024)
        _now, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 16 * MIB
        assert values[b"short"].head == b"1"
        assert (values[b"huge"].length, values[b"huge"].head) == (GIB, b"H" * 16 * 1024)
        assert store.sent < 64 * MIB
        assert (values[b"liar"].length, values[b"liar"].head) == (2 * GIB, b"")
        assert value_preview(values[b"liar"]) == "2 GiB are announced, none came"
        assert kind_of(values[b"liar"]) == "binary"
        assert "closed the connection before the whole answer was there" in values[b"breaks"].error
        assert "announces 18,446,744,073,709,551,615 bytes" in values[b"insane"].error
        said = view_text(values[b"huge"], View.TEXT)
        assert said.endswith("bytes more; it is longer than the 64 MiB that are read of a value")
        it.work.carry_out(ExportValue(b"huge", tmp_path))
        told = await it.until(lambda event: isinstance(event, events.StoreSaid))
        assert told == events.StoreSaid("not exported: it has 1 GiB, of a value 64 MiB are read at most")
    finally:
        await it.work.close()
        await store.close()
    assert it.faults == []


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"\xff" * 200, "is not a TCPStore"),
        (struct.pack("<qQ", 5, 1 << 62), "announces 4,611,686,018,427,387,904 keys"),
        (struct.pack("<qQQ", 5, 2, 1 << 62), "announces 4,611,686,018,427,387,904 bytes"),
        (struct.pack("<qQQ", 5, 2, 3) + b"/a", "closed the connection"),
        (b"", "closed the connection"),
    ],
    ids=["bytes", "keys", "length", "cut", "nothing"],
)
async def test_keys_that_are_garbage_are_refused_and_said(answer: bytes, said: str) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        hello = await reader.readexactly(10)
        writer.write(hello[6:])  # the greeting is as it should be
        await reader.readexactly(1)
        writer.write(answer[:8])
        if len(answer) > 8:
            await reader.readexactly(1)
            writer.write(answer[8:])
        await writer.drain()

    async with raw_peer(talk) as port:
        it = Working(port, 1.0)
        it.work.carry_out(ListKeys())
        refused = await it.until(lambda event: isinstance(event, events.StoreRefused | events.StoreListed))
        await it.work.close()
    assert isinstance(refused, events.StoreRefused)
    assert said in refused.message
    assert it.faults == []
