"""The file and the words that a defect leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xpudbg.tui.terminal.crash import FILE_NAME, crash_message, write_crash

if TYPE_CHECKING:
    from pathlib import Path


def raised() -> ValueError:
    try:
        raise ValueError("bad \x1b[31m value")
    except ValueError as error:
        return error


def test_the_trace_is_written_with_control_characters_made_visible(tmp_path: Path) -> None:
    path = write_crash(raised(), tmp_path / "new")
    assert path == tmp_path / "new" / FILE_NAME
    text = path.read_text()
    assert "in raised" in text
    assert "ValueError: bad \\x1b[31m value" in text
    assert str(path) in crash_message(raised(), path)


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert write_crash(raised(), tmp_path / "file") is None
    said = crash_message(raised(), None)
    assert "could not be written" in said
    assert "\x1b" not in said
