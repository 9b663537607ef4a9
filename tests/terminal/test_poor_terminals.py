"""The program on terminals that can do little: without UTF-8, without colours, without a cursor."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from .terminal import Terminal

pytestmark = pytest.mark.terminal

PROGRAM = str(Path(sys.executable).with_name("xpudbg"))
DEMO = [PROGRAM, "demo", "--scenario", "stopped", "--ranks", "8"]
SGR = re.compile(rb"\x1b\[([\d;]*)m")
COLOURS = frozenset(str(code) for code in (*range(30, 50), *range(90, 98), *range(100, 108)))


def started(folder: Path, *more: str, **environment: str) -> Terminal:
    home = {"HOME": str(folder), "XDG_STATE_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    return Terminal([*DEMO, *more], cwd=folder, size=(120, 24), environment={**home, **environment})


def test_ascii_no_colours_and_no_mouse(tmp_path: Path) -> None:
    with started(tmp_path, "--no-mouse", LANG="C", LC_ALL="", NO_COLOR="1") as terminal:
        terminal.wait_for(r"HANG\s+Rank 4 \(.*\) is stopped", within=60)
        terminal.press("2")
        terminal.wait_for(r"4\s+S stopped", within=30)
        terminal.press(":")
        terminal.wait_for("Search for commands~(.|\n)*Overview  1", within=30)
        terminal.press("\x1b")
        terminal.wait_for(r"rank \^ (.|\n)* 3  o alive", within=30)
        terminal.press("q")
        assert terminal.wait_for_exit(within=30) == 0
        sent = terminal.received
    assert terminal.used_alternate_screen()
    assert sent.isascii()
    codes = {code for found in SGR.findall(sent) for code in found.decode().split(";")}
    assert "7" in codes, "the cursor is reversed"
    assert codes & COLOURS == set()
    assert re.search(rb"\x1b\[\?(1000|1003)h", sent) is None


def test_a_terminal_without_a_cursor_to_move_is_told_in_a_line(tmp_path: Path) -> None:
    with started(tmp_path, TERM="dumb") as terminal:
        terminal.wait_for(r"TERM=dumb has none", within=60)
        assert terminal.wait_for_exit(within=30) == 2
        assert not terminal.used_alternate_screen()
