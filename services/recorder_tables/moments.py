"""Instants and spans of recorded calls as texts. Instants: ns since the epoch; 0 or less is unknown."""

from __future__ import annotations

from ..instants import utc_text

__all__ = ["NOT_KNOWN", "instant_text", "ms_text", "offset_text", "span_text"]

NOT_KNOWN = "—"
"""Stands where nothing is recorded."""


def instant_text(instant: int) -> str:
    """`2026-11-30T19:04:06.123Z`."""
    return NOT_KNOWN if instant <= 0 else utc_text(instant)


def offset_text(instant: int, newest: int) -> str:
    """How long before `newest` something was: `-12.3 s`, `-3.40 ms`, `0 ms` for the newest itself."""
    if instant <= 0 or newest <= 0:
        return NOT_KNOWN
    return f"{'-' if instant < newest else '+' if instant > newest else ''}{span_text(abs(newest - instant) / 1e9)}"


def span_text(seconds: float) -> str:
    """`70 µs`, `0.30 ms`, `250 ms`, `12.3 s`, `8 m 05 s`, `2 h 07 m`, `3 d 04 h`.

    A negative one keeps its sign; one beyond all sense is written `1.0e+30 s`.
    """
    if seconds < 0:
        return f"-{span_text(-seconds)}"
    if not seconds < 1e12:
        return f"{seconds:.1e} s"
    ms = seconds * 1e3
    if 0 < ms < 0.0995:
        return f"{ms * 1e3:.0f} µs" if ms >= 0.0005 else "under 1 µs"
    if ms < 999.5:
        return f"{ms:.0f} ms" if ms >= 99.95 or ms == 0 else f"{ms:.1f} ms" if ms >= 9.995 else f"{ms:.2f} ms"
    if seconds < 99.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} m {whole % 60:02d} s"
    if whole < 86_400:
        return f"{whole // 3600} h {whole % 3600 // 60:02d} m"
    return f"{whole // 86_400:,} d {whole % 86_400 // 3600:02d} h"


def ms_text(ms: float) -> str:
    """A span that is recorded in ms; NaN is unknown."""
    return NOT_KNOWN if ms != ms else span_text(ms / 1e3)
