"""The engine as its consumers use it: commands from another thread, events in order, an end that is one."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.raw_server import RawServer, Serve, refused_port, worker_server
from xpudbg.services import events
from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.collect import Attachment
from xpudbg.services.engine import Engine
from xpudbg.services.ranksets import RankSet
from xpudbg.services.session import Phase, Session
from xpudbg.services.snapshot import RankAddress, RankClass
from xpudbg.services.spool import Spool
from xpudbg.services.targets import FilesTarget, StoreTarget, WorkersTarget


class Cluster:
    """Raw servers on a thread of their own, so that they answer whatever the engine's thread does."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.servers: list[RawServer] = []

    def serve(self, *serves: Serve) -> WorkersTarget:
        for serve in serves:
            server = RawServer(serve)
            self.run(server.start())
            self.servers.append(server)
        return WorkersTarget(tuple(self._address(rank) for rank in range(len(self.servers))))

    def run(self, work: object) -> object:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(20)  # type: ignore[arg-type]

    def call(self, function: object) -> None:
        self._loop.call_soon_threadsafe(function)  # type: ignore[arg-type]

    def close(self) -> None:
        for server in self.servers:
            self.run(server.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(20)
        self._loop.close()

    def _address(self, rank: int) -> RankAddress:
        url = f"http://127.0.0.1:{self.servers[rank].port}"
        return RankAddress(rank, url, url, "127.0.0.1")


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    made = Cluster()
    yield made
    made.close()


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine(spool=Spool(tmp_path)) as running:
        yield running


def follow(engine: Engine, session: Session, *kinds: type) -> list[events.Event]:
    """Apply events until one of these kinds."""
    seen: list[events.Event] = []
    while True:
        event = engine.events.get(timeout=20)
        session.apply(event)
        seen.append(event)
        if isinstance(event, kinds):
            return seen


def class_of(session: Session, rank: int) -> RankClass:
    return session.ranks[rank].rank_class


FAST = AttachOptions(timeout_s=1.0)
healthy = worker_server(stuck=set())


def test_events_of_an_attachment_come_in_order(cluster: Cluster, engine: Engine) -> None:
    session = Session()
    engine.attach(cluster.serve(healthy, healthy), FAST)
    seen = follow(engine, session, events.LookClosed)
    kinds = [type(event).__name__ for event in seen]
    assert kinds == ["TargetOpening", "TargetOpened", "LookStarted", *["ReplyArrived"] * 6, "Analysed", "LookClosed"]
    assert {state.rank_class for state in session.ranks.values()} == {RankClass.ALIVE}
    engine.detach()
    follow(engine, session, events.TargetClosed)
    assert session.phase is Phase.IDLE


def test_requests_and_answers_have_the_limits_that_a_person_chose(cluster: Cluster, engine: Engine) -> None:
    """An answer longer than one byte is too large; with one request at a time all ranks are asked all the same."""
    options = AttachOptions(timeout_s=30, parallel=1, largest_answer=1)
    engine.attach(cluster.serve(healthy, healthy), options)
    seen = follow(engine, Session(), events.LookClosed)
    replies = [event.reply for event in seen if isinstance(event, events.ReplyArrived)]
    assert {reply.rank for reply in replies} == {0, 1}
    assert any("the limit for ping is 1" in reply.error for reply in replies)
    assert isinstance(engine._attachment, Attachment)
    assert engine._attachment._lanes.fast.free == 1


def test_one_look_at_a_time(cluster: Cluster, engine: Engine) -> None:
    released = asyncio.Event()
    session = Session()
    engine.attach(cluster.serve(worker_server(stuck={"ping"}, released=released)), AttachOptions(timeout_s=30))
    follow(engine, session, events.LookStarted)
    for _ in range(5):
        engine.look()
    cluster.call(released.set)
    seen = follow(engine, session, events.LookClosed)
    assert not any(isinstance(event, events.LookStarted) for event in seen)
    assert cluster.servers[0].requests["/handler/ping"] == 1
    engine.look()
    follow(engine, session, events.LookClosed)
    assert [look.id for look in session.looks] == [1, 2]


def test_a_rank_that_answers_late_is_told_between_looks(cluster: Cluster, engine: Engine) -> None:
    released = asyncio.Event()
    session = Session()
    engine.attach(cluster.serve(worker_server(stuck={"ping"}, released=released), healthy), FAST)
    follow(engine, session, events.LookClosed)
    assert (session.ranks[0].rank_class, session.ranks[0].stuck) == (RankClass.STOPPED, ("ping",))
    cluster.call(released.set)
    follow(engine, session, events.LateReply)
    assert (session.ranks[0].rank_class, session.ranks[0].stuck) == (RankClass.ALIVE, ())


def test_cancel_closes_the_look_and_the_next_one_works(cluster: Cluster, engine: Engine) -> None:
    session = Session()
    released = asyncio.Event()
    target = cluster.serve(healthy, worker_server(stuck={"ping"}, released=released))
    engine.attach(target, AttachOptions(timeout_s=3600))
    while session.under_way is None or session.under_way.waiting_for != RankSet([1]):
        session.apply(engine.events.get(timeout=20))
    engine.cancel()
    follow(engine, session, events.LookClosed)
    assert session.latest is not None
    assert session.latest.cancelled
    assert class_of(session, 1) is RankClass.UNKNOWN
    assert session.ranks[1].stuck == ("ping",)
    cluster.call(released.set)
    follow(engine, session, events.LateReply)
    engine.look()
    follow(engine, session, events.LookClosed)
    assert class_of(session, 1) is RankClass.ALIVE


def test_attaching_again_lets_go_of_the_first_target(cluster: Cluster, engine: Engine) -> None:
    session = Session()
    target = cluster.serve(worker_server(stuck={"ping"}), healthy)
    engine.attach(target, AttachOptions(timeout_s=3600))
    follow(engine, session, events.LookStarted)
    cluster.run(cluster.servers[0].until(lambda: cluster.servers[0].open["/handler/ping"] == 1))
    engine.attach(WorkersTarget(target.workers[1:]), FAST)
    seen = follow(engine, session, events.TargetOpened)
    assert any(isinstance(event, events.TargetClosed) for event in seen)
    follow(engine, session, events.LookClosed)
    assert session.all_ranks == RankSet([1])
    cluster.run(cluster.servers[0].until(lambda: cluster.servers[0].open["/handler/ping"] == 0))


def test_with_a_world_size_ranks_that_nobody_named_are_not_registered(cluster: Cluster, engine: Engine) -> None:
    session = Session()
    engine.attach(cluster.serve(healthy), AttachOptions(timeout_s=1.0, world_size=3))
    follow(engine, session, events.LookClosed)
    assert {rank: state.rank_class for rank, state in session.ranks.items()} == {
        0: RankClass.ALIVE,
        1: RankClass.NOT_REGISTERED,
        2: RankClass.NOT_REGISTERED,
    }


def test_what_can_not_be_read_says_why_and_what_to_do(engine: Engine, tmp_path: Path) -> None:
    session = Session()
    with refused_port() as held:
        engine.attach(StoreTarget("127.0.0.1", held.getsockname()[1]), FAST)
        follow(engine, session, events.TargetFailed)
    assert session.phase is Phase.FAILED
    assert "refused" in session.failure
    assert session.hint
    engine.attach(FilesTarget((tmp_path,)), FAST)
    follow(engine, session, events.TargetFailed)
    assert session.failure.endswith(": no file in it")
    missing = tmp_path / "ca.pem"
    worker = RankAddress(0, "https://h:1", "https://h:1", "h")
    engine.attach(WorkersTarget((worker,)), AttachOptions(ca_file=missing))
    follow(engine, session, events.TargetFailed)
    assert str(missing) in session.failure


def test_a_defect_is_reported_and_the_engine_goes_on(
    cluster: Cluster, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session()

    async def broken(*_: object, **__: object) -> None:
        raise KeyError("a defect")

    with monkeypatch.context() as patched:
        patched.setattr("xpudbg.services.collect.fan_out", broken)
        engine.attach(cluster.serve(healthy), FAST)
        follow(engine, session, events.EngineFailed)
    assert "a defect" in session.faults[0].error
    assert "Traceback" in session.faults[0].trace
    engine.look()
    follow(engine, session, events.LookClosed)
    assert session.ranks[0].rank_class is RankClass.ALIVE


def test_a_defect_while_opening_leaves_no_consumer_waiting(
    cluster: Cluster, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise KeyError("a defect")

    monkeypatch.setattr("xpudbg.services.collect.Registry.of", broken)
    session = Session()
    engine.attach(cluster.serve(healthy), FAST)
    follow(engine, session, events.EngineFailed)
    assert session.phase is Phase.FAILED
    assert "a defect" in session.failure


def test_ranks_whose_keys_vanish_are_still_asked_and_that_is_said() -> None:
    from xpudbg.services.cluster.registry import Registry
    from xpudbg.services.collect import _with_vanished

    def address(rank: int, registered: str = "http://h:1") -> RankAddress:
        return RankAddress(rank, registered, registered, "h" if registered else "")

    before = Registry(3, (address(0), address(1), address(2)))
    kept, notes = _with_vanished(Registry(2, (address(0), address(1, ""))), before)
    assert [one.registered for one in kept.addresses] == ["http://h:1"] * 3
    assert kept.world_size == 3
    assert "ranks 1-2 have gone from the store" in notes[0]
    assert _with_vanished(before, before) == (before, ())


def test_stopping_ends_the_thread_the_connections_and_the_spool(cluster: Cluster, tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    engine = Engine(spool=spool)
    engine.start()
    engine.attach(cluster.serve(worker_server(stuck={"ping"})), AttachOptions(timeout_s=3600))
    cluster.run(cluster.servers[0].until(lambda: cluster.servers[0].open["/handler/ping"] == 1))
    assert spool.folder.exists()
    engine.stop()
    engine.stop()
    cluster.run(cluster.servers[0].until(lambda: cluster.servers[0].open["/handler/ping"] == 0))
    assert not any(thread.name == "xpudbg-engine" for thread in threading.enumerate())
    assert list(tmp_path.iterdir()) == []
    engine.look()


def test_stopping_while_a_target_opens(tmp_path: Path) -> None:
    """A store that accepts and says nothing must not hold up the end."""
    with contextlib.closing(socket.socket()) as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        engine = Engine(spool=Spool(tmp_path))
        engine.start()
        engine.attach(StoreTarget("127.0.0.1", silent.getsockname()[1]), AttachOptions(timeout_s=3600))
        silent.accept()[0].close()
        engine.stop()
    assert not any(thread.name == "xpudbg-engine" for thread in threading.enumerate())
