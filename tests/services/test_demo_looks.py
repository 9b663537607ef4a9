"""The program's whole path against the demo cluster: classes are those of the scenario, budgets are kept."""

from __future__ import annotations

import asyncio
import queue
import time

import pytest

from xpudbg.services import events
from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.engine import Engine
from xpudbg.services.history import APART_S
from xpudbg.services.ranksets import RankSet
from xpudbg.services.session import Session
from xpudbg.services.simulate.launch import running_demo
from xpudbg.services.simulate.scenarios import SCENARIOS
from xpudbg.services.snapshot import RankClass
from xpudbg.services.stack_findings import STUCK_STACK
from xpudbg.services.targets import DemoTarget, StoreTarget, Target

STUCK_HANDLERS = {RankClass.STOPPED: "ping", RankClass.GIL_HELD: "dump_traceback"}


BY_OTHERS = (STUCK_STACK, "not_joined")
"""Kinds that are told by who waits, not by the class of the rank; nobody waits for an only rank."""


class Looking:
    """An engine on a target, and the session that its events make."""

    def __init__(self, engine: Engine, target: Target, timeout_s: float) -> None:
        self.engine = engine
        self.session = Session()
        engine.attach(target, AttachOptions(timeout_s=timeout_s))

    def look(self) -> None:
        """The next look, to its end."""
        self.engine.look()
        self.until(events.LookClosed)

    def until(self, kind: type) -> None:
        while True:
            event = self.engine.events.get(timeout=60)
            self.session.apply(event)
            assert not isinstance(event, events.TargetFailed | events.EngineFailed), event
            if isinstance(event, kind):
                return

    def classes(self) -> dict[RankClass, RankSet]:
        found: dict[RankClass, list[int]] = {}
        for rank, state in self.session.ranks.items():
            if state.rank_class is not RankClass.ALIVE:
                found.setdefault(state.rank_class, []).append(rank)
        return {rank_class: RankSet(ranks) for rank_class, ranks in found.items()}


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("ranks", [1, None])
def test_every_scenario_s_culprits_are_found_and_nobody_else(name: str, ranks: int | None) -> None:
    scenario = SCENARIOS[name]
    with Engine() as engine:
        looking = Looking(engine, DemoTarget(ranks, name), timeout_s=1.5)
        looking.until(events.LookClosed)
        time.sleep(APART_S)  # looks too close together are not compared
        looking.look()
        expected = scenario.culprits(ranks or scenario.default_ranks)
        if ranks == 1:
            expected = {kind: found for kind, found in expected.items() if kind not in BY_OTHERS}
        by_class = {rank_class.value: found for rank_class, found in looking.classes().items()}
        assert by_class == {kind: culprits for kind, culprits in expected.items() if kind not in BY_OTHERS}
        findings = looking.session.verdict.findings
        assert {finding.kind: finding.culprits for finding in findings} == expected


async def test_twenty_looks_at_sick_ranks_keep_the_budget_and_classes_and_the_ranks_recover() -> None:
    async with running_demo(64, "mixed") as demo:
        expected = SCENARIOS["mixed"].culprits(64)
        with Engine() as engine:
            looking = Looking(engine, StoreTarget(demo.host, demo.port), timeout_s=0.5)
            await asyncio.to_thread(looking.until, events.LookClosed)
            for _ in range(19):
                await asyncio.to_thread(looking.look)
                assert {kind.value: found for kind, found in looking.classes().items()} == expected
            for rank_class, handler in STUCK_HANDLERS.items():
                for rank in expected[rank_class]:
                    assert looking.session.ranks[rank].stuck == (handler,)
            counts = await demo.counts()
            assert {most["maximum"] for handlers in counts.values() for most in handlers.values()} == {1}
            assert counts[0]["ping"]["total"] == 20
            (gil_holder,) = expected[RankClass.GIL_HELD]
            assert counts[gil_holder]["dump_traceback"]["total"] == 1
            assert set((await demo.queued()).values()) == {1}  # the one ping in the stopped rank's listen queue

            (stopped,) = expected[RankClass.STOPPED]
            await demo.release([stopped, gil_holder])
            await asyncio.to_thread(looking.look)
            assert looking.session.ranks[stopped].rank_class is RankClass.ALIVE
            assert looking.session.ranks[gil_holder].rank_class is RankClass.ALIVE
            assert looking.session.ranks[stopped].stuck == ()
            await demo.stop([stopped])
            await asyncio.to_thread(looking.look)
            assert looking.session.ranks[stopped].rank_class is RankClass.STOPPED


def test_the_demo_ends_with_the_attachment() -> None:
    with Engine() as engine:
        looking = Looking(engine, DemoTarget(2, "healthy"), timeout_s=5)
        looking.until(events.LookClosed)
        url = looking.session.ranks[0].address.url
        engine.detach()
        looking.until(events.TargetClosed)
        engine.attach(looking_at(url), AttachOptions(timeout_s=5))
        looking.until(events.LookClosed)
        assert looking.session.ranks[0].rank_class is RankClass.DEAD
        with pytest.raises(queue.Empty):
            engine.events.get_nowait()


def looking_at(url: str) -> Target:
    from xpudbg.services.targets import parse_target

    target = parse_target([url], {})
    assert target is not None
    return target
