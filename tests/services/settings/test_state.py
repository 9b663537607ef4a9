"""What is remembered: parts that do not disturb each other, two programs at once, files that cannot be used."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import msgspec
import pytest

from xpudbg.services.settings.state import FILE_LIMIT, Remembered, StateFile, state_path

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "state.json"


def test_parts_are_kept_beside_each_other(path: Path) -> None:
    kept = Remembered(StateFile(path))
    kept.keep_theme("dark")
    kept.keep_sorts("ranks", (("lag", True), ("rank", False)))
    kept.keep_sorts("calls", (("seq", False),))
    kept.keep_hidden("ranks", ("address",))
    kept.note_shown("palette")
    kept.note_shown("palette")
    again = Remembered(StateFile(path))
    assert again.theme == "dark"
    assert again.sorts("ranks") == (("lag", True), ("rank", False))
    assert again.sorts("calls") == (("seq", False),)
    assert again.hidden("ranks") == ("address",)
    assert again.hidden("calls") == ()
    assert again.was_shown("palette")
    assert not again.was_shown("filter")
    assert msgspec.json.decode(path.read_bytes())["hints"] == ["palette"]


def test_what_another_version_wrote_is_kept(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b'{"version": 9, "of the future": [1], "theme": 3}')
    kept = Remembered(StateFile(path))
    assert kept.theme == ""
    assert "damaged" in kept.problem
    kept.keep_theme("dark")
    assert not kept.problem
    assert msgspec.json.decode(path.read_bytes()) == {"version": 9, "of the future": [1], "theme": "dark"}


def test_nothing_is_written_where_nothing_changes(path: Path) -> None:
    kept = Remembered(StateFile(path))
    kept.keep_theme("dark")
    before = path.stat().st_ino
    kept.keep_theme("dark")
    assert path.stat().st_ino == before


def test_many_at_once_lose_nothing(path: Path) -> None:
    """flock holds between descriptors, so threads stand for programs here."""
    begin = threading.Barrier(8)

    def note(name: str) -> None:
        begin.wait()
        Remembered(StateFile(path)).note_shown(name)

    threads = [threading.Thread(target=note, args=(f"hint-{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kept = Remembered(StateFile(path))
    assert all(kept.was_shown(f"hint-{number}") for number in range(8))


@pytest.mark.parametrize("data", [b" " * (FILE_LIMIT + 1)], ids=["large"])
def test_a_file_that_is_left_alone_stays_as_it_is(path: Path, data: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(data)
    kept = Remembered(StateFile(path))
    kept.keep_theme("dark")
    assert "left alone" in kept.problem
    assert path.read_bytes() == data


def test_a_folder_in_its_place_is_left_alone(path: Path) -> None:
    path.mkdir(parents=True)
    kept = Remembered(StateFile(path))
    kept.keep_theme("dark")
    assert "no regular file" in kept.problem
    assert path.is_dir()


def test_where_nothing_can_be_written_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    kept = Remembered(StateFile(tmp_path / "file" / "state.json"))
    kept.keep_theme("dark")
    assert "cannot be" in kept.problem
    without_home = Remembered(StateFile(None))
    without_home.keep_theme("dark")
    assert (without_home.theme, "no home" in without_home.problem) == ("", True)


def test_the_file_is_in_the_users_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert state_path() == tmp_path / "xpudbg" / "state.json"
