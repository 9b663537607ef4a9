"""The program's whole path against the demo cluster: classes are those of the scenario, budgets are kept."""

from __future__ import annotations

import asyncio
import queue
import time

import pytest

from xpudbg.services import events
from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.engine import Engine
from xpudbg.services.judging.history import APART_S
from xpudbg.services.judging.stack_findings import STUCK_STACK
from xpudbg.services.ranksets import RankSet
from xpudbg.services.session import Session
from xpudbg.services.simulate.launch import running_demo
from xpudbg.services.simulate.scenarios import SCENARIOS
from xpudbg.services.snapshot import RankClass
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
        looking = Looking(engine, DemoTarget(ranks, name), timeout_s=1.0)
        looking.until(events.LookClosed)
        if not scenario.culprits(16) or scenario.culprits(16).keys() & set(BY_OTHERS):
            time.sleep(APART_S)  # who stands still is told by two looks that lie apart
            looking.look()
        expected = scenario.culprits(ranks or scenario.default_ranks)
        if ranks == 1:
            expected = {kind: found for kind, found in expected.items() if kind not in BY_OTHERS}
        by_class = {rank_class.value: found for rank_class, found in looking.classes().items()}
        assert by_class == {kind: culprits for kind, culprits in expected.items() if kind in set(RankClass)}
        findings = looking.session.verdict.findings
        assert {finding.kind: finding.culprits for finding in findings} == expected


@pytest.mark.parametrize("name", ["stopped", "gil-held"])
async def test_twenty_looks_at_a_sick_rank_keep_the_budget_and_the_class_and_it_recovers(name: str) -> None:
    async with running_demo(16, name) as demo:
        ((kind, culprits),) = SCENARIOS[name].culprits(16).items()
        rank_class = RankClass(kind)
        handler = STUCK_HANDLERS[rank_class]
        (sick,) = culprits
        with Engine() as engine:
            looking = Looking(engine, StoreTarget(demo.host, demo.port), timeout_s=1.0)
            await asyncio.to_thread(looking.until, events.LookClosed)
            for _ in range(19):
                await asyncio.to_thread(looking.look)
                assert looking.classes() == {rank_class: culprits}
            assert looking.session.ranks[sick].stuck == (handler,)
            counts = await demo.counts()
            assert {most["maximum"] for handlers in counts.values() for most in handlers.values()} == {1}
            assert counts[0]["ping"]["total"] == 20
            if rank_class is RankClass.GIL_HELD:
                assert counts[sick]["dump_traceback"]["total"] == 1
            else:
                assert await demo.queued() == {sick: 1}  # the one ping, in its listen queue

            await demo.release([sick])
            await asyncio.to_thread(looking.look)
            assert looking.classes() == {}
            assert looking.session.ranks[sick].stuck == ()
            await demo.stop([sick])
            await asyncio.to_thread(looking.look)
            assert looking.classes() == {RankClass.STOPPED: culprits}


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


def test_an_older_look_of_a_job_is_shown_as_it_was_and_analysed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xpudbg.services.looks.book.ANALYSES_MEMORY", 1)
    with Engine() as engine:
        looking = Looking(engine, DemoTarget(8, "healthy"), timeout_s=1.0)
        session = looking.session
        looking.until(events.LookClosed)
        first = session.book.records[0]
        time.sleep(APART_S)  # what moves is told by two looks that lie apart
        looking.look()
        assert session.book.change(2) is not None
        assert session.verdict != first.verdict
        session.apply(events.LookShown(1))
        assert session.shown is not None
        assert session.shown.dropped
        assert (session.verdict, session.ranks, session.stacks.look_id) == (first.verdict, first.snapshot.ranks, 0)
        engine.analyse_again(session.shown.snapshot, None)
        looking.until(events.AnalysedAgain)
        assert (session.stacks.dumps, session.recorder.ranks) == (first.stacks.dumps, first.recorder.ranks)
        assert session.counters.ranks == first.counters.ranks == RankSet.full(8)
        session.apply(events.LookShown(None))
        assert (session.stacks.look_id, session.reading_again) == (2, "")
