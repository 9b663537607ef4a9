"""A store that can't be connected to."""

from __future__ import annotations

import asyncio
import socket

import pytest

from tests.fakes.store_server import running_store
from xpudbg.services.cluster.store import StoreClient, StoreError, StoreFault

PATIENT_S = 20.0
"""Limit where none should be reached."""
SHORT_S = 0.4
"""Limit where it is what ends the exchange."""
VALUES = {b"bin": bytes(range(256))}


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
