"""`xpudbg config`, and what settings do on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.settings.example import example_file
from xpudbg.services.targets import StoreTarget
from xpudbg.tui.cli import main

FILE = """\
refresh = 5
server = "gpu"
[limits]
timeout_s = 2.5
[targets]
prod = "10.0.0.5:29500"
proxied = { words = "h:1", proxy = "http://me:secret@p:3128" }
[endpoints]
gpu = "127.0.0.1:9"
[keys]
look = ["f5", "r"]
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(FILE)
    monkeypatch.setenv("XPUDBG_CONFIG", str(path))
    monkeypatch.chdir(tmp_path)
    return path


def run(*words: str, env: dict[str, str] | None = None) -> Result:
    return CliRunner(env=env).invoke(main, words)


def test_a_table_says_where_each_value_comes_from(file: Path) -> None:
    done = run("config", env={"XPUDBG_TIMEOUT": "9"})
    assert (done.exit_code, done.stderr) == (0, "")
    rows = {line.split()[0]: line.split() for line in done.stdout.splitlines() if line}
    assert rows["file"][1] == str(file)
    assert rows["refresh"][1:] == ["5.0", "config.toml:1"]
    assert rows["limits.timeout_s"][1:] == ["9.0", "XPUDBG_TIMEOUT"]
    assert rows["mouse"][1:] == ["true", "default"]
    assert rows["targets.prod"][-1] == "config.toml:6"
    assert "secret" not in done.stdout


def test_json_is_the_same(file: Path) -> None:
    made = json.loads(run("config", "--json").stdout)
    assert made["path"] == str(file)
    values = {one["name"]: (one["value"], one["from"]) for one in made["values"]}
    assert values["limits.timeout_s"] == (2.5, "config.toml:4")
    assert values["targets.proxied"][0]["proxy"] == "http://p:3128"
    assert values["keys.look"] == (["f5", "r"], "config.toml:11")
    assert made["problems"] == []


def test_path_and_example(file: Path) -> None:
    assert run("config", "--path").stdout == f"{file}\n"
    assert run("config", "--example").stdout == example_file()
    assert run("config", "--example", "--path").exit_code == 2


def test_actions_are_listed_with_their_keys_as_set(file: Path) -> None:
    (line,) = [line for line in run("config", "--keys").stdout.splitlines() if line.startswith("look ")]
    assert line.split()[1:3] == ["f5", "r"]
    listed = json.loads(run("config", "--keys", "--json").stdout)
    assert {"action", "keys", "where", "does"} == set(listed[0])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[keys]\nlook = "y"', "line 2: keys.look: y is the key of copy"),
        ('[targets]\nreport = "h:1"', "line 2: targets.report: report is a command"),
        ('theme = "xpudbg-drak"', "line 1: theme: there is none called 'xpudbg-drak'; did you mean xpudbg-dark?"),
        ('[endpoints]\ngpu = "ftp://x"', "line 2: endpoints.gpu:"),
        ('server = "no such"', "line 1: server:"),
        ('[columns.rnks]\nhidden = ["host"]', "columns.rnks: there is no such table; did you mean ranks?"),
        ('[columns.ranks]\nhidden = ["hots"]', "line 2: columns.ranks.hidden: there is no column 'hots'"),
        ("x", "line 1: not TOML"),
    ],
)
def test_check_tells_all_and_ends_with_1(file: Path, text: str, said: str) -> None:
    assert run("config", "--check").exit_code == 0
    file.write_text(text)
    done = run("config", "--check")
    assert done.exit_code == 1
    assert said in done.stdout
    assert len(json.loads(run("config", "--check", "--json").stdout)) == len(done.stdout.splitlines())


def test_a_broken_file_is_one_line_on_standard_error(file: Path) -> None:
    file.write_text("x\ny\n")
    done = run("runs")
    assert done.exit_code == 0
    assert len(done.stderr.splitlines()) == 1
    assert "line 1: not TOML" in done.stderr


