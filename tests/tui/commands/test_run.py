"""`xpudbg run` as a shell sees it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from tests.fakes.op_servers import adds, busy, closes, fails, needs, silent
from tests.fakes.raw_server import refused_port
from tests.services.dispatch.test_runs import Servers, servers
from tests.services.dispatch.test_spec_modules import tree
from xpudbg.services.dispatch import progress
from xpudbg.services.dispatch.errors import (
    BadReplyError,
    CaseError,
    ConnectionFailedError,
    DeadlinePassedError,
    DependencyMissingError,
    DispatchError,
    OpFailedError,
    RunCancelledError,
    ServerBusyError,
)
from xpudbg.services.npz.files import read_npz
from xpudbg.tui.cli import main
from xpudbg.tui.commands.run import exit_code, progress_line

__all__ = ["servers"]

x = np.arange(3, dtype=np.float32)


@pytest.fixture(autouse=True)
def _signals() -> object:
    kept = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


def run(*words: str, **environ: str) -> Result:
    clean: dict[str, str | None] = {"XPUDBG_SERVER": None}
    return CliRunner(env=clean | environ).invoke(main, ["run", *words])


def test_arrays_and_generated_inputs(servers: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", x)
    server = servers.start(adds)
    url = f"http://127.0.0.1:{server.port}"
    done = run("torch.add", "x.npy", "-i", "y=float32[3]:ones", "-a", "alpha=2", "--server", url, "-o", "out.npz")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "output 0: float32 [3]  1 2 3\n" in done.stdout
    assert read_npz(tmp_path / "out.npz")["0"].tolist() == [1, 2, 3]
    head = server.runs[0].headers
    assert (head["x-api"], head["x-attrs"]) == ("torch.add", '{"alpha":2}')
    assert [slot["name"] for slot in json.loads(head["x-input-schema"])] == ["x1", "y"]


def test_a_case_file_whose_words_are_changed(servers: Servers, tmp_path: Path) -> None:
    path = tmp_path / "case.toml"
    path.write_text(
        'op = "add"\nmode = "perf"\n[attrs]\na = 1\nb = 1\n[[inputs]]\nname = "x"\ngenerate = "float32[2]:zeros"'
    )
    server = servers.start(adds)
    done = run(
        *(str(path), "-a", "b=2", "-i", "x=float32[2]:ones", "-i", "y=float32[2]:ones", "--mode", "data"),
        *("--json", "--provider", "tf"),
        XPUDBG_SERVER=f"127.0.0.1:{server.port}",
    )
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert (said["ok"], said["outputs"]) == (True, [{"name": "0", "dtype": "float32", "shape": [2]}])
    head = server.runs[0].headers
    assert (head["x-op-name"], head["x-mode"], head["x-provider"]) == ("add", "1", "tf")
    assert json.loads(head["x-attrs"]) == {"a": 1, "b": 2}


def test_a_spec_and_a_configured_server(servers: Servers, tmp_path: Path) -> None:
    tree(tmp_path, op="import helper", lib__helper="")
    server = servers.start(needs("op.py", "helper.py"))
    config = tmp_path / "ttk.conf.yaml"
    config.write_text(f"remote: {{endpoints: [{{host: 127.0.0.1, port: {server.port}}}]}}")
    done = run(
        *("my_op", "--spec", f"{tmp_path / 'op.py'}:Op", "--root", str(tmp_path / "lib")),
        *("-i", "x=float32[2]", "--ttk-config", str(config)),
    )
    assert done.exit_code == 0, done.output
    assert "2 source files uploaded" in done.stdout
    assert server.files == {}


@pytest.mark.parametrize("style", ["text", "json"])
def test_an_op_that_fails(servers: Servers, style: str) -> None:
    body = {"error": "RuntimeError: sizes\x1b[2J differ", "missing": None}
    server = servers.start(fails("500 Internal Server Error", body))
    words = ("torch.add", "--server", f"127.0.0.1:{server.port}", *(["--json"] if style == "json" else []))
    done = run(*words)
    assert done.exit_code == 1
    assert "RuntimeError: sizes\\x1b[2J differ" in done.stderr
    if style == "json":
        said = json.loads(done.stdout)
        assert (said["ok"], said["error"]["exception"], said["error"]["status"]) == (False, "RuntimeError", 500)
    else:
        assert done.stdout == ""


def impatient(folder: Path, port: int) -> tuple[str, str]:
    """The words for a server that is asked once only."""
    config = folder / "ttk.conf.yaml"
    remote = f"endpoints: [{{host: 127.0.0.1, port: {port}}}], max_503_retries: 0, max_conn_retries: 0"
    config.write_text(f"remote: {{{remote}}}")
    return "--ttk-config", str(config)


def test_no_server_is_reached(tmp_path: Path) -> None:
    held = refused_port()
    done = run("torch.add", *impatient(tmp_path, held.getsockname()[1]))
    held.close()
    assert done.exit_code == 3
    assert "no connection: connection refused" in done.stderr


def test_too_late(servers: Servers) -> None:
    done = run("torch.add", "--server", f"127.0.0.1:{servers.start(silent).port}", "--deadline", "0.2")
    assert done.exit_code == 4
    assert "not done within 0.2 s" in done.stderr


def test_a_server_that_stays_busy(servers: Servers, tmp_path: Path) -> None:
    done = run("torch.add", *impatient(tmp_path, servers.start(busy).port))
    assert done.exit_code == 4
    assert "still busy after 1 attempt in" in done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["torch.add"], "no op server is named"),
        (["torch.add", "--server", "h:0"], "port 0"),
        (["torch.add", "--server", "h", "x.npy"], "x.npy: can't be read"),
        (["torch.add", "--server", "h", "-i", "x"], "an input without a name"),
        (["torch.add", "--server", "h", "-i", "x=float32[2]", "-i", "x=float32[2]"], "the same name"),
        (["torch.add", "--server", "h", "-a", "x"], "not an attribute"),
        (["torch.add", "--server", "h", "--mode", "fast"], "not a mode"),
        (["torch.add", "--server", "h", "--root", "."], "--root goes with a spec"),
        (["op", "--server", "h", "--spec", "a.py"], "FILE.py:CLASS"),
        (["nowhere.toml", "--server", "h"], "nowhere.toml: can't be read"),
        (["torch..add", "--server", "h"], "not a dotted path"),
        (["torch.add", "--server", "http://h", "--ca", "pyproject.toml"], "http:// with TLS files"),
        (["torch.add", "--server", "h", "--cert", "pyproject.toml"], "--cert and --key go together"),
        (["torch.add", "--server", "h", "--deadline", "nan"], "deadline"),
    ],
)
def test_wrong_usage(words: list[str], says: str) -> None:
    done = run(*words)
    assert done.exit_code == 2
    assert says in done.stderr


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (OpFailedError("", status=500, kind="", text=""), 1),
        (DependencyMissingError("", missing="x"), 1),
        (CaseError(""), 2),
        (ConnectionFailedError(""), 3),
        (BadReplyError(""), 3),
        (ServerBusyError(""), 4),
        (DeadlinePassedError(""), 4),
        (RunCancelledError(""), 4),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, DispatchError) else str(value),
)
def test_exit_codes(error: DispatchError, code: int) -> None:
    assert exit_code(error) == code


@pytest.mark.parametrize(
    ("latest", "line"),
    [
        (progress.Connecting(1), "connecting"),
        (progress.Connecting(2), "connecting, attempt 2"),
        (progress.Syncing(("a.py",), 1200), "uploading 1 source files, 1,200 bytes"),
        (progress.Uploading(34, 100), "uploading 34 % of 100 bytes"),
        (progress.Running(), "running"),
        (progress.Downloading(1000, None), "downloading 1,000 bytes"),
        (progress.Downloading(0, 0), "downloading 0 bytes"),
        (progress.Busy(1, 10, 0.5), "the server is busy (1 of 10), again in 0.5 s"),
        (progress.Reconnecting(2, 5, 1, "lost\x1b"), "lost\\x1b (2 of 5), again in 1.0 s"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_progress(latest: progress.Progress, line: str) -> None:
    assert progress_line(latest) == line.replace("\\\\", "\\")


def test_an_interrupt_before_anything_was_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_word: str, _folder: Path, _name: str) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr("xpudbg.tui.commands.run.parse_input", interrupted)
    done = run("torch.add", "x.npy", "--server", "h")
    assert (done.exit_code, done.stderr) == (4, "xpudbg: cancelled\n")


def test_an_interrupt_ends_it_cleanly(servers: Servers) -> None:
    server = servers.start(silent)
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "xpudbg.tui.cli", "run", "torch.add", "--server", f"127.0.0.1:{server.port}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3] / ".links")},
    )
    servers.wait(server, idle=False)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    servers.wait(server, idle=True)
    assert (process.returncode, out) == (4, "")
    assert err == "xpudbg: torch.add was cancelled\n"


def test_a_connection_that_breaks_is_said(servers: Servers, tmp_path: Path) -> None:
    done = run("torch.add", *impatient(tmp_path, servers.start(closes).port))
    assert done.exit_code == 3
    assert "closed the connection without an answer" in done.stderr
