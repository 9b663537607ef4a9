"""`xpudbg shrink` and `xpudbg repro` as a shell sees them."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from tests.fakes.op_servers import adds, fails, silent
from tests.fakes.raw_server import refused_port
from tests.services.dispatch.test_runs import Servers, servers
from tests.services.run_history.made_runs import ENDPOINT, case, floats, output, run_of
from xpudbg.services.dispatch.errors import OpFailedError
from xpudbg.services.run_history.history import RunHistory
from xpudbg.tui.cli import main

__all__ = ["servers"]

FAILED = OpFailedError("it failed", status=500, kind="ValueError", text="shapes (3,) and (4,) differ")


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "history"
    monkeypatch.setenv("XPUDBG_HISTORY", str(folder))
    monkeypatch.chdir(tmp_path)
    return folder


def xpudbg(*words: str) -> Result:
    return CliRunner(env={"XPUDBG_SERVER": None}).invoke(main, words)


def test_a_failing_run_is_shrunk_and_kept(servers: Servers, history: Path) -> None:
    server = servers.start(fails("500 Internal Server Error", {"error": "ValueError: bad"}))
    kept = RunHistory(history)
    kept.fail(kept.begin(case(floats(1), floats(2), attrs={"dim": 3}), server.endpoint), FAILED)
    done = xpudbg("shrink", "last-failed")
    assert done.exit_code == 0, done.output
    assert "from 32 elements (x1[16], x2[16]), 1 attribute" in done.stderr
    assert "smallest: 0 elements (no arrays), 0 attributes" in done.stdout
    assert "xpudbg rerun" in done.stdout
    number = int(done.stdout.partition("\nrun ")[2].split()[0])
    assert kept.case(number).inputs == ()


def test_how_it_ends_is_its_exit_code(servers: Servers, history: Path) -> None:
    server, right = servers.start(adds), servers.start(adds)
    kept = RunHistory(history)
    kept.fail(kept.begin(case(floats(1), floats(2)), server.endpoint), FAILED)
    done = xpudbg("shrink", "1", "--reference", str(right.endpoint))
    assert done.exit_code == 1
    assert "does not fail now" in done.stderr
    assert xpudbg("shrink", "9").exit_code == 2
    with refused_port() as held:
        gone = f"127.0.0.1:{held.getsockname()[1]}"
        done = xpudbg("shrink", "1", "--server", gone, "--deadline", "0.5")
    assert done.exit_code == 3
    assert "the server gave no answer" in done.stderr
    bad = servers.start(fails("500 Internal Server Error", {"error": "ValueError: bad"}))
    done = xpudbg("shrink", "1", "--server", str(bad.endpoint), "--budget", "2")
    assert done.exit_code == 4
    assert "2 runs were made; more could be tried" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "sigterm"])
def test_a_signal_ends_it_with_what_it_has(servers: Servers, history: Path, number: signal.Signals) -> None:
    server = servers.start(fails("500 Internal Server Error", {"error": "ValueError: bad"}), silent)
    kept = RunHistory(history)
    kept.fail(kept.begin(case(floats(1)), server.endpoint), FAILED)
    path = os.pathsep.join(sys.path)
    with subprocess.Popen(
        [sys.executable, "-m", "xpudbg.tui.cli", "shrink", "last"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    ) as child:
        second = server.until(lambda: len(server.runs) == 2)
        asyncio.run_coroutine_threadsafe(second, servers.loop).result(60)
        child.send_signal(number)
        out, error = child.communicate(timeout=60)
    assert child.returncode == 4, error
    assert "smallest so far: 16 elements" in out
    assert "cancelled; more could be tried" in error
    assert [record.state for record in kept.latest()] == ["cancelled", "failed", "failed"]


def test_a_run_is_told_as_a_script(history: Path) -> None:
    kept = RunHistory(history)
    large = np.arange(5000, dtype=np.float32)
    of = case(large, large)
    run_id = kept.begin(of, ENDPOINT)
    kept.finish(run_id, run_of(of, output(large + large)))
    done = xpudbg("repro", "last", "-o", "r.py")
    assert done.exit_code == 0, done.output
    assert done.stdout == "written: r.py and r.npz\n"
    text = Path("r.py").read_text()
    assert "API = 'torch.add'" in text
    assert "EXPECTED = {\n    '0': stored(" in text
    assert xpudbg("repro", "last", "-o", "no/such/folder/r.py").exit_code == 2
