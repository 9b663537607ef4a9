"""What an environment says of its terminal."""

from __future__ import annotations

import subprocess
import sys

import pytest

from xpudbg.tui.terminal.kind import Colours, TerminalKind, first_environment, switched, terminal_kind, why_not

UTF8 = {"LANG": "en_GB.UTF-8", "TERM": "xterm-256color"}


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({"LANG": "C.UTF-8"}, False),
        ({"LANG": "de_DE.utf8"}, False),
        ({"LC_CTYPE": "UTF-8"}, False),
        ({"LANG": "C"}, True),
        ({"LANG": "POSIX"}, True),
        ({"LANG": "de_DE@euro"}, True),
        ({}, True),
        ({"LANG": "C.UTF-8", "LC_ALL": "C"}, True),
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, False),
        ({"LANG": "C.UTF-8", "LC_CTYPE": "ja_JP.EUC-JP"}, True),
        ({"LANG": "C.UTF-8", "LC_ALL": ""}, False),
        ({"LANG": "C", "XPUDBG_ASCII": "0"}, False),
        ({"LANG": "C.UTF-8", "XPUDBG_ASCII": "1"}, True),
        ({"LANG": "C.UTF-8", "XPUDBG_ASCII": "perhaps"}, False),
    ],
    ids=str,
)
def test_ascii_alone_where_the_locale_is_not_of_utf8(env: dict[str, str], expected: bool) -> None:
    assert terminal_kind(env, "truecolor").ascii is expected


def test_what_is_asked_for_counts_first() -> None:
    assert terminal_kind({"LANG": "C.UTF-8", "XPUDBG_ASCII": "0"}, "256", ascii=True).ascii
    assert not terminal_kind({"LANG": "C", "XPUDBG_ASCII": "1"}, "256", ascii=False).ascii


@pytest.mark.parametrize(
    ("more", "system", "expected"),
    [
        ({}, "truecolor", Colours.MANY),
        ({}, "256", Colours.MANY),
        ({"TERM": "xterm"}, "standard", Colours.FEW),
        ({"TERM": "linux"}, "standard", Colours.FEW),
        ({"TERM": "vt100"}, "standard", Colours.NONE),
        ({"TERM": "vt220"}, "standard", Colours.NONE),
        ({"TERM": "linux-m"}, "standard", Colours.NONE),
        ({"TERM": "xterm"}, None, Colours.NONE),
        ({"NO_COLOR": "1"}, "truecolor", Colours.NONE),
        ({"NO_COLOR": ""}, "truecolor", Colours.MANY),
    ],
    ids=str,
)
def test_colours(more: dict[str, str], system: str | None, expected: Colours) -> None:
    assert terminal_kind(UTF8 | more, system) == TerminalKind(colours=expected)


@pytest.mark.parametrize("word", ["1", "yes", "TRUE", "on"])
def test_a_switch_that_is_on(word: str) -> None:
    assert switched({"XPUDBG_NO_MOUSE": word}, "XPUDBG_NO_MOUSE") is True


@pytest.mark.parametrize(("word", "expected"), [("0", False), ("off", False), ("", None), ("maybe", None)])
def test_a_switch_that_is_not(word: str, expected: bool | None) -> None:
    assert switched({"XPUDBG_ASCII": word}, "XPUDBG_ASCII") is expected


def test_a_terminal_that_cannot_move_its_cursor_is_named_in_one_line() -> None:
    said = why_not({"TERM": "dumb"})
    assert "TERM=dumb" in said
    assert "\n" not in said


@pytest.mark.parametrize("term", ["xterm", "linux", "vt100", ""])
def test_others_are_tried(term: str) -> None:
    assert why_not({"TERM": term}) == ""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the first environment")
@pytest.mark.parametrize(("given", "expected"), [({"LANG": "C"}, "None"), ({"LC_CTYPE": "C.UTF-8"}, "C.UTF-8")])
def test_a_locale_that_python_set_is_not_taken_for_the_users(given: dict[str, str], expected: str) -> None:
    code = (
        "import os, runpy, sys; kind = runpy.run_path(sys.argv[1]); "
        "print(kind['first_environment'](os.environ).get('LC_CTYPE'))"
    )
    path = sys.modules["xpudbg.tui.terminal.kind"].__file__
    assert path is not None
    ran = subprocess.run([sys.executable, "-c", code, path], env=given, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == expected


def test_nothing_else_is_left_out_of_the_environment() -> None:
    assert first_environment({"LANG": "C", "TERM": "xterm"}) == {"LANG": "C", "TERM": "xterm"}
