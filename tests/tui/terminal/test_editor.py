"""The editor: how a file is opened at a line, and that nothing goes through a shell."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from xpudbg.tui.terminal.editor import edit_source, edit_text, editor_command
from xpudbg.tui.terminal.outside_program import OutsideError, run_outside

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Terminal:
    """An application that gives its terminal away."""

    @contextmanager
    def suspend(self) -> Iterator[None]:
        yield


@pytest.mark.parametrize(
    ("editor", "words"),
    [
        ("vi", ["vi", "+88", "/job/a b.py"]),
        ("nvim -R", ["nvim", "-R", "+88", "/job/a b.py"]),
        ("/usr/bin/nano", ["/usr/bin/nano", "+88", "/job/a b.py"]),
        ("emacsclient -t", ["emacsclient", "-t", "+88", "/job/a b.py"]),
        ("hx", ["hx", "/job/a b.py:88"]),
        ("subl -w", ["subl", "-w", "/job/a b.py:88"]),
        ("code --wait", ["code", "--wait", "-g", "/job/a b.py:88"]),
        ("'/opt/my editors/codium'", ["/opt/my editors/codium", "-g", "/job/a b.py:88"]),
        ("pycharm", ["pycharm", "--line", "88", "/job/a b.py"]),
        ("ed", ["ed", "/job/a b.py"]),
        ("vi; rm -rf $HOME", ["vi;", "rm", "-rf", "$HOME", "+88", "/job/a b.py"]),
    ],
    ids=lambda value: value.replace("/", "_") if isinstance(value, str) else "",
)
def test_each_editor_goes_to_the_line_in_its_own_way(editor: str, words: list[str]) -> None:
    assert editor_command({"EDITOR": editor}, "/job/a b.py", 88) == words


def test_visual_goes_before_editor_and_what_is_here_comes_last(monkeypatch: pytest.MonkeyPatch) -> None:
    assert editor_command({"VISUAL": "hx", "EDITOR": "ed"}, "/a") == ["hx", "/a"]
    assert editor_command({"VISUAL": " ", "EDITOR": "ed"}, "/a") == ["ed", "/a"]
    monkeypatch.setattr("shutil.which", lambda name: name == "vi")
    assert editor_command({}, "/a", 3) == ["vi", "+3", "/a"]
    monkeypatch.setattr("shutil.which", lambda _name: None)
    with pytest.raises(OutsideError, match="neither VISUAL nor EDITOR is set, and none of nano, vim, vi, emacs"):
        editor_command({}, "/a", 3)
    with pytest.raises(OutsideError, match="VISUAL cannot be read: No closing quotation"):
        editor_command({"VISUAL": 'vi "', "EDITOR": "vi"}, "/a", 3)


@pytest.mark.parametrize(
    ("editor", "words"),
    [("code", ["code", "--wait", "/a"]), ("code -w", ["code", "-w", "/a"]), ("vim", ["vim", "/a"])],
)
def test_a_window_is_waited_for_where_its_file_goes_away(editor: str, words: list[str]) -> None:
    assert editor_command({"EDITOR": editor}, "/a", wait=True) == words


def recorder(folder: Path) -> tuple[str, Path]:
    """An editor that keeps its arguments and the file."""
    seen = folder / "seen"
    script = "import pathlib, sys; p = pathlib.Path(sys.argv[-1]); "
    script += f"pathlib.Path({str(seen)!r}).write_text(repr((sys.argv[1:-1], p.name, p.read_text())))"
    return f'{sys.executable} -c "{script}"', seen


def test_a_source_is_opened_where_it_is(tmp_path: Path) -> None:
    editor, seen = recorder(tmp_path)
    source = tmp_path / "load $(x).py"
    source.write_text("a\nb\n")
    terminal: Any = Terminal()
    edit_source(terminal, str(source), 2, {"EDITOR": editor})
    assert seen.read_text() == repr((["+2"], "load $(x).py", "a\nb\n"))


def test_a_text_is_opened_as_a_plain_copy(tmp_path: Path) -> None:
    editor, seen = recorder(tmp_path)
    terminal: Any = Terminal()
    edit_text(terminal, "a\x1b[2J\nb", "row.txt", {"VISUAL": editor})
    assert seen.read_text() == repr(([], "row.txt", "a\\x1b[2J\nb"))


def test_signals_of_the_keyboard_are_the_other_programs(tmp_path: Path) -> None:
    """ctrl+c goes to both: this program goes on, the other one ends by it."""
    script = "import os, signal; os.kill(os.getppid(), signal.SIGINT); os.kill(os.getpid(), signal.SIGINT)"
    before = signal.getsignal(signal.SIGINT)
    terminal: Any = Terminal()
    run_outside(terminal, [sys.executable, "-c", script + "; os._exit(9)"])
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ([f"{os.sep}no{os.sep}such"], "cannot be started: No such file"),
        ([sys.executable, "-c", "raise SystemExit(3)"], "ended with status 3"),
    ],
    ids=["absent", "failed"],
)
def test_what_goes_wrong_is_said(command: list[str], says: str) -> None:
    terminal: Any = Terminal()
    with pytest.raises(OutsideError, match=says):
        run_outside(terminal, command)
