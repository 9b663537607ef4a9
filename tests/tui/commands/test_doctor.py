"""`xpudbg doctor` as a shell sees it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.raw_server import RawServer, Serve, raw_server, refused_port, response
from tests.tui.test_cli import xpudbg

NAMES = ["dump_traceback", "fr_trace_json", "ping", "pyspy_dump", "wait_counter_values"]
DUMP = {
    "version": "2.10",
    "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0]"}},
    "pg_status": {"0": {"last_enqueued_collective": 1, "last_started_collective": -1, "last_completed_collective": 1}},
    "entries": [
        {
            "record_id": 0,
            "pg_id": 0,
            "process_group": ["0", "default_pg"],
            "collective_seq_id": 1,
            "p2p_seq_id": 0,
            "op_id": 1,
            "profiling_name": "gloo:all_reduce",
            "time_created_ns": 1_760_000_000_000_000_000,
            "input_sizes": [[16]],
            "input_dtypes": ["Float"],
            "output_sizes": [[16]],
            "output_dtypes": ["Float"],
            "state": "completed",
            "retired": True,
            "is_p2p": False,
        }
    ],
}
SAYS = {
    "ping": b"pong",
    "": json.dumps(NAMES).encode(),
    "fr_trace_json": json.dumps(DUMP).encode(),
    "wait_counter_values": b"{}",
    "dump_traceback": b"Thread 0x01 (most recent call first):\n",
}
NO_PTRACE = b"""Error: Failed to get process executable name. Check that the process is running.

Caused by:
    0: Permission denied (os error 13)
    1: Permission denied (os error 13)

Stack backtrace:
   0: <E as anyhow::context::ext::StdError>::ext_context
"""


def one_rank(py_spy: bytes | None, silent: str | None = None) -> Serve:
    """A rank that is well but for py-spy, whose failure is answered as torch does; it does not answer at all when None.

    Args:
        silent: a handler that is not answered either.
    """

    async def serve(path: str, writer: asyncio.StreamWriter) -> None:
        name = path.partition("?")[0].removeprefix("/handler/")
        if silent and name == "":  # the client hangs up: it has read the answer
            writer.write(response(SAYS[name], "200 OK", "Connection: close"))
            await asyncio.Event().wait()
        if name == silent or (name == "pyspy_dump" and py_spy is None):
            await asyncio.Event().wait()
        if name == "pyspy_dump":
            writer.write(response(py_spy or b"", "500 Internal Server Error"))
        else:
            writer.write(response(SAYS[name]))

    return serve


async def doctor(server: RawServer, *words: str, end_at: str = "") -> tuple[int, dict[str, dict[str, object]], str]:
    """Exit code, checks by name, standard error.

    Args:
        end_at: interrupted when this path is being asked and the list of handlers has been read.
    """
    started = subprocess.Popen(  # noqa: ASYNC220 - it is waited for in a thread
        [sys.executable, "-P", "-m", "xpudbg.tui.cli", "doctor", server.address.url, "--format", "json", *words],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3] / ".links")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    if end_at:
        await asyncio.wait_for(server.until(lambda: bool(server.open[end_at] and not server.open["/handler/"])), 60)
        started.send_signal(signal.SIGINT)
    output, errors = await asyncio.to_thread(started.communicate, timeout=60)
    return started.returncode, {check["name"]: check for check in json.loads(output)["checks"]}, errors


def test_a_job_that_can_be_debugged() -> None:
    done = xpudbg("doctor", "demo", "--scenario", "healthy", "--world-size", "4", "--format", "json")
    assert done.stderr == ""
    made = json.loads(done.stdout)
    states = {check["name"]: check["state"] for check in made["checks"]}
    assert "problem" not in states.values()
    assert (made["schema"], made["world_size"], done.returncode) == ("xpudbg.doctor/1", 4, 0)
    assert states["store"] == states["recorder"] == states["handlers"] == states["py-spy"] == "ok"


def test_a_job_with_a_dead_rank() -> None:
    done = xpudbg("doctor", "demo", "--scenario", "mixed", "--py-spy", "0", "--timeout", "1")
    assert done.returncode == 1
    assert "PROBLEM  answers: dead" in done.stdout
    assert "unknown  py-spy" in done.stdout


def test_a_target_that_is_not_there() -> None:
    with refused_port() as held:
        done = xpudbg("doctor", f"127.0.0.1:{held.getsockname()[1]}")
    assert done.returncode == 3
    assert "PROBLEM  target" in done.stdout
    assert "refused the connection" in done.stderr


def test_wrong_usage() -> None:
    assert xpudbg("doctor").returncode == 2
    assert "goes with the target `demo` only" in xpudbg("doctor", "x:1", "--scenario", "healthy").stderr
    assert "no scenario is called" in xpudbg("doctor", "demo", "--scenario", "none").stderr


@pytest.mark.parametrize(
    ("said", "text", "mended_by"),
    [
        (b"sh: 1: py-spy: not found\n", "not installed", "pip install py-spy"),
        (NO_PTRACE, "ptrace is forbidden", "--cap-add SYS_PTRACE"),
    ],
    ids=["not installed", "ptrace forbidden"],
)
async def test_py_spy_that_is_refused_is_a_warning_that_says_what_to_do(said: bytes, text: str, mended_by: str) -> None:
    async with raw_server(one_rank(said)) as server:
        code, checks, errors = await doctor(server)
    assert (code, errors) == (0, "")
    assert checks["py-spy"]["state"] == "warning"
    assert text in str(checks["py-spy"]["text"])
    assert mended_by in str(checks["py-spy"]["mend"])
    assert checks["answers"]["state"] == checks["recorder"]["state"] == "ok"


async def test_ended_before_all_was_checked_and_nothing_wrong_is_4() -> None:
    async with raw_server(one_rank(None)) as server:
        code, checks, errors = await doctor(server, "--timeout", "600", end_at="/handler/pyspy_dump?nonblocking=1")
    assert (code, errors) == (4, "")
    assert checks["answers"]["state"] == checks["recorder"]["state"] == "ok"
    assert checks["py-spy"]["state"] == "unknown"


async def test_ended_in_the_first_look_it_says_what_has_come() -> None:
    async with raw_server(one_rank(b"", silent="fr_trace_json")) as server:
        code, checks, errors = await doctor(server, "--timeout", "600", end_at="/handler/fr_trace_json")
    assert (code, errors) == (4, "")
    assert "target" not in checks
    assert checks["handlers"]["state"] == "ok"
    assert checks["recorder"]["state"] == "unknown"
