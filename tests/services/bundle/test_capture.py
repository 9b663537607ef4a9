"""Captures that go to their end, are interrupted, find no place, or are killed."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.fakes.raw_server import refused_port
from tests.services.bundle.making import replayed
from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.bundle.capture import Capture, CaptureOptions
from xpudbg.services.bundle.reader import open_bundle
from xpudbg.services.bundle.walk import CUT
from xpudbg.services.bundle.writer import BundleWriter
from xpudbg.services.engine import Engine
from xpudbg.services.session import Phase
from xpudbg.services.simulate.launch import running_demo
from xpudbg.services.targets import DemoTarget, StoreTarget

ROOT = Path(__file__).parents[3]
KILLS = int(os.environ.get("XPUDBG_KILLS", "6"))


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine() as running:
        yield running


def test_a_target_that_is_not_there_leaves_no_file(engine: Engine, tmp_path: Path) -> None:
    with refused_port() as closed:
        target = StoreTarget("127.0.0.1", closed.getsockname()[1])
        capture = Capture(engine, target, AttachOptions(), CaptureOptions(tmp_path / "a.xpudbg"))
        capture.run()
    assert capture.session.phase is Phase.FAILED
    assert not capture.written
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_ends_the_look_and_finishes_the_file(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "a.xpudbg"
    wanted = CaptureOptions(path, looks=100, interval_s=3600)
    capture = Capture(engine, DemoTarget(4, "healthy"), AttachOptions(), wanted)
    thread = threading.Thread(target=capture.run)
    thread.start()
    while not (capture.looks and capture.size > 2_000):  # the first look has come, and an hour is waited
        thread.join(0.01)
        assert thread.is_alive()
    capture.interrupt()
    thread.join(20)
    assert not thread.is_alive()
    assert (capture.written, capture.failure) == (True, "")
    bundle = open_bundle(path)
    assert (bundle.cut, bundle.notes, bundle.verify()) == (False, (), ())
    assert len(bundle.looks) == 1


def test_a_disk_that_fills_up_leaves_what_came(engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, room = os.writev, [20_000]

    def filling(file: int, pieces: list[memoryview]) -> int:
        room[0] -= sum(map(len, pieces))
        if room[0] < 0:
            raise OSError(28, "No space left on device")
        return write(file, pieces)

    monkeypatch.setattr(os, "writev", filling)
    path = tmp_path / "a.xpudbg"
    wanted = CaptureOptions(path, looks=100, interval_s=0)
    capture = Capture(engine, DemoTarget(4, "healthy"), AttachOptions(), wanted)
    capture.run()
    assert capture.failure == "the bundle could not be written to its end: No space left on device"
    assert capture.written
    bundle = open_bundle(path)
    assert bundle.notes == (CUT,)
    assert bundle.looks
    assert bundle.verify() == (CUT,)


def test_store_values_can_be_left_unread(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "a.xpudbg"
    wanted = CaptureOptions(path, looks=1, store_values=False)
    Capture(engine, DemoTarget(4, "healthy"), AttachOptions(), wanted).run()
    listing, values = open_bundle(path).store()
    assert listing is not None
    assert len(listing.keys) >= 4
    assert values == ()


def size_of(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


async def killed(command: Sequence[str], path: Path, size: int) -> None:
    """Start a capture and kill it as soon as its file has so many bytes."""
    environment = os.environ | {"PYTHONPATH": str(ROOT / ".links")}
    process = await asyncio.create_subprocess_exec(
        *(*command, "-o", str(path)), env=environment, stdout=asyncio.subprocess.DEVNULL
    )
    while size_of(path) < size:
        await asyncio.sleep(0.001)
        assert process.returncode is None, "it ended by itself"
    process.send_signal(signal.SIGKILL)
    await process.wait()


async def test_captures_that_are_killed_at_any_moment_open(tmp_path: Path) -> None:
    chance = random.Random(7)
    sizes = {tmp_path / f"{number}.xpudbg": chance.randrange(1, 40_000) for number in range(KILLS)}
    command = (sys.executable, "-m", "xpudbg.tui.cli", "capture", "--looks", "1000", "--interval", "0")
    async with running_demo(8, "healthy") as demo:
        together = asyncio.Semaphore(3)

        async def one(path: Path, size: int) -> None:
            async with together:
                await killed((*command, f"{demo.host}:{demo.port}"), path, size)

        await asyncio.gather(*(one(path, size) for path, size in sizes.items()))
    for path in sizes:
        bundle = open_bundle(path)
        assert bundle.notes == (CUT,)
        assert bundle.verify() == (CUT,)
        for look in bundle.looks:
            read = look.read()
            assert read.notes == ()
            for reply in read.replies.values():
                assert len(reply.body.read()) == reply.body.size
                assert not reply.error.startswith("the bundle")
        bundle.close()
        if bundle.looks:
            session, _ = await asyncio.to_thread(replayed, path)
            assert len(session.looks) == len(bundle.looks)
            assert session.world_size == 8


def test_an_exception_in_the_middle_of_a_member_leaves_a_file_that_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.xpudbg"
    with BundleWriter(path) as writer:
        writer.add("meta.json", b'{"schema":"xpudbg.bundle/1","version":"1","created_at":1,"target":"t"}')
        write = os.writev

        def interrupted(file: int, pieces: list[memoryview]) -> int:
            write(file, [pieces[0][:10]])
            raise KeyboardInterrupt

        monkeypatch.setattr(os, "writev", interrupted)
        with pytest.raises(KeyboardInterrupt):
            writer.body(b"x" * 100)
    assert open_bundle(path).notes == (CUT,)
