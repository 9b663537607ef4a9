"""Files of stacks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from xpudbg.services.stacks.model import Frame, StackDump, StackSource, ThreadStack
from xpudbg.services.stacks.tree import ThreadChoice, merge
from xpudbg.tui.stacks.export import file_name, write_new, written

if TYPE_CHECKING:
    from pathlib import Path

NOON = 1_760_000_000_000_000_000


def test_names_say_what_and_when() -> None:
    name = file_name("store [/x] ../head:29500", ThreadChoice.MAIN, NOON, "speedscope")
    assert name == "xpudbg-store-x-head-29500-main-stacks-20251009T085320Z.speedscope.json"
    assert file_name("../..", ThreadChoice.ALL, NOON, "collapsed") == (
        "xpudbg-job-all-stacks-20251009T085320Z.collapsed.txt"
    )
    assert len(file_name("x" * 4000, ThreadChoice.ALL, NOON, "collapsed")) < 130


def test_nothing_is_written_over(tmp_path: Path) -> None:
    paths = [write_new(tmp_path, "a.speedscope.json", bytes([n])) for n in range(3)]
    assert [path.name for path in paths] == ["a.speedscope.json", "a-2.speedscope.json", "a-3.speedscope.json"]
    assert [path.read_bytes() for path in paths] == [b"\0", b"\1", b"\2"]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_new(tmp_path / "gone", "a.txt", b"")


def test_contents_keep_the_text_as_it_came() -> None:
    frame = Frame("f\x1b[2J" + "x" * 1200, "/a.py", 3)
    merged = merge({0: StackDump(StackSource.FAULTHANDLER, (ThreadStack("1", (frame,)),), 0)})
    assert json.loads(written(merged, "job", "speedscope"))["shared"]["frames"][0]["name"] == frame.function
    assert written(merged, "job", "collapsed").endswith(b"x (/a.py:3) 1\n")
