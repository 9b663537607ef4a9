"""Each class of a rank on real PyTorch processes, through the engine as the screens use it."""

from __future__ import annotations

import urllib.request
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.real.attached import Attached, store_of
from tests.real.job import RealJob, real_job
from xpudbg.services import events
from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.engine import Engine
from xpudbg.services.findings import VerdictValue
from xpudbg.services.ranksets import RankSet
from xpudbg.services.session import Phase, Session
from xpudbg.services.snapshot import RankAddress, RankClass
from xpudbg.services.targets import WorkersTarget

pytestmark = pytest.mark.torch


def test_a_healthy_job_that_moves_is_ok(job: RealJob, engine: Engine) -> None:
    for rank in range(4):
        job.tell(rank, "train")
        job.expect(rank, "done train")
    attached = Attached(engine, store_of(job))
    for _ in range(3):
        attached.look()
        assert set(attached.classes().values()) == {RankClass.ALIVE}
        assert attached.session.verdict.value is VerdictValue.OK
        assert not attached.session.verdict.findings
        assert not attached.session.verdict.partial


def test_a_stopped_rank_stays_stopped_over_twenty_looks_and_is_alive_when_it_goes_on(
    job: RealJob, engine: Engine, bundled: Callable[[Attached], None]
) -> None:
    job.stop(2)
    attached = Attached(engine, store_of(job))
    for number in range(20):
        assert attached.classes() == {
            0: RankClass.ALIVE,
            1: RankClass.ALIVE,
            2: RankClass.STOPPED,
            3: RankClass.ALIVE,
        }, f"look {number}"
        assert attached.session.ranks[2].stuck == ("ping",)
        attached.look()
    (finding,) = attached.session.verdict.findings
    assert (finding.kind, finding.culprits) == ("stopped", RankSet([2]))
    bundled(attached)
    job.resume(2)
    attached.until_late(2)
    assert attached.session.ranks[2].rank_class is RankClass.ALIVE
    attached.look()
    assert set(attached.classes().values()) == {RankClass.ALIVE}
    assert attached.session.ranks[2].stuck == ()


def test_a_rank_that_holds_the_gil_over_twenty_looks_stays_as_reachable_as_before(job: RealJob, engine: Engine) -> None:
    attached = Attached(engine, store_of(job))
    assert attached.classes()[1] is RankClass.ALIVE
    job.tell(1, "gil 30")
    job.expect(1, "holding")
    for _ in range(20):
        attached.look()
        assert attached.classes()[1] is RankClass.GIL_HELD
        assert attached.session.ranks[1].stuck == ("dump_traceback",)
    (finding,) = attached.session.verdict.findings
    assert (finding.kind, finding.culprits) == ("gil_held", RankSet([1]))
    ping = urllib.request.Request(attached.session.ranks[1].address.url + "/handler/ping", method="POST")
    assert urllib.request.urlopen(ping, timeout=5).read() == b"pong"
    job.expect(1, "done gil")
    attached.look()
    assert attached.classes()[1] is RankClass.ALIVE
    assert attached.session.ranks[1].stuck == ()


def test_a_killed_rank_is_dead(job: RealJob, engine: Engine, bundled: Callable[[Attached], None]) -> None:
    attached = Attached(engine, store_of(job))
    job.kill(3)
    attached.look()
    assert attached.classes()[3] is RankClass.DEAD
    (finding,) = attached.session.verdict.findings
    assert (finding.kind, finding.culprits, finding.confidence) == ("dead", RankSet([3]), "certain")
    bundled(attached)


def test_the_end_of_the_rank_that_hosts_the_store_is_a_dead_rank_not_a_lost_target(
    job: RealJob, engine: Engine
) -> None:
    attached = Attached(engine, store_of(job))
    job.kill(0)
    attached.look()
    assert attached.classes()[0] is RankClass.DEAD
    assert attached.session.latest is not None
    assert "the store could not be read again" in attached.session.latest.notes[0]
    assert attached.session.phase is Phase.OPEN


def test_the_death_of_rank_0_is_told_from_a_stop_though_torch_s_page_keeps_its_ports_open(
    job: RealJob, engine: Engine
) -> None:
    attached = Attached(engine, store_of(job))
    job.kill(0, with_children=False)
    for _ in range(3):
        attached.look()
        assert attached.classes()[0] is RankClass.DEAD
        assert "forked from it" in attached.session.ranks[0].reason
    (finding,) = attached.session.verdict.findings
    assert (finding.kind, finding.culprits) == ("dead", RankSet([0]))


def test_a_stopped_rank_0_is_stopped_not_dead(job: RealJob, engine: Engine) -> None:
    attached = Attached(engine, store_of(job))
    job.stop(0)
    for _ in range(2):
        attached.look()
        assert attached.classes()[0] is RankClass.STOPPED
    job.resume(0)
    attached.until_late(0)
    attached.look()
    assert set(attached.classes().values()) == {RankClass.ALIVE}


def test_a_rank_that_never_registered(torch_python: str, engine: Engine, tmp_path: Path) -> None:
    with real_job(torch_python, tmp_path, world_size=3, roles={1: "skip-debug-server"}) as job:
        attached = Attached(engine, store_of(job))
        assert attached.classes() == {0: RankClass.ALIVE, 1: RankClass.NOT_REGISTERED, 2: RankClass.ALIVE}
        (finding,) = attached.session.verdict.findings
        assert (finding.kind, finding.culprits) == ("not_registered", RankSet([1]))


def test_another_server_on_the_port_of_a_rank(job: RealJob, engine: Engine) -> None:
    class Foreign(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            pass

    addresses = Attached(engine, store_of(job)).session.ranks
    foreign = HTTPServer(("127.0.0.1", 0), Foreign)
    Thread(target=foreign.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{foreign.server_port}"
    workers = (addresses[0].address, RankAddress(1, url, url, "127.0.0.1"))
    attached = Attached(engine, WorkersTarget(workers))
    assert attached.classes() == {0: RankClass.ALIVE, 1: RankClass.FOREIGN_PORT}
    foreign.shutdown()
    foreign.server_close()


def test_a_store_whose_process_is_stopped_says_so_and_does_not_hang(job: RealJob, engine: Engine) -> None:
    job.stop(0)
    attached = Attached(engine, store_of(job))
    assert attached.session.phase is Phase.FAILED
    assert attached.session.failure
    assert attached.session.hint
    job.resume(0)


def test_cancelling_a_look_on_a_stopped_rank_ends_it(job: RealJob, engine: Engine) -> None:
    job.stop(1)
    engine.attach(store_of(job), AttachOptions(timeout_s=600))
    session = Session()
    while session.under_way is None or session.under_way.waiting_for != RankSet([1]):
        session.apply(engine.events.get(timeout=60))
    engine.cancel()
    closed = False
    while not closed:
        event = engine.events.get(timeout=60)
        session.apply(event)
        closed = isinstance(event, events.LookClosed)
    assert session.latest is not None
    assert session.latest.cancelled
    job.resume(1)
