"""Captures through the engine, on real sockets: what comes of each rank, whatever the others do."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from tests.fakes.raw_server import RawServer, Serve, refused_port, response
from tests.fakes.traces import trace_text
from xpudbg.services import events
from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.engine import Engine
from xpudbg.services.profiles import capture, orders
from xpudbg.services.profiles.events import HandedOver, ProfileSaid, SavedListed, SetOpened, TraceChanged
from xpudbg.services.profiles.profiles import Profiles
from xpudbg.services.profiles.saved import FOLDER_VARIABLE
from xpudbg.services.profiles.trace_set import TraceState
from xpudbg.services.profiles.work import ProfileWork
from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import RankAddress
from xpudbg.services.targets import WorkersTarget

HANDLERS = json.dumps(["ping", "torch_profile"]).encode()
"""No other handler: a look asks these ranks for nothing else."""


def rank_server(profile: Serve, handlers: bytes = HANDLERS) -> Serve:
    """A rank whose profiler answers like `profile`."""

    async def serve(path: str, writer: asyncio.StreamWriter) -> None:
        if path.startswith("/handler/torch_profile"):
            await profile(path, writer)
        else:
            writer.write(response(b"pong" if "ping" in path else handlers))

    return serve


def whole(rank: int) -> Serve:
    async def serve(path: str, writer: asyncio.StreamWriter) -> None:
        assert path == "/handler/torch_profile?duration=0.1"
        writer.write(response(trace_text(3, rank).encode()))

    return serve


async def refuses(_path: str, writer: asyncio.StreamWriter) -> None:
    writer.write(response(b"RuntimeError: no", status="500 Internal Server Error"))


async def no_trace(_path: str, writer: asyncio.StreamWriter) -> None:
    writer.write(response(b"<html>hello</html>"))


async def breaks_off(_path: str, writer: asyncio.StreamWriter) -> None:
    text = trace_text(3, 1).encode()
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(text) + text[: len(text) // 2])


class Cluster:
    """Raw servers on a thread of their own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.servers: list[RawServer] = []

    def serve(self, *serves: Serve) -> WorkersTarget:
        for serve in serves:
            server = RawServer(serve)
            asyncio.run_coroutine_threadsafe(server.start(), self._loop).result(20)
            self.servers.append(server)
        return WorkersTarget(tuple(address(rank, server.port) for rank, server in enumerate(self.servers)))

    def call(self, function: Callable[[], object]) -> None:
        self._loop.call_soon_threadsafe(function)

    def asked(self, rank: int) -> int:
        return sum(count for path, count in self.servers[rank].requests.items() if "torch_profile" in path)

    def wait_for(self, rank: int) -> None:
        """Until a rank has been asked for a profile."""
        arrived = self.servers[rank].until(lambda: bool(self.asked(rank)))
        asyncio.run_coroutine_threadsafe(arrived, self._loop).result(20)

    def close(self) -> None:
        for server in self.servers:
            asyncio.run_coroutine_threadsafe(server.close(), self._loop).result(20)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(20)
        self._loop.close()


def address(rank: int, port: int) -> RankAddress:
    url = f"http://127.0.0.1:{port}"
    return RankAddress(rank, url, url, "127.0.0.1")


class Profiling:
    """An engine on a cluster, and the profiler's state."""

    def __init__(self, engine: Engine, target: WorkersTarget) -> None:
        self.engine, self.profiles = engine, Profiles()
        engine.attach(target, AttachOptions(timeout_s=1.0))
        self.until(lambda event: isinstance(event, events.LookClosed))

    def until(self, wanted: Callable[[events.Event], bool]) -> events.Event:
        while True:
            event = self.engine.events.get(timeout=20)
            assert not isinstance(event, events.EngineFailed), event
            if hasattr(event, "__module__") and "profiles.events" in type(event).__module__:
                self.profiles.apply(event)  # type: ignore[arg-type]
            if wanted(event):
                return event

    def until_read(self, *paths: Path) -> None:
        """Until these traces have been read."""
        while not set(paths) <= set(self.profiles.summaries):
            self.until(lambda _event: True)

    def capture(self, ranks: RankSet, seconds: float = 0.1) -> None:
        """One capture, to its end."""
        self.engine.profile(orders.Capture(ranks, seconds))
        self.until(lambda event: isinstance(event, SavedListed))

    def states(self) -> dict[int, TraceState]:
        assert self.profiles.shown is not None
        return {rank: row.state for rank, row in self.profiles.shown.rows.items()}

    def error(self, rank: int) -> str:
        assert self.profiles.shown is not None
        return self.profiles.shown.rows[rank].error


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    made = Cluster()
    yield made
    made.close()


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "captures"))
    monkeypatch.setattr(capture, "GRACE_S", 0.3)
    with Engine() as running:
        yield running