@pytest.fixture
def reported(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, object]]:
    """What `report` would look at, and how."""
    seen: list[tuple[object, object]] = []

    def note(target: object, options: object, _wanted: object) -> int:
        seen.append((target, options))
        return 0

    monkeypatch.setattr("xpudbg.tui.commands.report.run_report", note)
    return seen


def test_limits_are_shown_checked_and_hold(file: Path, reported: list[tuple[object, object]]) -> None:
    file.write_text(f"{FILE}[limits]\n".replace("timeout_s = 2.5", "parallel = 7\nlooks = 1\nlooks_disk_mib = 64"))
    rows = {line.split()[0]: line.split() for line in run("config").stdout.splitlines() if line}
    assert rows["limits.parallel"][1:] == ["7", "config.toml:4"]
    assert rows["limits.looks"][1:] == ["2000", "default"]
    assert "line 5: limits.looks wants int >= 2: 1" in run("config", "--check").stdout
    assert run("report", "prod", "--timeout", "3").exit_code == 0
    ((_, options),) = reported
    assert isinstance(options, AttachOptions)
    assert (options.parallel, options.bounds.looks, options.bounds.disk) == (7, 2000, 64 * 1024 * 1024)
    assert (options.name, options.typed) == ("prod", frozenset(("timeout_s",)))


def test_a_named_target_comes_with_its_options(file: Path, reported: list[tuple[object, object]]) -> None:
    file.write_text(
        f'{FILE}[targets.lab]\nwords = "h:2"\ntimeout_s = 8\nranks = "0-3"\nworld_size = 64\nrecursive = true\n'
    )
    assert run("report", "prod").exit_code == 0
    assert run("report", "lab").exit_code == 0
    assert run("report", "lab", "--timeout", "1", "--ranks", "9").exit_code == 0
    assert [target for target, _ in reported] == [StoreTarget("10.0.0.5", 29500), *[StoreTarget("h", 2)] * 2]
    options = [options for _, options in reported]
    assert [one.timeout_s for one in options] == [2.5, 8.0, 1.0]  # type: ignore[attr-defined]
    assert [str(one.ranks) for one in options] == ["None", "0-3", "9"]  # type: ignore[attr-defined]
    assert options[1].world_size == 64  # type: ignore[attr-defined]


def test_a_file_of_that_name_wins_and_that_is_said(
    file: Path, reported: list[tuple[object, object]], tmp_path: Path
) -> None:
    (tmp_path / "prod").write_text("rank0=http://127.0.0.1:1\n")
    done = run("report", "prod")
    assert done.exit_code == 0
    assert "prod is a file here" in done.stderr
    assert reported[0][0] != StoreTarget("10.0.0.5", 29500)


def test_a_target_that_cannot_be_used_is_wrong_usage(file: Path, reported: list[tuple[object, object]]) -> None:
    file.write_text('[targets.bad]\nwords = "h:1"\nranks = "x"\n')
    done = run("report", "bad")
    assert done.exit_code == 2
    assert "--ranks" in done.stderr


def test_servers_by_name(file: Path) -> None:
    from xpudbg.services.dispatch.endpoint import TlsSettings
    from xpudbg.tui.dispatch.named_servers import find_server, usual_server, usual_settings

    assert str(find_server("gpu")) == "127.0.0.1:9"
    assert str(find_server("other:1")) == "other:1"
    assert str(usual_server()) == "127.0.0.1:9"
    assert usual_settings().deadline_s == 300.0
    file.write_text('[limits]\ndeadline_s = 7\n[endpoints.tls]\nurl = "s:1"\nca = "/c.pem"\nskip_verify = true\n')
    assert usual_server() is None
    assert usual_settings().deadline_s == 7.0
    assert find_server("tls").tls == TlsSettings(Path("/c.pem"), skip_name_check=True)
    own = TlsSettings(Path("/other.pem"))
    assert find_server("tls", own).tls == own


def test_the_environment_names_the_server_before_the_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from xpudbg.tui.dispatch.named_servers import usual_server

    monkeypatch.setenv("XPUDBG_SERVER", "10.0.0.9:1")
    assert str(usual_server()) == "10.0.0.9:1"
