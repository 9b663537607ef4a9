"""Lanes: priority, order of coming, and that no place is lost when a waiter is cancelled."""

from __future__ import annotations

import asyncio

from xpudbg.services.cluster.lanes import Lane, Lanes


async def test_lower_stages_go_first_then_the_order_of_coming() -> None:
    lane = Lane(1)
    held = await lane.enter()
    order: list[str] = []

    async def work(name: str, priority: int) -> None:
        async with await lane.enter(priority):
            order.append(name)

    async with asyncio.TaskGroup() as group:
        for name, priority in [("late-a", 4), ("ping-a", 0), ("late-b", 4), ("ping-b", 0)]:
            group.create_task(work(name, priority))
        while len(lane._queue) < 4:
            await asyncio.sleep(0)
        held.leave()
    assert order == ["ping-a", "ping-b", "late-a", "late-b"]
    assert lane.free == 1


async def test_a_cancelled_waiter_loses_no_place() -> None:
    lane = Lane(1)
    held = await lane.enter()
    waiter = asyncio.ensure_future(lane.enter())
    other = asyncio.ensure_future(lane.enter())
    await asyncio.sleep(0)
    waiter.cancel()
    held.leave()
    (await other).leave()
    assert lane.free == 1


async def test_cancelled_at_the_moment_of_its_turn_it_passes_the_place_on() -> None:
    lane = Lane(1)
    held = await lane.enter()
    waiter = asyncio.ensure_future(lane.enter())
    await asyncio.sleep(0)
    held.leave()  # gives the place to the waiter, which has not run since
    waiter.cancel()
    await asyncio.gather(waiter, return_exceptions=True)
    assert lane.free == 1


async def test_leaving_twice_frees_one_place() -> None:
    lane = Lane(2)
    slot = await lane.enter()
    slot.leave()
    slot.leave()
    assert lane.free == 2


def test_both_lanes_fit_into_the_connections_allowed() -> None:
    for connections in (2, 16, 300, 20_000):
        lanes = Lanes(connections=connections)
        assert 1 <= lanes.fast.free <= 128
        assert lanes.fast.free + lanes.slow.free <= connections
