"""The list of targets used before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from xpudbg.services.settings.recent import KEPT, RecentTargets, words_of
from xpudbg.services.snapshot import RankAddress
from xpudbg.services.targets import DemoTarget, StoreTarget, WorkersTarget, parse_target

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def recent(tmp_path: Path) -> RecentTargets:
    return RecentTargets(tmp_path / "state" / "recent.json")


def words(recent: RecentTargets) -> list[tuple[str, ...]]:
    return [entry.words for entry in recent.load()]


def test_the_newest_is_first_and_nothing_is_there_twice(recent: RecentTargets) -> None:
    for now, host in enumerate(["a", "b", "a"]):
        recent.add(StoreTarget(host, 29500), now)
    assert words(recent) == [("a:29500",), ("b:29500",)]
    assert [entry.used_at for entry in recent.load()] == [2, 1]
    assert not recent.problem


def test_the_list_is_short(recent: RecentTargets) -> None:
    for port in range(1000, 1000 + KEPT + 5):
        recent.add(StoreTarget("a", port), port)
    assert len(words(recent)) == KEPT


@pytest.mark.parametrize(
    "typed",
    [
        ["10.0.0.5:29500"],
        ["[fe80::1]:29500"],
        ["http://node-7:41234"],
        ["http://a:1", "http://b:2"],
        ["rank3=http://a:1", "rank7=http://b:2"],
    ],
)
def test_what_is_kept_can_be_typed_again(typed: list[str]) -> None:
    target = parse_target(typed, {})
    assert target is not None
    kept = words_of(target)
    assert parse_target(kept, {}) == target


def test_a_password_is_never_kept(recent: RecentTargets, tmp_path: Path) -> None:
    worker = RankAddress(0, "http://me:secret@a:1", "http://me:secret@a:1", "a")
    recent.add(WorkersTarget((worker,)), 1)
    assert words(recent) == [("http://a:1",)]
    assert "secret" not in (tmp_path / "state" / "recent.json").read_text()


def test_what_is_long_or_always_there_is_not_kept(recent: RecentTargets) -> None:
    many = tuple(RankAddress(rank, f"http://a:{rank + 1}", f"http://a:{rank + 1}", "a") for rank in range(9))
    recent.add(WorkersTarget(many), 1)
    recent.add(DemoTarget(None, None), 2)
    assert words(recent) == []


DEEP = b'{"x": ' + b"[" * 30_000 + b"]" * 30_000 + b"}"


@pytest.mark.parametrize("data", [b"", b"{", b'{"recent": [{"words": 3}]}', b"\xff\xfe", b"[1]", DEEP], ids=range(6))
def test_a_damaged_file_is_said_and_written_anew(recent: RecentTargets, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "state" / "recent.json"
    path.parent.mkdir()
    path.write_bytes(data)
    assert recent.load() == []
    assert "damaged" in recent.problem
    recent.add(StoreTarget("a", 1), 1)
    assert words(recent) == [("a:1",)]
    assert not recent.problem


def test_a_huge_file_is_left_alone_by_reading(recent: RecentTargets, tmp_path: Path) -> None:
    path = tmp_path / "state" / "recent.json"
    path.parent.mkdir()
    path.write_bytes(b" " * 70_000)
    assert recent.load() == []
    assert "larger than 64 KiB" in recent.problem


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    recent = RecentTargets(tmp_path / "state" / "recent.json")
    recent.add(StoreTarget("a", 1), 1)
    assert "cannot be" in recent.problem


def test_the_list_of_earlier_versions_is_taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    old = tmp_path / "xpudbg" / "recent.json"
    RecentTargets(old).add(StoreTarget("old", 1), 1)
    recent = RecentTargets()
    assert words(recent) == [("old:1",)]
    recent.add(StoreTarget("new", 2), 2)
    assert words(recent) == words(RecentTargets()) == [("new:2",), ("old:1",)]
    assert (tmp_path / "xpudbg" / "state.json").exists()
    old.unlink()
    assert len(words(RecentTargets())) == 2


def test_the_file_is_for_its_owner_only(recent: RecentTargets, tmp_path: Path) -> None:
    recent.add(StoreTarget("a", 1), 1)
    path = tmp_path / "state" / "recent.json"
    assert path.stat().st_mode & 0o077 == 0
    assert msgspec.json.decode(path.read_bytes())["version"] == 1
    assert [child.name for child in path.parent.iterdir()] == ["recent.json"]
