"""A watch on a real Gloo job that moves, hangs and is ended: what it logs, and what its incident file says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.real.job import real_job
from tests.tui.test_cli import xpudbg

pytestmark = pytest.mark.torch


def test_a_job_that_hangs_is_told_kept_and_compared(torch_python: str, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    with real_job(torch_python, tmp_path, world_size=4) as job:
        started = subprocess.Popen(
            [
                *(sys.executable, "-P", "-m", "xpudbg.tui.cli", "watch", job.store),
                *("--every", "0.5", "--stall", "2", "--timeout", "1", "--until-end", "--json", "-o", str(folder)),
            ],
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2] / ".links")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            for rank in range(4):
                job.tell(rank, "work 3")
            until(started, event="pace", pace="moving")
            for rank in range(4):
                job.expect(rank, "done work")
            job.tell(2, "load 300")
            for rank in (0, 1, 3):
                job.tell(rank, "all_reduce 1")
            until(started, event="pace", pace="standing")
            stalled = until(started, event="alert")
            first = until(started, event="captured")
            job.stop(2)
            found = until(started, event="alert")
            second = until(started, event="captured")
            for rank in range(4):
                job.kill(rank)
            until(started, event="lost")
            ended = until(started, event="ended")
            assert started.wait(30) == ended["exit_code"] == 1
        finally:
            started.kill()
            started.communicate()
    assert (stalled["reasons"], stalled["verdict"], first["why"]) == (["standing"], "hang", "standing")
    assert [(one["kind"], one["culprits"]) for one in found["findings"]] == [("stopped", [2])]
    assert second["why"] == "stopped-again"
    bundle = second["bundle"]
    assert Path(first["bundle"]).parent == Path(bundle).parent == folder
    report = json.loads(xpudbg("report", bundle, "--format", "json").stdout)
    assert (report["verdict"], report["findings"][0]["culprits"]) == ("hang", [2])
    compared = json.loads(xpudbg("diff", bundle, "--format", "json").stdout)
    assert compared["verdict"]["after"] == "hang"
    assert {"before": "alive", "after": "stopped", "ranks": [2]} in compared["ranks"]["classes"]
    assert compared["motion"]["inside"] == [0, 1, 3]


def until(started: subprocess.Popen[str], **wanted: str) -> dict[str, Any]:
    """The next line of the log of this kind."""
    assert started.stdout is not None
    for line in started.stdout:
        said: dict[str, Any] = json.loads(line)
        if wanted.items() <= said.items():
            return said
    raise AssertionError(f"the watch ended before it said {wanted}")
