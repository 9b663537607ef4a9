"""Environment over file over default, and where each value comes from."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from xpudbg.services.settings.shape import Settings
from xpudbg.services.settings.sources import CONFIG_VARIABLE, VARIABLES, config_path, load_settings

if TYPE_CHECKING:
    from pathlib import Path

FILE = 'theme = "a"\nrefresh = 5\n[limits]\ntimeout_s = 2\n[targets]\nprod = "h:1"\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "own.toml"
    path.write_text(FILE)
    return path


def test_environment_then_file_then_default(file: Path) -> None:
    loaded = load_settings({CONFIG_VARIABLE: str(file), "XPUDBG_THEME": "b", "XPUDBG_TIMEOUT": "4.5"})
    assert loaded.problems == ()
    assert (loaded.settings.theme, loaded.settings.refresh, loaded.settings.limits.timeout_s) == ("b", 5.0, 4.5)
    sources = {name: source for name, _, source in loaded.values()}
    assert sources["theme"] == "XPUDBG_THEME"
    assert sources["refresh"] == "own.toml:2"
    assert sources["limits.timeout_s"] == "XPUDBG_TIMEOUT"
    assert sources["limits.deadline_s"] == "default"
    assert sources["targets.prod"] == "own.toml:6"


@pytest.mark.parametrize(("word", "mouse"), [("1", False), ("yes", False), ("0", True), ("False", True)])
def test_a_variable_may_switch_off(word: str, mouse: bool) -> None:
    loaded = load_settings({CONFIG_VARIABLE: "/dev/null", "XPUDBG_NO_MOUSE": word})
    assert (loaded.settings.mouse, loaded.problems) == (mouse, ())


@pytest.mark.parametrize(
    ("name", "value"),
    [("XPUDBG_TIMEOUT", "soon"), ("XPUDBG_TIMEOUT", "0"), ("XPUDBG_REFRESH", "nan"), ("XPUDBG_ASCII", "perhaps")],
)
def test_a_variable_that_cannot_be_used_is_told(name: str, value: str) -> None:
    loaded = load_settings({CONFIG_VARIABLE: "/dev/null", name: value})
    assert loaded.settings == Settings()
    assert [str(one).split()[0] for one in loaded.problems] == [name]
    assert name in loaded.told()


def test_every_variable_is_of_a_setting() -> None:
    names = {name for name, _, _ in load_settings({CONFIG_VARIABLE: "/dev/null"}).values()}
    assert set(VARIABLES) <= names


def test_the_file_is_in_the_users_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert config_path({}) == tmp_path / "xpudbg" / "config.toml"
    loaded = load_settings({})
    assert (loaded.is_there, loaded.problems, loaded.told()) == (False, (), "")


def test_files_that_cannot_be_read_leave_the_defaults(tmp_path: Path) -> None:
    large = tmp_path / "large.toml"
    large.write_text("# x\n" * 100_000)
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    wrong = {tmp_path / "none.toml": "No such file", tmp_path: "can't be read", large: "larger than", pipe: "is a pipe"}
    for path, said in wrong.items():
        loaded = load_settings({CONFIG_VARIABLE: str(path)})
        assert loaded.settings == Settings()
        assert said in loaded.told()


def test_bytes_that_are_no_text_spoil_their_line_only(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_bytes(b'theme = "a"\n\xff\xfe\nrefresh = 2\n')
    loaded = load_settings({CONFIG_VARIABLE: str(path)})
    assert (loaded.settings.theme, loaded.settings.refresh) == ("a", 2.0)
    assert {one.line for one in loaded.problems} == {2}


def test_one_line_tells_the_first_and_how_many_more(file: Path) -> None:
    file.write_text("a = 1\nb = 2\n")
    told = load_settings({CONFIG_VARIABLE: str(file)}).told()
    assert told.startswith(f"{file}: line 1: a is no setting")
    assert told.endswith("(and more: `xpudbg config --check`)")
