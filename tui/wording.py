"""Ages, durations and counts as people read them: short, and of one width where they tick."""

from __future__ import annotations

__all__ = ["age", "count", "duration", "milliseconds"]


def duration(seconds: float) -> str:
    """`0.4 s`, `12 s`, `3 m 05 s`, `2 h 07 m`, `3 d 04 h`; a negative one (clocks differ) counts as none."""
    seconds = max(seconds, 0.0)
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} m {whole % 60:02d} s"
    if whole < 86_400:
        return f"{whole // 3600} h {whole % 3600 // 60:02d} m"
    return f"{whole // 86_400} d {whole % 86_400 // 3600:02d} h"


def age(now: int, then: int) -> str:
    """How long ago `then` was at `now` (both ns since the epoch), in whole seconds below a minute."""
    seconds = max(now - then, 0) // 1_000_000_000
    return f"{seconds} s" if seconds < 60 else duration(seconds)


def milliseconds(seconds: float | None) -> str:
    """A ping: `3.2`, `250`, empty when there is none."""
    if seconds is None:
        return ""
    ms = seconds * 1000
    return f"{ms:.1f}" if ms < 100 else f"{ms:,.0f}"


def count(number: int, noun: str) -> str:
    """`1 rank`, `4,096 ranks`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
