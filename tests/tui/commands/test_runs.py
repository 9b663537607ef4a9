"""`xpudbg run`, `runs` and `rerun` as a shell sees them, over one history."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from tests.fakes.op_servers import adds, fails
from tests.services.dispatch.test_runs import Servers, servers
from tests.services.run_history.made_runs import ENDPOINT, case, output, run_of
from xpudbg.services.comparison.compare import compare
from xpudbg.services.console.case_files import open_cases
from xpudbg.services.dispatch.errors import BadReplyError
from xpudbg.services.run_history.database import FILE
from xpudbg.services.run_history.history import HistoryLimits, RunHistory
from xpudbg.tui.cli import main

__all__ = ["servers"]


@pytest.fixture(autouse=True)
def _signals() -> object:
    kept = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "history"
    monkeypatch.setenv("XPUDBG_HISTORY", str(folder))
    monkeypatch.chdir(tmp_path)
    return folder


def xpudbg(*words: str) -> Result:
    return CliRunner(env={"XPUDBG_SERVER": None}).invoke(main, words)


def test_a_failed_run_is_listed_and_run_again_changed(servers: Servers, history: Path) -> None:
    server = servers.start(
        fails("500 Internal Server Error", b'{"error": "RuntimeError: dim 7 is out of range"}'), adds
    )
    np.save("x.npy", np.arange(3, dtype=np.float32))
    first = xpudbg("run", "torch.add", "x=x.npy", "y=float32[3]:ones", "-a", "dim=7", "--server", str(server.endpoint))
    assert first.exit_code == 1
    Path("x.npy").unlink()

    listed = xpudbg("runs", "--failed")
    assert listed.exit_code == 0
    head, line = listed.stdout.splitlines()
    assert head.split()[:3] == ["run", "started", "(UTC)"]
    assert line.split()[0] == "1"
    assert "failed" in line
    assert "RuntimeError" in line

    again = xpudbg("rerun", "last-failed", "--set", "attr.dim=0", "--json", "-o", "out.npz")
    assert again.exit_code == 0, again.output
    assert "attr.dim: 7 -> 0" in again.stderr
    assert json.loads(again.stdout)["outputs"] == [{"name": "0", "dtype": "float32", "shape": [3]}]
    assert server.runs[1].headers["x-attrs"] == '{"dim":0}'

    kept = RunHistory(history)
    assert [record.state for record in kept.latest()] == ["ok", "failed"]
    (found,) = kept.outputs(2)
    assert found.array is not None
    assert found.array.tolist() == [1, 2, 3]
    said = json.loads(xpudbg("runs", "--json", "-n", "1").stdout)
    assert [(one["id"], one["state"], one["op"], one["server"]) for one in said] == [
        (2, "ok", "torch.add", str(server.endpoint))
    ]
    assert said[0]["outputs"][0]["statistics"]["maximum"] == 3


def test_the_runs_of_a_case_file_are_known_by_it(servers: Servers, history: Path) -> None:
    server = servers.start(adds, adds, adds)
    Path("case.toml").write_text('op = "add"\n[[inputs]]\nname = "x"\ngenerate = "float32[2]:ones"\n')
    place = ("--server", str(server.endpoint))
    for words in (("run", "./case.toml", *place), ("rerun", "1"), ("run", "add", "x=float32[2]:ones", *place)):
        assert xpudbg(*words).exit_code == 0
    (opened,) = open_cases(Path("case.toml")).cases
    kept = RunHistory(history)
    assert [record.case_key for record in kept.latest()] == [None, opened.key, opened.key]
    kept.close()


def test_an_input_that_was_not_kept_has_to_be_given(servers: Servers, history: Path) -> None:
    kept = RunHistory(history, limits=HistoryLimits(array_bytes=8))
    server = servers.start(adds)
    kept.begin(case(np.arange(3.0), np.arange(3.0)), server.endpoint)
    missing = xpudbg("rerun", "1", "--set", "input.x1=float64[3]:ones")
    assert missing.exit_code == 2
    assert "x2 was not kept" in missing.stderr
    assert "--set input.x2=..." in missing.stderr
    done = xpudbg("rerun", "1", "--set", "input.x1=float64[3]:ones", "--set", "input.x2=float64[3]:ones")
    assert done.exit_code == 0, done.output
    assert "output 0: float64 [3]  2 2 2" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("last",), "no run"),
        (("7",), "no run 7"),
        (("first",), "is no run"),
    ],
)
def test_a_run_that_is_not_there(history: Path, words: tuple[str, ...], said: str) -> None:
    done = xpudbg("rerun", *words)
    assert done.exit_code == 2
    assert said in done.stderr


def test_changes_that_can_not_be_made(history: Path) -> None:
    RunHistory(history).begin(case(), ENDPOINT)
    for words, said in (
        (("--set", "dim=1"), "no such field"),
        (("--unset", "attr.dim"), "no attribute"),
        (("--server", "a b"), "a b"),
    ):
        done = xpudbg("rerun", "last", *words)
        assert done.exit_code == 2
        assert said in done.stderr


def test_an_empty_and_a_damaged_history(history: Path) -> None:
    assert xpudbg("runs").stdout == "no runs\n"
    for file in history.glob(f"{FILE}*"):
        file.unlink()
    (history / FILE).write_bytes(b"no database" * 1000)
    for words in (("runs",), ("rerun", "last")):
        done = xpudbg(*words)
        assert done.exit_code == 3
        assert "damaged" in done.stderr
        assert "--set-aside" in done.stderr
    done = xpudbg("runs", "--set-aside")
    assert done.exit_code == 0
    assert done.stderr.startswith("moved to ")
    assert done.stdout == "no runs\n"


def test_a_run_goes_on_without_a_history(servers: Servers, history: Path) -> None:
    history.write_text("a file, no folder")
    server = servers.start(adds)
    done = xpudbg("run", "torch.add", "x=float32[2]:ones", "y=float32[2]:ones", "--server", str(server.endpoint))
    assert done.exit_code == 0, done.output
    assert "output 0: float32 [2]  2 2" in done.stdout
    assert "not in the history" in done.stderr


def test_hostile_and_odd_values_are_text(history: Path) -> None:
    kept = RunHistory(history)
    of = case(attrs={"name": "\x1b[31m", "nan": float("nan")})
    run_id = kept.begin(of, ENDPOINT)
    kept.finish(run_id, run_of(of, output(np.array([np.inf, 1]))))
    kept.compared(run_id, {"0": compare(np.array([np.inf, 1]), np.array([0.0, 1]))})
    with kept._database.writing() as connection:
        connection.execute("UPDATE runs SET title = ?", ("\x1b[2Jop",))
    listed = xpudbg("runs").stdout
    assert "\x1b" not in listed
    assert "\\x1b[2Jop" in listed
    assert "ok, wrong" in listed
    (said,) = json.loads(xpudbg("runs", "--json").stdout)
    assert said["case"]["attrs"]["nan"] == "nan"
    assert said["passed"] is False


def test_pruning_and_interrupted_runs_are_said(history: Path) -> None:
    kept = RunHistory(history, clock=lambda: 0)
    kept.fail(kept.begin(case(), ENDPOINT), BadReplyError("no reply"))
    waiting = kept.begin(case(), ENDPOINT)
    with kept._database.writing() as connection:
        connection.execute("UPDATE runs SET process_start = 'long ago' WHERE id = ?", (waiting,))
    done = xpudbg("runs", "--prune")
    assert f"run {waiting} (torch.add) was under way when its process ended" in done.stderr
    assert "2 runs forgotten" in done.stderr
    assert done.stdout == "no runs\n"
