"""Ages, durations and counts for people."""

from __future__ import annotations

import pytest

from xpudbg.tui.wording import age, count, duration, milliseconds


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-3, "0.0 s"),
        (0.44, "0.4 s"),
        (9.96, "10 s"),
        (59.4, "59 s"),
        (185, "3 m 05 s"),
        (7623, "2 h 07 m"),
        (273_600, "3 d 04 h"),
    ],
)
def test_durations(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_ages_are_whole_seconds_and_never_negative() -> None:
    assert age(10_900_000_000, 8_000_000_000) == "2 s"
    assert age(0, 5) == "0 s"
    assert age(200_000_000_000, 0) == "3 m 20 s"


def test_milliseconds() -> None:
    assert [milliseconds(s) for s in (None, 0.0031, 0.25, 3.0)] == ["", "3.1", "250", "3,000"]


def test_counts() -> None:
    assert [count(n, "rank") for n in (0, 1, 4096)] == ["0 ranks", "1 rank", "4,096 ranks"]
