"""Few notifications at once, and each as long as it takes to read it."""

from __future__ import annotations

import pytest
from textual.notifications import Notification, SeverityLevel

from xpudbg.tui.notices.toasts import LONGEST_S, making_room, reading_time


def said(message: str, severity: SeverityLevel = "information") -> Notification:
    return Notification(message, severity=severity)


@pytest.mark.parametrize(
    ("shown", "new", "gone"),
    [
        ([], said("a"), []),
        ([said("a")], said("b"), []),
        ([said("a"), said("b")], said("c"), ["a"]),
        ([said("a"), said("b")], said("b"), ["b"]),
        ([said("a", "error"), said("b")], said("c"), ["b"]),
        ([said("a", "error"), said("b", "error")], said("c"), []),
        ([said("a", "error"), said("b", "error"), said("c")], said("d"), ["c"]),
        ([said("a", "error"), said("b", "error")], said("c", "error"), ["a"]),
        ([said("a", "warning"), said("b")], said("c", "error"), ["b"]),
    ],
)
def test_what_is_least_wanted_makes_room(shown: list[Notification], new: Notification, gone: list[str]) -> None:
    assert [one.message for one in making_room(shown, new)] == gone


@pytest.mark.parametrize(("length", "seconds"), [(0, 3), (40, 3), (200, 10), (5000, LONGEST_S)])
def test_a_long_message_stays_longer(length: int, seconds: float) -> None:
    assert reading_time("x" * length, 3) == seconds
