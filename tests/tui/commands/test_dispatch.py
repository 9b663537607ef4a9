"""The words of `xpudbg dispatch`."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from xpudbg.services.addressing.endpoints import TargetError
from xpudbg.services.dispatch.endpoint import PLAIN_HTTP
from xpudbg.tui.cli import main
from xpudbg.tui.commands.dispatch import dispatch_start

CONFIG = """
remote:
  endpoints: [{host: a, port: 1}, {host: b, port: 2, hardware: 910B}]
  dispatch_deadline_s: 7
"""


@pytest.fixture(autouse=True)
def no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XPUDBG_SERVER", raising=False)


def test_servers_come_from_options_then_a_configuration_then_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ttk.conf.yaml").write_text(CONFIG)
    monkeypatch.setenv("XPUDBG_SERVER", "c:3")
    config = tmp_path / "ttk.conf.yaml"
    named = dispatch_start((), ("h:5", "h:5", "i"), config, None, PLAIN_HTTP)
    configured = dispatch_start((), (), config, 2.5, PLAIN_HTTP)
    usual = dispatch_start((Path("x.toml"),), (), None, None, PLAIN_HTTP)
    assert [list(map(str, start.servers)) for start in (named, configured, usual)] == [
        ["h:5", "i:9090"],
        ["a:1", "b:2"],
        ["c:3"],
    ]
    assert configured.settings is not None
    assert configured.settings.deadline_s == 2.5
    assert usual.paths == (Path("x.toml"),)


def test_without_any_server_one_is_chosen_on_the_screen() -> None:
    assert dispatch_start((), (), None, None, PLAIN_HTTP).servers == ()


def test_a_wrong_address_is_wrong_usage() -> None:
    with pytest.raises(TargetError):
        dispatch_start((), ("ftp://x",), None, None, PLAIN_HTTP)
    result = CliRunner().invoke(main, ["dispatch", "--server", "ftp://x"])
    assert result.exit_code == 2
    assert "not an op server's address" in result.output


@pytest.mark.parametrize("words", [["dispatch"], ["dispatch", "--server", "h:1"]])
def test_the_screen_needs_a_terminal(words: list[str]) -> None:
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 2
    assert "need a terminal" in result.output
