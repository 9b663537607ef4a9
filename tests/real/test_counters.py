"""Wait counters of real PyTorch processes, through the engine as the screens use it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.real.attached import Attached, store_of
from tests.real.beside import GARBAGE, beside, gigabyte, rank_server, with_real_ranks
from tests.real.job import RealJob, real_job
from xpudbg.services.counters.metrics import Metric
from xpudbg.services.counters.over_looks import cell_of
from xpudbg.services.engine import Engine
from xpudbg.services.findings import Confidence, Severity
from xpudbg.services.ranksets import RankSet

pytestmark = pytest.mark.torch

WAIT, GET, SET = (f"pytorch.wait_counter.TCPStore__{name}" for name in ("wait", "get", "set"))


@pytest.mark.parametrize(("how", "name"), [("wait", WAIT), ("get", GET)])
def test_a_rank_that_waits_in_the_store_shows_it_until_it_is_over(
    how: str, name: str, job: RealJob, engine: Engine
) -> None:
    attached = Attached(engine, store_of(job))
    session = attached.session
    assert session.counters.ranks == RankSet(range(4))
    assert not session.counters.active_ranks
    job.tell(1, f"store {how} never/set")
    job.expect(1, "asking the store")
    while not session.counters.active_ranks:
        attached.look()
    title = name.removeprefix("pytorch.wait_counter.")
    assert (title, 1) in session.counters.waiting_in(1)
    attached.look_apart()
    assert session.counters.active_ranks == RankSet([1])
    assert list(session.counters.waits) == [1]
    assert session.counters.waits[1].startswith("TCPStore__")
    job.tell(0, "set never/set")
    job.expect(1, "done store")
    attached.look_apart()
    assert not session.counters.active_ranks
    assert not session.counters.waits
    rate = cell_of(session.counters, Metric.WAITED, 1, name)
    assert rate is not None
    assert rate > 0


def test_a_rank_that_others_wait_for_and_that_waits_in_the_store_is_not_accused_outright(
    job: RealJob, engine: Engine
) -> None:
    for rank in (0, 2, 3):
        job.tell(rank, "in world all_reduce")
    job.tell(1, "store wait never/set")
    job.expect(1, "asking the store")
    attached = Attached(engine, store_of(job))
    attached.look_apart()
    attached.look_apart()
    assert attached.session.counters.waits == {1: "TCPStore__wait"}
    accused = [one for one in attached.session.verdict.findings if 1 in one.culprits]
    assert accused
    assert all(one.confidence is Confidence.POSSIBLE for one in accused)
    said = [evidence.text for one in accused for evidence in one.evidence]
    assert any("waits in TCPStore__wait now" in text for text in said)


@pytest.mark.parametrize("how", ["wait", "get"])
def test_without_recorder_stacks_do_not_accuse_one_that_waits_in_the_store(
    how: str, torch_python: str, tmp_path: Path, engine: Engine
) -> None:
    with real_job(torch_python, tmp_path, world_size=3, recorder=False) as job:
        for rank in (0, 2):
            job.tell(rank, "in world all_reduce")
        job.tell(1, f"store {how} never/set")
        job.expect(1, "asking the store")
        attached = Attached(engine, store_of(job))
        for _ in range(3):
            attached.look_apart()
        assert list(attached.session.counters.waits) == [1]
        for one in attached.session.verdict.findings:
            assert not (1 in one.culprits and one.severity is Severity.CRITICAL), one


def test_counters_of_the_others_come_while_one_rank_is_stopped_and_one_dead(job: RealJob, engine: Engine) -> None:
    job.stop(2)
    job.kill(3)
    attached = Attached(engine, store_of(job))
    attached.look_apart()
    counters = attached.session.counters
    assert counters.ranks == RankSet([0, 1])
    assert set(counters.missing) == {2, 3}
    assert counters.missing[2].startswith("ping: ")
    assert cell_of(counters, Metric.CALLS, 0, SET) is not None
    assert attached.session.ranks[2].stuck == ("ping",)


def test_garbage_and_a_gigabyte_beside_real_ranks_cost_those_two_alone(job: RealJob, engine: Engine) -> None:
    attached = Attached(engine, store_of(job))
    said = {"/handler/ping": b"pong", "/handler/": b'["ping", "wait_counter_values"]'}
    with beside(rank_server(GARBAGE, said), rank_server(gigabyte(), said)) as servers:
        mixed = Attached(engine, with_real_ranks(attached, servers))
    counters = mixed.session.counters
    assert counters.ranks == RankSet(range(4))
    assert "not JSON" in counters.missing[4]
    assert "gave up after" in counters.missing[5]
