"""`xpudbg doctor` as a shell sees it."""

from __future__ import annotations

import json

from tests.fakes.raw_server import refused_port
from tests.tui.test_cli import xpudbg


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
