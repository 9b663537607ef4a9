"""The idle connection that tells a dead holder of the store from a stopped one."""

from __future__ import annotations

import asyncio

from tests.fakes.raw_server import refused_port
from tests.fakes.store_server import FakeStore
from xpudbg.services.cluster.store_watch import StoreWatch


async def ended(watch: StoreWatch) -> None:
    assert watch._waiting is not None
    await asyncio.wait([watch._waiting])


async def test_it_notices_that_the_store_hangs_up() -> None:
    store, watch = FakeStore(), StoreWatch()
    await store.start()
    await watch.start("127.0.0.1", store.port, 5)
    assert (watch.watching, watch.hung_up) == (True, False)
    await store.close()
    await ended(watch)
    assert (watch.watching, watch.hung_up) == (False, True)
    await watch.close()


async def test_letting_go_of_it_is_no_end_of_the_store() -> None:
    store, watch = FakeStore(), StoreWatch()
    await store.start()
    await watch.start("127.0.0.1", store.port, 5)
    await watch.close()
    assert (watch.watching, watch.hung_up) == (False, False)
    await store.close()


async def test_what_never_answered_is_not_watched() -> None:
    watch = StoreWatch()
    with refused_port() as held:
        await watch.start("127.0.0.1", held.getsockname()[1], 5)
    assert (watch.watching, watch.hung_up) == (False, False)

    async def another_protocol(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-x\r\n")
        writer.close()

    async with await asyncio.start_server(another_protocol, "127.0.0.1", 0) as server:
        await watch.start("127.0.0.1", server.sockets[0].getsockname()[1], 5)
        assert (watch.watching, watch.hung_up) == (False, False)
        await watch.close()