def test_each_rank_gives_what_it_can(cluster: Cluster, engine: Engine, tmp_path: Path) -> None:
    released = asyncio.Event()

    async def hangs(_path: str, writer: asyncio.StreamWriter) -> None:
        await released.wait()
        writer.write(response(trace_text(3, 4).encode()))

    without = rank_server(whole(6), json.dumps(["ping"]).encode())
    serves = [rank_server(one) for one in (whole(0), breaks_off, refuses, no_trace, hangs)]
    target = cluster.serve(*serves, rank_server(whole(5)), without)
    closed = refused_port()
    dead = address(6, closed.getsockname()[1])
    target = WorkersTarget((*target.workers[:6], dead, address(7, cluster.servers[6].port)))
    job = Profiling(engine, target)
    job.capture(RankSet(range(9)))
    assert job.states() == {
        0: TraceState.DONE,
        1: TraceState.CUT,
        2: TraceState.FAILED,
        3: TraceState.FAILED,
        4: TraceState.FAILED,
        5: TraceState.DONE,
        6: TraceState.FAILED,
        7: TraceState.NOT_ASKED,
        8: TraceState.NOT_ASKED,
    }
    assert job.error(1) == "closed the connection before the whole answer was there"
    assert job.error(2) == "HTTP 500: RuntimeError: no"
    assert job.error(3) == "what it sent is no trace: '<html>hello</html>'"
    assert job.error(4).endswith(": a rank that hangs gives no profile; the request stays with it")
    assert job.error(6) == "connection refused: nothing listens on its port"
    assert job.error(7) == "it has no handler torch_profile"
    assert job.error(8) == "no address of it is known"
    (folder,) = (tmp_path / "captures").iterdir()
    assert {path.name for path in folder.iterdir()} >= {
        "rank-00000.json.gz",
        "rank-00001.json.gz",
        "rank-00005.json.gz",
    }
    assert gzip.decompress((folder / "rank-00005.json.gz").read_bytes()) == trace_text(3, 5).encode()
    assert job.profiles.shown is not None
    assert job.profiles.shown.spread_s is not None
    row = job.profiles.shown.rows[0]
    assert (row.received, row.stored) == (len(trace_text(3, 0)), (folder / "rank-00000.json.gz").stat().st_size)

    job.capture(RankSet([4]))  # it has not answered the first one: it is not asked again
    assert job.states() == {4: TraceState.NOT_ASKED}
    assert cluster.asked(4) == 1
    cluster.call(released.set)
    job.until(lambda event: isinstance(event, TraceChanged) and event.row.state is TraceState.DONE)
    late = folder / "rank-00004.json.gz"
    job.until_read(late)
    assert job.profiles.summaries[late].rank == 4
    assert not [path for path in folder.iterdir() if path.name.endswith(".part")]
    closed.close()


def test_a_capture_that_is_ended_keeps_what_came(cluster: Cluster, engine: Engine, tmp_path: Path) -> None:
    released = asyncio.Event()

    async def waits(_path: str, writer: asyncio.StreamWriter) -> None:
        await released.wait()
        writer.write(response(trace_text(3, 1).encode()))

    job = Profiling(engine, cluster.serve(rank_server(whole(0)), rank_server(waits)))
    engine.profile(orders.Capture(RankSet([0, 1]), 0.1))
    job.until(lambda event: isinstance(event, TraceChanged) and event.row.state is TraceState.DONE)
    cluster.wait_for(1)
    engine.profile(orders.Capture(RankSet([0]), 0.1))
    said = job.until(lambda event: isinstance(event, ProfileSaid))
    assert said == ProfileSaid("a capture is under way (x ends it)")
    engine.profile(orders.CancelCapture())
    job.until(lambda event: isinstance(event, SavedListed))
    assert job.states() == {0: TraceState.DONE, 1: TraceState.CANCELLED}
    assert job.profiles.capturing is None
    cluster.call(released.set)
    job.until(lambda event: isinstance(event, events.LateReply))
    (folder,) = (tmp_path / "captures").iterdir()
    assert sorted(path.name for path in folder.iterdir()) == ["capture.json", "rank-00000.json.gz"]


