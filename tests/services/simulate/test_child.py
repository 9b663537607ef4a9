"""The child process by itself: what it prints, and when it ends."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

COMMAND = [sys.executable, "-m", "xpudbg.services.simulate"]
LINKS = os.pathsep.join(path for path in sys.path if path.endswith(".links"))
PARENT = """
import asyncio
from xpudbg.services.simulate.launch import running_demo

async def main():
    async with running_demo(4, "healthy") as demo:
        print(demo.pid, flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""
pidfd = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for a process that is not a child")


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": LINKS}


@pytest.fixture
def child() -> Iterator[subprocess.Popen[str]]:
    started = subprocess.Popen(
        [*COMMAND, "--ranks", "4", "--scenario", "stopped"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    with started:
        yield started
        started.kill()


def test_it_says_once_where_it_serves(child: subprocess.Popen[str]) -> None:
    assert child.stdout is not None
    ready = json.loads(child.stdout.readline())
    assert (ready["store_host"], ready["ranks"], ready["scenario"]) == ("127.0.0.1", 4, "stopped")
    assert ready["store_port"] > 0


def test_it_answers_each_command_with_a_line(child: subprocess.Popen[str]) -> None:
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdout.readline()
    said = []
    for line in ('{"release": [2]}', "nonsense", '{"counts": true}'):
        child.stdin.write(line + "\n")
        child.stdin.flush()
        said.append(json.loads(child.stdout.readline()))
    assert said[0] == {"released": [2]}
    assert "one line of JSON" in said[1]["error"]
    assert said[2] == {"counts": {}, "queued": {}}


def test_it_ends_when_its_input_closes(child: subprocess.Popen[str]) -> None:
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdout.readline()
    child.stdin.close()
    assert child.wait(20) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_on_a_signal(child: subprocess.Popen[str], number: signal.Signals) -> None:
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.readline()
    child.send_signal(number)
    assert child.wait(20) == 0
    assert child.stderr.read() == ""


@pidfd
def test_it_dies_with_a_parent_that_is_killed() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True, env=environment()
    ) as parent:
        assert parent.stdout is not None
        watched = os.pidfd_open(int(parent.stdout.readline()))
        parent.kill()
        ended, _, _ = select.select([watched], [], [], 20)
        os.close(watched)
    assert ended


def test_without_an_input_it_ends_by_itself() -> None:
    done = subprocess.run(
        [*COMMAND, "--ranks", "1"], stdin=subprocess.DEVNULL, capture_output=True, timeout=60, env=environment()
    )
    assert done.returncode == 0
    assert json.loads(done.stdout)["ranks"] == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--ranks", "0"], "at least one rank"),
        (["--scenario", "nope"], "invalid choice"),
        (["--ranks", "1000000"], "ask for fewer ranks"),
    ],
)
def test_what_it_cannot_serve_is_said(options: list[str], message: str) -> None:
    done = subprocess.run(
        [*COMMAND, *options], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, env=environment()
    )
    assert done.returncode != 0
    assert message in done.stderr
    assert done.stdout == ""


def test_a_low_limit_of_open_files_is_named() -> None:
    resource = pytest.importorskip("resource")
    done = subprocess.run(
        [*COMMAND, "--ranks", "2000"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        env=environment(),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (600, 600)),
    )
    assert done.returncode == 1
    assert "open files, and this system allows 344 (ulimit -Hn)" in done.stderr
