"""Tenants and their files."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from xpudbg.services.opserver.run_error import RunError
from xpudbg.services.opserver.tenants import MOST_TENANTS, Tenants


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def tenants(tmp_path: Path, clock: Clock) -> Tenants:
    return Tenants(tmp_path, 600.0, clock)


def file(text: str, told: str = "") -> dict[str, str]:
    return {"content": b64encode(text.encode()).decode(), "hash": told}


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_files_are_written_in_their_folders(tenants: Tenants) -> None:
    result = tenants.write("t", {"op.py": file("a = 1"), "pk/__init__.py": file(""), "pk/b.py": file("b = 2")})
    assert result == {"synced": 3, "skipped": 0, "errors": []}
    folder = tenants.folder("t")
    assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*.py")) == [
        "op.py",
        "pk/__init__.py",
        "pk/b.py",
    ]
    assert (folder / "op.py").read_text() == "a = 1"


def test_the_hash_tells_what_is_there_already(tenants: Tenants) -> None:
    first, second = file("a", digest("a")), file("b", f"sha256:{digest('b')}")
    assert tenants.write("t", {"op.py": first})["synced"] == 1
    assert tenants.write("t", {"op.py": first})["skipped"] == 1
    assert tenants.write("t", {"op.py": second})["synced"] == 1
    assert tenants.write("t", {"op.py": file("b")})["synced"] == 1
    assert (tenants.folder("t") / "op.py").read_text() == "b"


WRONG: dict[str, tuple[Any, str]] = {
    "../op.py": (file(""), "path traversal rejected"),
    "a/../../op.py": (file(""), "path traversal rejected"),
    "/tmp/op.py": (file(""), "path traversal rejected"),
    "a\\op.py": (file(""), "path traversal rejected"),
    "a\0.py": (file(""), "path traversal rejected"),
    "x" * 600 + ".py": (file(""), "path traversal rejected"),
    "op.txt": (file(""), "only .py files allowed"),
    "op.py/": ("", "no content"),
    "": (file(""), "only .py files allowed"),
    "a.py": ({"content": "@@@"}, "invalid base64"),
    "b.py": ({"content": "YQ"}, "invalid base64"),
    "c.py": ({}, "no content"),
    "d.py": ("text", "no content"),
    "e.py": (file("a", digest("b")), "the hash is not of this content"),
}


@pytest.mark.parametrize("path", WRONG)
def test_a_file_that_is_refused_keeps_no_other_out(path: str, tenants: Tenants, tmp_path: Path) -> None:
    entry, text = WRONG[path]
    result = tenants.write("t", {path: entry, "good.py": file("x")})
    assert result["synced"] == 1
    assert [error["error"] for error in result["errors"]] == [text]
    assert [found.name for found in tmp_path.rglob("*") if found.is_file()] == ["good.py"]


def test_dots_in_a_name_are_no_traversal(tenants: Tenants) -> None:
    assert tenants.write("t", {"a..b.py": file("")})["synced"] == 1


def test_a_file_where_a_folder_is_needed_is_said_without_a_path(tenants: Tenants, tmp_path: Path) -> None:
    tenants.write("t", {"a.py": file("")})
    (error,) = tenants.write("t", {"a.py/b.py": file("")})["errors"]
    assert str(tmp_path) not in error["error"]


def test_a_tenant_that_is_silent_is_forgotten_with_its_files(tenants: Tenants, clock: Clock) -> None:
    tenants.seen("t")
    tenants.write("t", {"op.py": file("")})
    clock.now = 600.0
    assert tenants.expire() == []
    clock.now = 600.1
    assert tenants.expire() == ["t"]
    assert not tenants.folder("t").exists()


def test_a_run_keeps_its_tenant(tenants: Tenants, clock: Clock) -> None:
    tenants.started("t")
    clock.now = 10_000.0
    assert tenants.expire() == []
    tenants.ended("t")
    clock.now = 10_599.0
    assert tenants.expire() == []
    clock.now = 10_601.0
    assert tenants.expire() == ["t"]
    tenants.ended("t")


def test_forgetting_is_idempotent(tenants: Tenants) -> None:
    tenants.seen("t")
    assert tenants.forget("t")
    assert not tenants.forget("t")
    assert "t" not in tenants


def test_tenants_are_counted(tenants: Tenants) -> None:
    for number in range(MOST_TENANTS):
        tenants.seen(f"t{number}")
    tenants.seen("t0")
    with pytest.raises(RunError) as refused:
        tenants.seen("one more")
    assert refused.value.status == 503
