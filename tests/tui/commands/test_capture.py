"""`xpudbg capture` as a shell sees it."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.fakes.raw_server import raw_server, refused_port
from tests.services.bundle.making import replayed, whole
from tests.tui.commands.test_doctor import one_rank
from tests.tui.test_cli import xpudbg
from xpudbg.services.bundle.reader import open_bundle
from xpudbg.tui.cli import main
from xpudbg.tui.commands.capture import _with_ending


def test_a_job_is_captured_and_the_bundle_redacted_afterwards(tmp_path: Path) -> None:
    path, sent = tmp_path / "a.xpudbg", tmp_path / "sent.xpudbg"
    done = xpudbg(*("capture", "demo", "--scenario", "dead", "--ranks", "4", "--looks", "1", "-o", str(path)))
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("verdict  dead\n  Rank ")
    assert f"bundle   {path}: 1 look, " in done.stdout
    again = xpudbg("capture", "demo", "-o", str(path))
    assert again.returncode == 2
    assert again.stderr == f"xpudbg: {path} is there already; --force writes in its place\n"
    done = xpudbg("capture", str(path), "-o", str(sent), "--redact", "hosts,store")
    assert (done.returncode, done.stderr) == (1, "")
    bundle = open_bundle(sent)
    assert bundle.meta.redacted == ("hosts", "store")
    assert bundle.verify() == ()
    assert replayed(sent)[0].verdict.value == replayed(path)[0].verdict.value
    code, _, errors = usage(str(sent), "--force", "-o", str(sent))
    assert code == 2
    assert "is what is read: write to another file" in errors


def usage(*words: str) -> tuple[int, str, str]:
    """The command within this process, as it reads its words and ends before it captures: code, output, errors."""
    done = CliRunner().invoke(main, ["capture", *words], env={"MASTER_ADDR": ""})
    return done.exit_code, done.stdout, done.stderr


def test_a_bundle_is_held_against_its_hashes(tmp_path: Path) -> None:
    path = whole(tmp_path / "a.xpudbg")
    code, said, errors = usage("--verify", str(path))
    assert (code, errors) == (0, "")
    assert said.endswith("a.xpudbg: bundle of 2023-11-14 22:15:00 UTC, 2 looks\nall of it is what its hashes say\n")
    path.write_bytes(path.read_bytes().replace(b"pong", b"pang"))
    code, said, _ = usage("--verify", str(path))
    assert code == 1
    assert "is damaged: it is not what its record says" in said
    path.write_bytes(b"PK")
    code, _, errors = usage("--verify", str(path))
    assert code == 3
    assert "it does not begin as a bundle of xpudbg does" in errors


@pytest.mark.parametrize(
    ("given", "made"),
    [("foo", "foo.xpudbg"), ("foo.xpudbg", "foo.xpudbg"), ("foo.zip", "foo.zip"), ("a.b/foo", "a.b/foo.xpudbg")],
)
def test_a_name_without_an_ending_gets_it(given: str, made: str) -> None:
    assert _with_ending(Path(given)) == Path(made)


def test_a_device_stays_what_it_is() -> None:
    assert _with_ending(Path(os.devnull)) == Path(os.devnull)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("x:1", "--redact", "hosts,names"), "--redact: 'names' is none of hosts, paths, store"),
        ((), "no target"),
        (("x:1", "--verify", __file__), "--verify stands alone"),
        (("x:1", "--scenario", "dead"), "goes with the target `demo` only"),
        (("demo", "--scenario", "none"), "no scenario is called 'none'"),
    ],
    ids=["kind", "target", "verify", "scenario", "unknown"],
)
def test_wrong_usage(words: tuple[str, ...], why: str) -> None:
    code, _, errors = usage(*words)
    assert code == 2
    assert why in errors


def test_no_place_to_write(tmp_path: Path) -> None:
    done = xpudbg("capture", "demo", "-o", str(tmp_path / "no" / "a.xpudbg"))
    assert done.returncode == 2
    assert "can't be written: No such file or directory" in done.stderr


def test_a_target_that_is_not_there(tmp_path: Path) -> None:
    with refused_port() as held:
        done = xpudbg("capture", f"127.0.0.1:{held.getsockname()[1]}", "-o", str(tmp_path / "a.xpudbg"))
    assert done.returncode == 3
    assert "refused the connection" in done.stderr
    assert "there is no bundle: nothing had come" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_signal_within_a_look_finishes_the_file_with_what_came(number: signal.Signals, tmp_path: Path) -> None:
    path = tmp_path / "a.xpudbg"
    async with raw_server(one_rank(b"", silent="fr_trace_json")) as server:
        words = ("-P", "-m", "xpudbg.tui.cli", "capture", server.address.url, "-o", str(path))
        started = await asyncio.create_subprocess_exec(
            sys.executable,
            *words,
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3] / ".links")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        await server.until(lambda: bool(server.open["/handler/fr_trace_json"]))
        started.send_signal(number)
        said, errors = await asyncio.wait_for(started.communicate(), 60)
    assert (started.returncode, errors) == (4, b"")
    output = said.decode()
    assert f"bundle   {path}: 1 look, " in output
    bundle = open_bundle(path)
    assert (bundle.cut, bundle.verify()) == (False, ())
    read = bundle.looks[0].read()
    assert read.closed is not None
    assert read.closed.cancelled
    assert read.replies[0, "ping"].body.read() == b"pong"


async def test_a_signal_between_two_looks_finishes_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.xpudbg"
    async with raw_server(one_rank(b"")) as server:
        words = ("-P", "-m", "xpudbg.tui.cli", "capture", server.address.url, "-o", str(path), "--interval", "3600")
        started = await asyncio.create_subprocess_exec(
            sys.executable,
            *words,
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3] / ".links")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        async with asyncio.timeout(60):
            while not (path.exists() and b"/closed.json" in path.read_bytes()):
                await asyncio.sleep(0.01)
        started.send_signal(signal.SIGINT)
        said, errors = await asyncio.wait_for(started.communicate(), 60)
    assert errors == b""
    assert f"bundle   {path}: 1 look, " in said.decode()
    bundle = open_bundle(path)
    assert (bundle.cut, bundle.verify()) == (False, ())
    assert [look.read().closed is not None for look in bundle.looks] == [True]
