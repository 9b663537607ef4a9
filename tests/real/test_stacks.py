"""Where the ranks of real jobs are: merged stacks and stuck_stack, through the engine."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from tests.real.attached import Attached, store_of
from tests.real.job import RealJob
from xpudbg.services.cluster.probes import py_spy
from xpudbg.services.engine import Engine
from xpudbg.services.events import AskedReply
from xpudbg.services.findings import Confidence, Severity
from xpudbg.services.judging.stack_findings import place_of
from xpudbg.services.ranksets import RankSet

pytestmark = pytest.mark.torch

LONG = 300
"""Seconds for which a rank does something; longer than any test."""


def join(job: RealJob, *ranks: int) -> None:
    """These ranks enter an all_reduce."""
    for rank in ranks:
        job.tell(rank, "all_reduce 1")


def accused(attached: Attached) -> dict[str, RankSet]:
    return {one.kind: one.culprits for one in attached.session.verdict.findings if one.severity.accuses}


def until_waiting(attached: Attached, ranks: RankSet, inside: str) -> None:
    """Look until these ranks are inside a call: the command that led them there takes a moment."""
    for _ in range(50):
        mains = [attached.session.stacks.main(rank) for rank in ranks]
        if all(main is not None and any(frame.name == inside for frame in main.frames) for main in mains):
            return
        attached.look()
    raise AssertionError(f"ranks {ranks} never came to {inside}")


def test_a_rank_asleep_in_its_loader_while_the_others_wait(
    job: RealJob, engine: Engine, bundled: Callable[[Attached], None]
) -> None:
    job.tell(3, f"load {LONG}")
    job.expect(3, "loading")
    join(job, 0, 1, 2)
    attached = Attached(engine, store_of(job))
    until_waiting(attached, RankSet([0, 1, 2]), "all_reduce")
    attached.look_later()
    assert accused(attached) == {"not_joined": RankSet([3])}
    (finding,) = attached.session.verdict.findings
    assert finding.waiting == RankSet([0, 1, 2])
    assert "next_batch (jobs/trainer.py:" in finding.text
    assert finding.op == "gloo:all_reduce"
    assert attached.session.stacks.stuck.ranks == RankSet([3])
    assert attached.session.stacks.stuck.stuck[0].confidence is Confidence.LIKELY
    classes = attached.session.stacks.merged.classes
    assert [one.ranks for one in classes] == [RankSet([3]), RankSet([0, 1, 2])]
    bundled(attached)


def test_a_rank_that_holds_the_gil_is_shown_with_its_line_and_once(
    job: RealJob, engine: Engine, bundled: Callable[[Attached], None]
) -> None:
    job.tell(1, f"gil {LONG}")
    job.expect(1, "holding")
    join(job, 0, 2, 3)
    attached = Attached(engine, store_of(job))
    until_waiting(attached, RankSet([0, 2, 3]), "all_reduce")
    attached.look_apart()
    assert accused(attached) == {"gil_held": RankSet([1])}
    (finding,) = attached.session.verdict.findings
    assert "hold_the_gil (trainer.py:" in finding.text
    assert finding.waiting == RankSet([0, 2, 3])
    bundled(attached)


def test_a_rank_in_a_loop_of_its_own_is_not_hidden(job: RealJob, engine: Engine) -> None:
    """Its line changes, so nothing but stacks can't tell it from a slow step: it is shown, and not as likely."""
    job.tell(2, f"busy {LONG}")
    job.expect(2, "busy")
    join(job, 0, 1, 3)
    attached = Attached(engine, store_of(job))
    until_waiting(attached, RankSet([0, 1, 3]), "all_reduce")
    attached.look_later()
    assert set(accused(attached).values()) == {RankSet([2])}
    main = attached.session.stacks.main(2)
    assert main is not None
    assert place_of(main.frames).startswith("keep_busy (jobs/trainer.py:")
    assert attached.session.stacks.stuck.waiting_ranks == RankSet([0, 1, 3])


def test_a_recv_that_nobody_sends_to_is_shown_with_an_unknown_sender(job: RealJob, engine: Engine) -> None:
    job.tell(1, "recv 0")
    job.expect(1, "receiving")
    attached = Attached(engine, store_of(job))
    until_waiting(attached, RankSet([1]), "recv")
    attached.look_apart()
    (waiting,) = attached.session.stacks.stuck.receiving
    assert waiting.ranks == RankSet([1])
    assert waiting.site is not None
    assert not any(1 in one.culprits for one in attached.session.verdict.findings)


def test_an_idle_job_has_nothing_to_say(job: RealJob, engine: Engine) -> None:
    attached = Attached(engine, store_of(job))
    for _ in range(2):
        attached.look_apart()
        assert attached.session.verdict.findings == ()
    assert len(attached.session.stacks.merged.classes) == 1


@pytest.mark.parametrize("slow", [None, 0.8, 4.0])
def test_a_moving_job_has_nothing_to_say(job: RealJob, engine: Engine, slow: float | None) -> None:
    """Rank 2 is slow: at a look or two the others wait for it, as they have done at each step before."""
    for rank in range(4):
        job.tell(rank, f"work 60 {slow or 0.01 if rank == 2 else 0.01}")
        job.expect(rank, "working")
    if slow is not None and slow > 1:
        time.sleep(4.5 * slow)  # the job has to have been slow for some steps before that can be told from a hang
    attached = Attached(engine, store_of(job))
    for _ in range(7):
        attached.look_apart()
        serious = [one for one in attached.session.verdict.findings if one.severity is not Severity.INFO]
        assert serious == []


def test_py_spy_on_demand_with_native_frames(job: RealJob, engine: Engine) -> None:
    join(job, 0, 1, 2)
    attached = Attached(engine, store_of(job))
    engine.ask(RankSet([0]), py_spy(native=True))
    event = None
    while not isinstance(event, AskedReply):
        event = engine.events.get(timeout=60)
        attached.session.apply(event)
    reply = attached.session.asked[0, "pyspy_dump"]
    assert "all_reduce" in reply.body.text() or "ptrace" in reply.body.text().lower(), reply.error
