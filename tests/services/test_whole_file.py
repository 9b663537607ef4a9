"""A file is there whole or not at all; what is no file is written into and never replaced."""

from __future__ import annotations

import os
import stat
import threading
from typing import TYPE_CHECKING

import pytest

from xpudbg.services.whole_file import is_no_file, whole_file

if TYPE_CHECKING:
    from pathlib import Path


def test_it_takes_its_name_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with whole_file(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a"]


def test_what_fails_leaves_all_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def fail() -> None:
        with whole_file(path) as file:
            file.write(b"new")
            raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        fail()
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "a", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    with whole_file(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_a_name_as_long_as_a_name_may_be(tmp_path: Path) -> None:
    path = tmp_path / ("a" * 255)
    with whole_file(path) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new"


def test_a_pipe_is_written_into_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    assert is_no_file(path)
    read: list[bytes] = []
    reading = threading.Thread(target=lambda: read.append(path.read_bytes()))
    reading.start()
    with whole_file(path) as file:
        file.write(b"new")
    reading.join()
    assert read == [b"new"]
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_a_folder_is_no_place(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError), whole_file(tmp_path):
        pass
    assert not is_no_file(tmp_path / "none")
