"""`xpudbg watch` as a shell sees it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.fakes.raw_server import worker_server
from tests.tui.test_cli import serve
from xpudbg.services.watch.events import Told, WatchEvent
from xpudbg.tui.cli import main
from xpudbg.tui.commands.watch import Hooks, Log, Size

__all__ = ["serve"]  # the fixture


def test_it_stays_with_a_job_until_its_end(serve: object, tmp_path: Path) -> None:
    url = serve(worker_server(stuck=set()))  # type: ignore[operator]
    words = ("watch", url, "--until-end", "--every", "0.5", "--json", "-o", str(tmp_path / "kept"), "--periodic", "1")
    started = subprocess.Popen(
        [sys.executable, "-P", "-m", "xpudbg.tui.cli", *words],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3] / ".links")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert started.stdout is not None
    first, second = (json.loads(started.stdout.readline()) for _ in range(2))
    assert (first["event"], first["world_size"]) == ("opened", 1)
    assert (second["event"], second["why"]) == ("captured", "periodic")
    serve.wait(serve.servers.pop().close())  # type: ignore[attr-defined]
    output, errors = started.communicate(timeout=30)
    said = [json.loads(line) for line in output.splitlines()]
    assert [one["event"] for one in said if one["event"] != "captured"] == ["lost", "ended"]
    assert (said[-1]["exit_code"], started.returncode, errors) == (0, 0, "")
    assert Path(second["bundle"]).stat().st_size == second["size"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("host:1", "--keep", "3"), "--keep goes with -o DIR"),
        (("host:1", "--max-size", "lots", "-o", "x"), "'lots' is no size"),
        (("host:1", "--hook", "say 'open"), "--hook: the hook can't be read"),
        (("host:1", "--scenario", "hang"), "goes with the target `demo` only"),
        ((".",), "a watch wants a living job"),
    ],
    ids=["no folder", "size", "hook", "scenario", "files"],
)
def test_wrong_usage_is_2(words: tuple[str, ...], said: str) -> None:
    done = CliRunner().invoke(main, ["watch", *words])
    assert done.exit_code == 2
    assert said in done.output


@pytest.mark.parametrize(
    ("text", "size"), [("500", 500), ("500b", 500), ("2K", 2048), ("1 MiB", 2**20), ("3gb", 3 * 2**30), ("1T", 2**40)]
)
def test_sizes(text: str, size: int) -> None:
    assert Size().convert(text, None, None) == size


def test_a_terminal_is_rung_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Log(as_json=False, bell=True).ring("rank 3 is dead")
    assert capsys.readouterr().out == ""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    Log(as_json=False, bell=False).ring("rank 3 is dead")
    assert capsys.readouterr().out == ""
    Log(as_json=False, bell=True).ring("rank 3\x07\x1b]52;c;x\x07 is dead")
    assert capsys.readouterr().out == "\x1b]9;xpudbg: rank 3\\x07\\x1b]52;c;x\\x07 is dead\x07\a"


@pytest.mark.parametrize(("code", "event"), [(0, "hook"), (2, "failed")])
def test_how_a_hook_went_is_told(code: int, event: str, capsys: pytest.CaptureFixture[str]) -> None:
    hooks = Hooks((sys.executable, "-c", f"raise SystemExit({code})"), Log(as_json=True, bell=False))
    hooks.start({"XPUDBG_VERDICT": "hang"})
    hooks.wait()
    assert json.loads(capsys.readouterr().out)["event"] == event


def test_a_reader_that_has_gone_ends_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    log = Log(as_json=False, bell=False)
    monkeypatch.setattr(sys.stdout, "write", _closed)
    monkeypatch.setattr(os, "dup2", lambda *_: None)
    log.tell(WatchEvent(0, Told.PACE, "x"))
    assert log.broken


def _closed(_text: str) -> int:
    raise BrokenPipeError
