"""One look-up for a host, however many ranks it has."""

from __future__ import annotations

import asyncio
import socket

import pytest
from aiohttp.abc import ResolveResult

from xpudbg.services.cluster import names
from xpudbg.services.cluster.names import Names


class Counted:
    """Stands in for the system's resolver; answers when told."""

    def __init__(self, addresses: dict[str, str]) -> None:
        self.addresses = addresses
        self.asked: list[str] = []
        self.may_answer = asyncio.Event()

    async def resolve(self, host: str, port: int, family: socket.AddressFamily) -> list[ResolveResult]:
        self.asked.append(host)
        await self.may_answer.wait()
        if host not in self.addresses:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [ResolveResult(hostname=host, host=self.addresses[host], port=port, family=family, proto=0, flags=0)]

    async def close(self) -> None:
        pass


def made(system: Counted) -> Names:
    resolver = Names()
    resolver._system = system  # type: ignore[assignment]
    return resolver


async def test_ranks_of_a_host_share_one_look_up_and_each_gets_its_port() -> None:
    system = Counted({"node-1": "10.0.0.1"})
    resolver = made(system)
    asking = [asyncio.ensure_future(resolver.resolve("node-1", port)) for port in range(100, 108)]
    await asyncio.sleep(0)
    system.may_answer.set()
    found = await asyncio.gather(*asking)
    assert [one["port"] for (one,) in found] == list(range(100, 108))
    assert {one["host"] for (one,) in found} == {"10.0.0.1"}
    assert system.asked == ["node-1"]
    await resolver.close()


async def test_a_name_that_does_not_resolve_is_not_asked_for_again_at_once() -> None:
    system = Counted({})
    system.may_answer.set()
    resolver = made(system)
    for _ in range(5):
        with pytest.raises(OSError, match="not known"):
            await resolver.resolve("node-2", 1)
    assert system.asked == ["node-2"]
    await resolver.close()


async def test_a_name_is_asked_for_again_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "FAILURE_KEPT_S", 0.0)
    system = Counted({})
    system.may_answer.set()
    resolver = made(system)
    with pytest.raises(OSError, match="not known"):
        await resolver.resolve("node-2", 1)
    system.addresses["node-2"] = "10.0.0.2"
    assert (await resolver.resolve("node-2", 1))[0]["host"] == "10.0.0.2"
    await resolver.close()


async def test_who_gives_up_waiting_does_not_end_the_look_up_of_the_others() -> None:
    system = Counted({"node-1": "10.0.0.1"})
    resolver = made(system)
    first = asyncio.ensure_future(resolver.resolve("node-1", 1))
    second = asyncio.ensure_future(resolver.resolve("node-1", 2))
    await asyncio.sleep(0)
    first.cancel()
    system.may_answer.set()
    assert (await second)[0]["port"] == 2
    await resolver.close()


async def test_closing_ends_what_is_under_way() -> None:
    resolver = made(Counted({}))
    asking = asyncio.ensure_future(resolver.resolve("node-1", 1))
    await asyncio.sleep(0)
    await resolver.close()
    with pytest.raises(asyncio.CancelledError):
        await asking