def test_a_capture_of_which_nothing_came_leaves_no_folder(cluster: Cluster, engine: Engine, tmp_path: Path) -> None:
    released = asyncio.Event()

    async def begins(_path: str, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + trace_text(3, 1).encode()[:900])
        await writer.drain()
        await released.wait()

    async def late(_path: str, writer: asyncio.StreamWriter) -> None:
        await released.wait()
        writer.write(response(b"no", status="500 Internal Server Error"))

    job = Profiling(engine, cluster.serve(*(rank_server(one) for one in (refuses, begins, late))))
    job.capture(RankSet([0]))
    assert job.states() == {0: TraceState.FAILED}
    assert list((tmp_path / "captures").iterdir()) == []
    engine.profile(orders.Capture(RankSet([1]), 30.0))
    cluster.wait_for(1)
    engine.profile(orders.CancelCapture())
    job.until(lambda event: isinstance(event, SavedListed))
    assert job.states() == {1: TraceState.CANCELLED}
    assert list((tmp_path / "captures").iterdir()) == []
    job.capture(RankSet([2]))
    (folder,) = (tmp_path / "captures").iterdir()  # its trace may come late
    assert [path.name for path in folder.iterdir()] == ["capture.json"]
    cluster.call(released.set)
    job.until(lambda event: isinstance(event, events.LateReply) and event.reply.rank == 2)
    engine.detach()
    job.until(lambda event: isinstance(event, events.TargetClosed))
    assert list((tmp_path / "captures").iterdir()) == []


def test_progress_is_told_and_a_large_trace_goes_to_the_disk(cluster: Cluster, engine: Engine) -> None:
    text = trace_text(400, 0).encode()

    async def large(_path: str, writer: asyncio.StreamWriter) -> None:
        writer.write(response(text))

    job = Profiling(engine, cluster.serve(rank_server(large)))
    engine.profile(orders.Capture(RankSet([0]), 0.1))
    seen = [job.until(lambda event: isinstance(event, TraceChanged)) for _ in range(3)]
    assert [event.row.state for event in seen if isinstance(event, TraceChanged)] == [
        TraceState.ASKED,
        TraceState.RECEIVING,
        TraceState.RECEIVING,
    ]
    job.until(lambda event: isinstance(event, SavedListed))
    assert job.profiles.shown is not None
    assert job.profiles.shown.rows[0].received == len(text)


def test_an_answer_that_has_begun_may_take_longer(cluster: Cluster, engine: Engine) -> None:
    text = trace_text(3, 0).encode()

    async def slow(_path: str, writer: asyncio.StreamWriter) -> None:
        whole = response(text)
        writer.write(whole[:-100])
        await asyncio.sleep(0.8)  # the rank's own pace: twice what it has until its answer begins
        writer.write(whole[-100:])

    job = Profiling(engine, cluster.serve(rank_server(slow)))
    job.capture(RankSet([0]))
    assert job.states() == {0: TraceState.DONE}
    assert job.profiles.shown is not None
    assert job.profiles.shown.rows[0].took_s is not None
    assert job.profiles.shown.rows[0].took_s > 0.4


def test_a_saved_capture_is_listed_and_opened_again(cluster: Cluster, engine: Engine) -> None:
    job = Profiling(engine, cluster.serve(rank_server(whole(0)), rank_server(whole(1))))
    job.capture(RankSet([0, 1]))
    assert job.profiles.saved is not None
    (saved,) = job.profiles.saved
    assert (saved.traces, saved.duration_s) == (2, 0.1)
    assert saved.target.startswith("2 workers from http://127.0.0.1:")
    engine.detach()
    engine.profile(orders.OpenTraces((saved.folder,)))
    job.until(lambda event: isinstance(event, SetOpened))
    job.until_read(*(saved.folder / f"rank-0000{rank}.json.gz" for rank in range(2)))
    assert job.profiles.read_ranks() == [0, 1]
    assert job.states() == {0: TraceState.DONE, 1: TraceState.DONE}
    engine.profile(orders.OpenTraces((saved.folder / "none.json",)))
    said = job.until(lambda event: isinstance(event, ProfileSaid))
    assert said == ProfileSaid(f"{saved.folder / 'none.json'} is no file")


