"""What is sent to the terminal beside the screen."""

from __future__ import annotations

from xpudbg.tui.notices.notification import LONGEST, notification


def test_texts_of_ranks_can_not_leave_it() -> None:
    said = notification("bad\x07\x1b]0;title\x07\nmore" + "x" * 1000)
    assert said.startswith("\x1b]9;xpudbg: bad")
    assert said.endswith("\x07")
    assert said[1:-1].isprintable()
    assert len(said) < LONGEST + 40
