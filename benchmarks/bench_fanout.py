"""Fan-out of xpudbg against bare aiohttp with the same concurrency, in one run.

One rank in a hundred accepts connections and never answers. Both sides send the same three requests (ping, list of
handlers, Python traceback) to each rank of the demo cluster. xpudbg's "three requests" ends with the budget of the
ranks that never answer; bare aiohttp gives these up after the patience of the fast lane.

    python -m benchmarks.bench_fanout [--ranks 1024] [--rounds 5]
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from dataclasses import dataclass

import aiohttp

from benchmarks.figures import record
from xpudbg.services.addressing.addresses import AddressMap
from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.cluster.fanout import fan_out
from xpudbg.services.cluster.file_limit import connections_allowed
from xpudbg.services.cluster.lanes import FAST_SLOTS, PATIENCE_S, Lanes
from xpudbg.services.cluster.registry import read_registry
from xpudbg.services.cluster.store import StoreClient
from xpudbg.services.cluster.transport import make_client
from xpudbg.services.cluster.worker import Worker, WorkerListener
from xpudbg.services.simulate.launch import running_demo
from xpudbg.services.simulate.scenarios import SCENARIOS
from xpudbg.services.snapshot import Outcome, RankAddress, RankReply
from xpudbg.services.spool import Spool

SCENARIO = "stopped"
"""One rank in a hundred accepts connections and never answers."""
BUDGET_S = 3.0


@dataclass
class Times:
    """Seconds from the first connect."""

    first: float
    last_live: float
    whole: float


async def xpudbg_sweep(addresses: list[RankAddress], live: int) -> Times:
    spool = Spool()
    told: list[float] = []
    whole: list[float] = []

    def arrived(reply: RankReply) -> None:
        if reply.source == "ping" and reply.outcome is Outcome.OK:
            told.append(time.perf_counter() - began)

    def failed(doing: str, error: BaseException, trace: str) -> None:
        raise RuntimeError(f"{doing}: {error}\n{trace}")

    async with make_client(AttachOptions()) as client:
        lanes = Lanes(connections=connections_allowed())
        workers = [Worker(address, client, spool, lanes, WorkerListener()) for address in addresses]
        began = time.perf_counter()
        await fan_out(workers, budget_s=BUDGET_S, arrived=arrived, failed=failed)
        whole.append(time.perf_counter() - began)
        for worker in workers:
            await worker.close()
    spool.close()
    if len(told) != live:
        raise RuntimeError(f"{len(told)} of {live} live ranks answered")
    return Times(told[0], told[-1], whole[0])


async def aiohttp_sweep(addresses: list[RankAddress], live: int) -> Times:
    """The same three requests to each rank, without classes, budgets, events or bodies kept."""
    told: list[float] = []
    places = asyncio.Semaphore(FAST_SLOTS)

    async def ask(method: str, url: str) -> bytes | None:
        async with places:
            try:
                async with asyncio.timeout(PATIENCE_S), session.request(method, url) as response:
                    return await response.read()
            except TimeoutError:
                return None

    async def ping(address: RankAddress) -> bool:
        answered = await ask("POST", address.url + "/handler/ping") == b"pong"
        if answered:
            told.append(time.perf_counter() - began)
        return answered

    connector = aiohttp.TCPConnector(limit=0, force_close=True)
    async with aiohttp.ClientSession(connector=connector) as session:
        began = time.perf_counter()
        answered = await asyncio.gather(*(ping(address) for address in addresses))
        there = [address for address, alive in zip(addresses, answered, strict=True) if alive]
        await asyncio.gather(*(ask("GET", address.url + "/handler/") for address in there))
        await asyncio.gather(*(ask("POST", address.url + "/handler/dump_traceback") for address in there))
        whole = time.perf_counter() - began
    if len(told) != live:
        raise RuntimeError(f"{len(told)} of {live} live ranks answered")
    return Times(told[0], told[-1], whole)


async def compare(ranks: int, rounds: int) -> None:
    async with running_demo(ranks, SCENARIO) as demo:
        async with StoreClient(demo.host, demo.port, timeout_s=10) as store:
            registry = await read_registry(store, world_size=None, ranks=None, address_map=AddressMap())
        addresses = [address for address in registry.addresses if address.url]
        live = ranks - sum(len(sick) for sick in SCENARIOS[SCENARIO].culprits(ranks).values())
        ours: list[Times] = []
        bare: list[Times] = []
        for _ in range(rounds):
            bare.append(await aiohttp_sweep(addresses, live))
            ours.append(await xpudbg_sweep(addresses, live))
    print(
        f"{ranks} ranks, {ranks - live} never answer, {FAST_SLOTS} at a time, {rounds} rounds, median (min-max) seconds"
    )
    for name, times in (("bare aiohttp", bare), ("xpudbg", ours)):
        row = [_spread([getattr(one, field) for one in times]) for field in ("first", "last_live", "whole")]
        print(f"  {name:<13} first rank {row[0]}   all live ranks {row[1]}   three requests to each {row[2]}")
    for field, name, goal in (("first", "first rank told", 0.3), ("last_live", "all live ranks told", 2.0)):
        mine, theirs = (statistics.median(getattr(one, field) for one in times) for times in (ours, bare))
        record(f"{ranks:,} ranks: {name}", mine, "s", peer=theirs, against="bare aiohttp", at_most=goal)
    ratios = [one.last_live / other.last_live for one, other in zip(ours, bare, strict=True)]
    print(f"  ratio xpudbg / bare aiohttp, all live ranks told: {_spread(ratios)}")


def _spread(values: list[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f}-{max(values):.2f})"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    asyncio.run(compare(chosen.ranks, chosen.rounds))
