"""Completion, errors, help and the log, as a shell sees them."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from xpudbg.services.simulate.scenarios import SCENARIOS
from xpudbg.tui.cli import main

ROOT = Path(__file__).parents[2]
COMMANDS = sorted(main.commands)


def run(*words: str) -> Result:
    return CliRunner(env={"COLUMNS": "80"}).invoke(main, words)


@pytest.fixture
def named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "config.toml"
    path.write_text('[targets]\nprod = "h:1"\nproxied = "h:2"\n[endpoints]\ngpu = "h:9"\n')
    monkeypatch.setenv("XPUDBG_CONFIG", str(path))


def completed(*words: str) -> list[str]:
    """What is offered for the last word."""
    env = {
        "_XPUDBG_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(("xpudbg", *words)),
        "COMP_CWORD": str(len(words)),
    }
    done = CliRunner(env=env).invoke(main, prog_name="xpudbg")
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("pr",), ["file,pr", "plain,prod", "plain,proxied"]),
        (("report", "pr"), ["file,pr", "plain,prod", "plain,proxied"]),
        (("dif",), ["file,dif", "plain,diff"]),
        (("prod", "--tim"), ["plain,--timeout"]),
        (("--log", "x", "--log-level", "d"), ["plain,debug"]),
        (("--log=x", "rep"), ["file,rep", "plain,report", "plain,repro"]),
        (("demo", "--scenario", "stop"), ["plain,stopped"]),
        (("watch", "demo", "--scenario", "stop"), ["plain,stopped"]),
        (("run", "torch.add", "--server", "g"), ["plain,gpu"]),
        (("dispatch", "--server", "g"), ["plain,gpu"]),
        (("rerun", "last-"), ["plain,last-failed"]),
        (("report", "x", "--format", "m"), ["plain,markdown"]),
        (("completion", "f"), ["plain,fish"]),
        (("run", "cases/"), ["file,cases/"]),
    ],
)
def test_what_is_offered(named: None, words: tuple[str, ...], offered: list[str]) -> None:
    assert completed(*words) == offered


def test_at_the_beginning_all_commands_and_targets_are_offered_once(named: None) -> None:
    offered = [line.split(",")[1] for line in completed("")]
    assert set(COMMANDS) | {"prod"} <= set(offered)
    assert len(offered) == len(set(offered))


def test_settings_that_cannot_be_read_do_not_disturb_the_completion(tmp_path: Path, named: None) -> None:
    (tmp_path / "config.toml").write_text("x\n")
    assert completed("repo") == ["file,repo", "plain,report"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not here")
def test_bash_completes_with_it(tmp_path: Path) -> None:
    program = tmp_path / "xpudbg"
    code = "import sys; sys.argv[0] = 'xpudbg'; from xpudbg.tui.cli import main; main()"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -P -c "{code}" "$@"\n')
    program.chmod(0o755)
    script = run("completion", "bash").stdout
    asked = "COMP_WORDS=(xpudbg dif); COMP_CWORD=1; _xpudbg_completion xpudbg; echo ${COMPREPLY[@]}"
    env = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT / ".links")}
    words = ["bash", "--norc", "-c", f"compopt() {{ :; }}\n{script}\n{asked}"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False, env=env)
    assert (done.stdout, done.stderr) == ("diff\n", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_one_of_the_shell(shell: str) -> None:
    done = run("completion", shell)
    assert (done.exit_code, done.stderr) == (0, "")
    assert "_XPUDBG_COMPLETE" in done.stdout
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not here")
    checked = subprocess.run([shell, "-n"], input=done.stdout, text=True, capture_output=True, timeout=30, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("report", "--nonsense"), ["xpudbg: No such option", "  see `xpudbg report --help`"]),
        (("run",), ["xpudbg: Missing argument", "  see `xpudbg run --help`"]),
        (("h:1", "h:2"), ["xpudbg: 'h:1' can't stand among", "  write each worker as"]),
        (("--log-level", "loud", "runs"), ["xpudbg: Invalid value for '--log-level'", "  see `xpudbg --help`"]),
        (
            ("report", "h:1", "--timeout", "x"),
            ["xpudbg: Invalid value for '--timeout'", "  see `xpudbg report --help`"],
        ),
    ],
)
def test_an_error_is_one_line_and_a_hint(words: tuple[str, ...], said: list[str]) -> None:
    done = run(*words)
    assert (done.exit_code, done.stdout) == (2, "")
    lines = done.stderr.splitlines()
    assert len(lines) == len(said)
    for line, begin in zip(lines, said, strict=True):
        assert line.startswith(begin)


def test_what_was_typed_is_told_plain() -> None:
    done = run("report", "--x\x1b[31m")
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_an_example_and_fits_80_columns(name: str) -> None:
    done = run(name, "--help")
    assert done.exit_code == 0
    assert max(map(len, done.stdout.splitlines())) <= 80
    examples = [line for line in done.stdout.splitlines() if line.strip().startswith(("xpudbg ", 'eval "$(xpudbg'))]
    assert examples
    words = [line.split() for line in examples if line.strip().startswith("xpudbg ")]
    assert all(word[1] == name or name == "attach" for word in words)


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_name_options_that_there_are(name: str) -> None:
    command = main.commands[name]
    known = {opt for one in command.params for opt in (*one.opts, *one.secondary_opts)}
    for line in run(name, "--help").stdout.splitlines():
        if line.strip().startswith("xpudbg "):
            used = {word.partition("=")[0] for word in shlex.split(line) if word.startswith("-")}
            assert used <= known, line


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_name_scenarios_that_there_are(name: str) -> None:
    for line in run(name, "--help").stdout.splitlines():
        words = line.split()
        if words[:1] == ["xpudbg"] and "--scenario" in words:
            assert words[words.index("--scenario") + 1] in SCENARIOS, line


def test_ranks_alone_is_for_a_report_only_and_the_mouse_is_told_both_ways() -> None:
    alone = [name for name in COMMANDS if "Alone: a row for each rank." in " ".join(run(name, "--help").stdout.split())]
    assert alone == ["report"]
    assert "Take the mouse, or leave it to the terminal" in " ".join(run("demo", "--help").stdout.split())


def test_the_help_of_all_fits_80_columns() -> None:
    assert max(map(len, run("--help").stdout.splitlines())) <= 80


def test_commands_that_are_shown_have_a_short_help() -> None:
    assert all(
        isinstance(command, click.Command) and command.get_short_help_str() for command in main.commands.values()
    )


def xpudbg(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "xpudbg.tui.cli", *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        stdin=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": str(ROOT / ".links")} | env,
    )


def test_the_log_is_in_its_file_and_nowhere_else(tmp_path: Path) -> None:
    """One start for all: the target fails, its password is nowhere."""
    log = tmp_path / "x.log"
    words = ("report", "http://me:secret@127.0.0.1:1", "--looks", "1", "--timeout", "0.5")
    usual = xpudbg(*words)
    done = xpudbg("--log", str(log), *words)
    assert (done.returncode, done.stderr) == (usual.returncode, usual.stderr)
    text = log.read_text()
    assert "look 1 closed" in text or "look 1 partial" in text
    assert "ping refused 1" in text
    assert f"ended: {done.returncode}" in text
    assert "secret" not in text


def test_a_log_that_cannot_be_written(tmp_path: Path) -> None:
    done = run("--log", str(tmp_path / "no" / "x.log"), "runs")
    assert done.exit_code == 2
    assert "the log can't be written to" in done.stderr
    done = CliRunner(env={"XPUDBG_LOG": str(tmp_path / "no" / "x.log")}).invoke(main, ["runs"])
    assert done.exit_code == 0
    assert "the log can't be written to" in done.stderr


def test_the_target_may_come_after_options_of_the_log(tmp_path: Path) -> None:
    done = xpudbg("--log", str(tmp_path / "x.log"), "h:1")
    assert done.returncode == 2
    assert "need a terminal" in done.stderr
