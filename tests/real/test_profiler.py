"""Captures of real ranks, one of them stopped and one dead meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.raw_server import response, silent
from tests.real.attached import Attached, store_of
from tests.real.beside import GARBAGE, GIGABYTE, Memory, beside, gigabyte, rank_server, with_real_ranks
from tests.real.job import RealJob
from xpudbg.services import events
from xpudbg.services.engine import Engine
from xpudbg.services.profiles import capture, orders
from xpudbg.services.profiles.events import ProfileEvent
from xpudbg.services.profiles.profiles import Profiles
from xpudbg.services.profiles.repairs import Repair
from xpudbg.services.profiles.saved import FOLDER_VARIABLE
from xpudbg.services.profiles.trace_set import TraceState
from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import RankClass

pytestmark = pytest.mark.torch


def follow(attached: Attached, profiles: Profiles, done: Callable[[], object]) -> None:
    """Apply events until a condition holds."""
    while not done():
        event = attached.engine.events.get(timeout=60)
        assert not isinstance(event, events.EngineFailed), event
        if isinstance(event, ProfileEvent):
            profiles.apply(event)
        else:
            attached.session.apply(event)


def test_a_capture_of_a_job_with_a_stopped_and_a_dead_rank(
    job: RealJob, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "captures"))
    monkeypatch.setattr(capture, "GRACE_S", 30.0)
    attached, profiles = Attached(engine, store_of(job)), Profiles()
    job.stop(2)
    job.kill(3)
    job.tell(0, "busy 60")
    job.expect(0, "busy")
    engine.profile(orders.Capture(RankSet.full(4), 1.0))
    follow(attached, profiles, lambda: profiles.shown is not None and not profiles.shown.under_way)
    assert profiles.shown is not None
    rows = profiles.shown.rows
    assert {rank: row.state for rank, row in rows.items()} == {
        0: TraceState.DONE,
        1: TraceState.DONE,
        2: TraceState.FAILED,
        3: TraceState.FAILED,
    }
    assert rows[2].error.endswith("a rank that hangs gives no profile; the request stays with it")
    assert rows[3].error == "connection refused: nothing listens on its port"
    follow(attached, profiles, lambda: len(profiles.read_ranks()) == 2)
    summary = profiles.summary(0)
    assert summary is not None
    assert (summary.rank, summary.notes) == (0, ())
    assert summary.window >= 0.9e6
    assert summary.memberships is not None
    assert [str(group.ranks) for group in summary.memberships.groups] == ["0-3"]

    job.resume(2)  # what it owed comes late and is kept
    follow(attached, profiles, lambda: 2 in profiles.read_ranks())
    attached.look()
    assert attached.classes()[2] is RankClass.ALIVE


def test_collectives_of_a_moving_job(
    job: RealJob, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "captures"))
    attached, profiles = Attached(engine, store_of(job)), Profiles()
    for rank in range(4):
        job.tell(rank, "work 60 0.01")
        job.expect(rank, "working")
    engine.profile(orders.Capture(RankSet.full(4), 1.0))
    follow(attached, profiles, lambda: len(profiles.read_ranks()) == 4)
    for rank in range(4):
        summary = profiles.summary(rank)
        assert summary is not None
        assert summary.events > 0
        assert "all_reduce" in [row.name for row in summary.collectives]
        assert any(row.name == "c10d::allreduce_" for row in summary.operators)
    assert profiles.difference(0, None)
    attached.look()
    (one,) = attached.session.recorder.diagnoses.values()
    assert all(str(group.members) == "0-3" and not group.inferred for group in one.analysis.job.groups)


def test_garbage_and_a_gigabyte_beside_real_ranks_cost_those_alone(
    job: RealJob, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "captures"))
    attached, profiles = Attached(engine, store_of(job)), Profiles()
    said = {"/handler/ping": b"pong", "/handler/": b'["ping", "torch_profile"]'}
    answers = (GARBAGE, response(b'{"traceEvents": [\xff\x00{'), gigabyte(b'{"traceEvents": ['), gigabyte(b"\x00"))
    with beside(*(rank_server(answer, said) for answer in answers), rank_server(silent, said)) as servers:
        mixed = Attached(engine, with_real_ranks(attached, servers))
        job.kill(3)
        memory = Memory()
        engine.profile(orders.Capture(RankSet(range(9)), 1.0))
        follow(
            mixed,
            profiles,
            lambda: profiles.shown is not None and len(profiles.shown.failed) == 3 and len(profiles.shown.done) == 5,
        )
        shown = profiles.shown
        assert shown is not None
        assert shown.under_way  # one has not answered: it is waited for no longer
        engine.profile(orders.CancelCapture())
        follow(mixed, profiles, lambda: len(profiles.summaries) == 5)
        assert memory.grown_mib < 400
    assert profiles.shown is not None
    assert not profiles.shown.under_way
    rows = profiles.shown.rows
    assert [row.state for row in rows.values()] == [
        *[TraceState.DONE] * 3,
        TraceState.FAILED,
        TraceState.FAILED,
        TraceState.DONE,
        TraceState.DONE,
        TraceState.FAILED,
        TraceState.CANCELLED,
    ]
    assert rows[3].error == "connection refused: nothing listens on its port"
    assert rows[4].error == "what it sent is no trace: '\ufffd\\x00{'"
    assert rows[7].error.startswith("what it sent is no trace: ")
    assert (rows[6].received, rows[6].stored < GIGABYTE // 100) == (GIGABYTE, True)
    made = [summary for rank in (0, 1, 2, 5, 6) if (summary := profiles.summary(rank)) is not None]
    assert [summary.notes[:1] for summary in made] == [(), (), (), (Repair.CUT.value,), (Repair.TOO_LARGE.value,)]
    assert all(summary.window >= 0.9e6 for summary in made[:3])
    assert [summary.events for summary in made[3:]] == [0, 0]


def test_a_gigabyte_can_be_ended_in_the_middle(
    job: RealJob, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "captures"))
    attached, profiles = Attached(engine, store_of(job)), Profiles()
    said = {"/handler/ping": b"pong", "/handler/": b'["ping", "torch_profile"]'}
    with beside(rank_server(gigabyte(b'{"traceEvents": ['), said)) as servers:
        mixed = Attached(engine, with_real_ranks(attached, servers))
        engine.profile(orders.Capture(RankSet([4]), 0.1))
        follow(mixed, profiles, lambda: profiles.shown is not None and profiles.shown.rows[4].received)
        engine.profile(orders.CancelCapture())
        follow(mixed, profiles, lambda: profiles.saved is not None)
        assert profiles.shown is not None
        assert profiles.shown.rows[4].state is TraceState.CANCELLED
        assert profiles.saved == ()
        assert list((tmp_path / "captures").iterdir()) == []
        engine.profile(orders.Capture(RankSet([0]), 0.1))
        follow(mixed, profiles, lambda: profiles.read_ranks() == [0])
