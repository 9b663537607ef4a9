"""What is remembered: parts that do not disturb each other, two programs at once, files that cannot be used."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import msgspec
import pytest

from xpudbg.services.settings.state import FILE_LIMIT, WIDEST, KeptTable, Remembered, StateFile, state_path

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "state.json"


def test_parts_are_kept_beside_each_other(path: Path) -> None:
    kept = Remembered(StateFile(path))
    kept.keep_theme("dark")
    ranks = KeptTable(("host", "rank"), ("address",), {"host": 9}, (("lag", True), ("rank", False)))
    kept.keep_tables({"ranks": ranks, "runs": KeptTable(hidden=())})
    kept.keep_tables({"calls": KeptTable(sorts=(("seq", False),))})
    kept.note_shown("palette")
    kept.note_shown("palette")
    again = Remembered(StateFile(path))
    assert again.theme == "dark"
    assert again.table("ranks") == ranks
    assert again.table("calls") == KeptTable(sorts=(("seq", False),))
    assert (again.table("runs").hidden, again.table("cases").hidden) == ((), None)
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


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (None, KeptTable()),
        ([1, 2], KeptTable()),
        ({"order": "rank", "hidden": ["a"], "of the future": 1}, KeptTable(hidden=("a",))),
        ({"order": [1], "sorts": [["a", True]]}, KeptTable(sorts=(("a", True),))),
        ({"sorts": [["a", 1]], "widths": {"a": 5}}, KeptTable(widths={"a": 5})),
        ({"widths": {"a": -1, "b": 0, "c": 1, "d": WIDEST, "e": WIDEST + 1}}, KeptTable(widths={"c": 1, "d": WIDEST})),
        ({"widths": {"a": "5"}, "order": ["x"]}, KeptTable(order=("x",))),
        ({"widths": {"a": 10**30}, "hidden": None}, KeptTable()),
    ],
    ids=range(8),
)
def test_of_a_damaged_table_the_good_parts_count(path: Path, found: object, wanted: KeptTable) -> None:
    path.parent.mkdir()
    path.write_bytes(msgspec.json.encode({"tables": {"ranks": found, "calls": {"hidden": ["seq"]}}}))
    kept = Remembered(StateFile(path))
    assert kept.table("ranks") == wanted
    assert kept.table("calls") == KeptTable(hidden=("seq",))
    kept.keep_tables({"runs": KeptTable(order=("took",))})
    assert msgspec.json.decode(path.read_bytes())["tables"] == {
        "ranks": found,
        "calls": {"hidden": ["seq"]},
        "runs": {"order": ["took"]},
    }


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
