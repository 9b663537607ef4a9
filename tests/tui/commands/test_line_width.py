"""Lines of tables fit a terminal, and are the same everywhere else."""

from __future__ import annotations

import sys

import pytest

from xpudbg.tui.commands.line_width import line_width


@pytest.mark.parametrize(
    ("is_terminal", "columns", "width"),
    [(True, "80", 80), (True, "200", 110), (False, "80", 110)],
    ids=["narrow", "wide", "file"],
)
def test_as_wide_as_the_terminal_at_most(
    is_terminal: bool, columns: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal)
    monkeypatch.setenv("COLUMNS", columns)
    assert line_width(110) == width
