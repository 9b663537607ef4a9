"""`xpudbg web`: what it refuses, and what its sessions are started with."""

from __future__ import annotations

import sys

import click
import pytest
from click.testing import CliRunner

from xpudbg.tui.cli import main
from xpudbg.tui.commands.web import session_command, web

BEGIN = [sys.executable, "-P", "-m", "xpudbg.tui.cli", "attach"]


def words(*given: str) -> list[str]:
    """The words of a session after those that are always there."""
    with click.Context(web, resilient_parsing=False) as context:
        web.parse_args(context, list(given))
        made = session_command(web, context.params)
    assert made[: len(BEGIN)] == BEGIN
    return made[len(BEGIN) :]


def test_a_session_is_given_what_the_server_was_given() -> None:
    given = ("10.0.0.5:29500", "--ranks", "0-7", "--map", "a=b", "--map", "c=d", "--timeout", "5", "--refresh", "2")
    made = words(*given, "--insecure", "--no-mouse", "--port", "8765", "--host", "::1", "--allow-remote")
    at = made.index("--")
    assert made[at:] == ["--", "10.0.0.5:29500"]
    assert set(made[:at]) == {
        *("--ranks=0-7", "--map=a=b", "--map=c=d", "--timeout=5.0", "--refresh=2.0"),
        *("--insecure", "--no-mouse"),
    }


def test_nothing_that_is_given_becomes_an_option_or_a_command() -> None:
    made = words("--ranks", "--insecure", "--", "-h", "$(reboot); x")
    assert made[-3:] == ["--", "-h", "$(reboot); x"]
    assert "--ranks=--insecure" in made
    assert "--insecure" not in made


@pytest.mark.parametrize("host", ["0.0.0.0", "10.0.0.5", "::", "node-7"])
def test_beyond_this_machine_only_when_that_is_said(host: str) -> None:
    done = CliRunner().invoke(main, ["web", "demo", "--host", host])
    assert done.exit_code == 2
    assert f"--host {host} is reached from other machines, and nothing is encrypted" in done.output
    assert "--allow-remote" in done.output


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["web", "--ranks", "x", "demo"], "--ranks"),
        (["web", "http://"], "http://"),
        (["web", "--port", "70000"], "70000"),
    ],
)
def test_wrong_usage_is_told_before_anything_listens(given: list[str], says: str) -> None:
    done = CliRunner().invoke(main, given)
    assert done.exit_code == 2
    assert says in done.output


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "textual_serve", None)
    done = CliRunner().invoke(main, ["web", "demo"])
    assert done.exit_code == 3
    assert "pip install 'xpudbg[web]'" in done.output
