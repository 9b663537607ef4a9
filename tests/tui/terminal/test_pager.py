"""The pager."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from xpudbg.tui.terminal.outside_program import OutsideError
from xpudbg.tui.terminal.pager import page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Terminal:
    """An application that gives its terminal away."""

    def __init__(self) -> None:
        self.given = 0

    @contextmanager
    def suspend(self) -> Iterator[None]:
        self.given += 1
        yield


def shown(text: str, folder: Path) -> bytes:
    """What a pager reads; its command has quotes and blanks."""
    into = folder / "seen"
    script = f"import pathlib, sys; pathlib.Path({str(into)!r}).write_bytes(pathlib.Path(sys.argv[1]).read_bytes())"
    terminal: Any = Terminal()
    page(terminal, text, "rank-3.txt", {"PAGER": f'{sys.executable} -c "{script}"'})
    assert terminal.given == 1
    return into.read_bytes()


def test_controls_do_not_get_through(tmp_path: Path) -> None:
    assert shown("a\x1b[2Jb\n  c\u202e\n", tmp_path) == b"a\\x1b[2Jb\n  c\\u202e\n"


def test_long_lines_are_whole(tmp_path: Path) -> None:
    assert shown("x" * 50_000, tmp_path) == b"x" * 50_000


@pytest.mark.parametrize(
    ("pager", "says"),
    [
        ("/no/such/pager -R", "cannot be started: No such file"),
        ('less "', "PAGER cannot be read"),
        (f'{sys.executable} -c "raise SystemExit(3)"', "ended with status 3"),
    ],
)
def test_what_goes_wrong_is_said(pager: str, says: str) -> None:
    terminal: Any = Terminal()
    with pytest.raises(OutsideError, match=says):
        page(terminal, "text", "a.txt", {"PAGER": pager})


def test_without_any_pager(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    terminal: Any = Terminal()
    with pytest.raises(OutsideError, match="neither PAGER nor less nor more"):
        page(terminal, "text", "a.txt", {})
    assert not terminal.given