def test_without_a_job_there_is_nothing_to_capture(engine: Engine) -> None:
    engine.profile(orders.Capture(RankSet([0]), 1.0))
    assert engine.events.get(timeout=20) == ProfileSaid("nothing is attached that could be profiled")


def test_a_folder_that_cannot_be_made_is_told_before_a_rank_is_asked(
    cluster: Cluster, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "file" / "captures"))
    job = Profiling(engine, cluster.serve(rank_server(whole(0))))
    engine.profile(orders.Capture(RankSet([0]), 0.1))
    said = job.until(lambda event: isinstance(event, ProfileSaid))
    assert isinstance(said, ProfileSaid)
    assert said.text.startswith(f"no folder can be made in {tmp_path / 'file' / 'captures'}: ")
    assert FOLDER_VARIABLE in said.text
    assert cluster.asked(0) == 0


@pytest.mark.parametrize("browser", [True, False], ids=["a browser", "no browser"])
async def test_chosen_ranks_are_handed_to_perfetto(tmp_path: Path, browser: bool) -> None:
    told: asyncio.Queue[object] = asyncio.Queue()
    failures: list[BaseException] = []
    work = ProfileWork(
        told.put_nowait,
        lambda _doing, error: failures.append(error),
        lambda: None,
        folder=tmp_path,
        browser=lambda _url: browser,
    )
    traces = []
    for rank in range(2):
        path = tmp_path / f"rank-{rank}.json"
        path.write_text(trace_text(2, rank))
        traces.append((rank, path))
    work.carry_out(orders.HandToPerfetto(tuple(traces), None))
    handed = None
    while not isinstance(handed, HandedOver):
        handed = await asyncio.wait_for(told.get(), 20)
    merged = handed.path.read_bytes()
    assert (handed.path, handed.opened) == (tmp_path / "merged-0-1.json.gz", browser)
    assert {
        one["args"]["name"]
        for one in json.loads(gzip.decompress(merged))["traceEvents"]
        if one["name"] == "process_name"
    } == {f"rank {rank} {pid}" for rank in range(2) for pid in (900 + rank, 0)}
    if browser:
        async with httpx.AsyncClient(trust_env=False) as client:
            assert (await client.get(handed.url)).status_code == 200
            assert (await client.get(handed.url + "trace")).content == merged
        assert await asyncio.wait_for(told.get(), 20) == ProfileSaid("Perfetto has the trace")
    else:
        assert handed.url == ""
    await work.close()
    assert failures == []


def test_a_target_that_is_let_go_of_leaves_nothing_half_done(cluster: Cluster, engine: Engine, tmp_path: Path) -> None:
    released = asyncio.Event()

    async def hangs(_path: str, writer: asyncio.StreamWriter) -> None:
        await released.wait()
        writer.write(response(trace_text(3, 0).encode()))

    async def begins(_path: str, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + trace_text(3, 1).encode()[:900])
        await writer.drain()
        await released.wait()

    job = Profiling(engine, cluster.serve(rank_server(hangs), rank_server(begins)))
    engine.profile(orders.Capture(RankSet.full(2), 30.0))
    for rank in range(2):
        cluster.wait_for(rank)
    engine.detach()
    job.until(lambda event: isinstance(event, events.TargetClosed))
    job.until(lambda _event: job.profiles.shown is not None and not job.profiles.shown.under_way)
    cluster.call(released.set)
    assert job.states() == {0: TraceState.CANCELLED, 1: TraceState.CANCELLED}
    assert [path.name for path in (tmp_path / "captures").rglob("*.gz*")] == []
    again = Profiling(engine, WorkersTarget(tuple(address(rank, cluster.servers[rank].port) for rank in range(2))))
    again.engine.profile(orders.CancelCapture())
    assert cluster.asked(0) == cluster.asked(1) == 1
