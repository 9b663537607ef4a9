"""The terminal driver itself: it must notice a program that leaves a mess."""

from __future__ import annotations

import os
import sys

import pytest

from .terminal import Terminal

pytestmark = pytest.mark.terminal


def program(source: str) -> Terminal:
    return Terminal([sys.executable, "-c", source], size=(60, 10))


def test_it_reads_the_screen_and_sends_keys() -> None:
    with program("print('name?'); print('hello', input())") as terminal:
        terminal.wait_for(r"name\?", within=30)
        terminal.press("ann\r")
        terminal.wait_for("hello ann", within=30)
        assert terminal.wait_for_exit(within=30) == 0
        assert terminal.left_behind() == []
        assert not terminal.used_alternate_screen()


def test_it_tells_what_a_program_left_behind() -> None:
    source = "import tty; tty.setraw(0); print('\\x1b[?1049h\\x1b[?25l\\x1b[?1000;1003hdrawn'); raise SystemExit(3)"
    with program(source) as terminal:
        terminal.wait_for("drawn", within=30)
        assert terminal.wait_for_exit(within=30) == 3
        assert terminal.used_alternate_screen()
        assert terminal.left_behind() == [
            "alternate screen",
            "mouse clicks",
            "mouse moves",
            "hidden cursor",
            "line settings (echo, line mode, signals)",
        ]


def test_it_says_what_was_on_the_screen_when_a_text_does_not_come() -> None:
    with program("print('something else')") as terminal, pytest.raises(AssertionError, match="something else"):
        terminal.wait_for("never shown", within=30)


def test_nothing_is_left_running() -> None:
    with program("print('up', flush=True); import time; time.sleep(600)") as terminal:
        terminal.wait_for("up", within=30)
        pid = terminal.pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
