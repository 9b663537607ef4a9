"""Values of wait counters in words: short for a cell, whole for the pane, the clipboard and a file."""

from __future__ import annotations

from ...services.counters.metrics import Unit

__all__ = ["VALUE", "exact", "short"]

VALUE = 8
"""Terminal cells of the longest short value."""
_TIMES = ((1, "µs"), (1_000, "ms"), (1_000_000, "s"), (60_000_000, "min"), (3_600_000_000, "h"), (86_400_000_000, "d"))
_YEAR = 365 * 86_400_000_000
_COUNTS = ((1, ""), (10**3, "k"), (10**6, "M"), (10**9, "G"), (10**12, "T"), (10**15, "P"), (10**18, "E"))
_EXACT = 99_999
"""Counts up to this one are written out."""


def short(value: float | None, unit: Unit) -> str:
    """At most `VALUE` terminal cells: `12.3 ms`, `1,204`, `9.01 P`, `98 %`, `20.0/s`; empty for None."""
    if value is None:
        return ""
    if value < 0:
        said = short(-value, unit)
        return f"-{said}" if len(said) < VALUE else "< 0"
    match unit:
        case Unit.MICROSECONDS:
            return _time(value)
        case Unit.COUNT:
            return f"{value:,.0f}" if value <= _EXACT else _scaled(value)
        case Unit.SHARE:
            return f"{value:.1%}".replace("%", " %") if value < 10 else f"x{_scaled(value)}"
    return f"{_three(value)}/s" if value < 1_000 else f"{_scaled(value).replace(' ', '')}/s"


def exact(value: float | None, unit: Unit) -> str:
    """The whole value with its unit: `9,007,199,254,740,993 µs`; `not known` for None."""
    if value is None:
        return "not known"
    match unit:
        case Unit.MICROSECONDS:
            said = f"{value:,} µs" if isinstance(value, int) else f"{value:,.1f} µs"
            return said if abs(value) < 1_000 else f"{said} ({short(value, unit)})"
        case Unit.COUNT:
            return f"{value:,}"
        case Unit.SHARE:
            return f"{value:,.3f} s a second ({short(value, unit)})"
    return f"{value:,.2f} a second"


def _time(us: float) -> str:
    if us >= _YEAR:
        return f"{us / _YEAR:.0f} y"
    size, name = next(((size, name) for size, name in reversed(_TIMES) if us >= size), _TIMES[0])
    return f"{us:.0f} µs" if size == 1 else f"{_three(us / size)} {name}"


def _scaled(value: float) -> str:
    size, name = next(((size, name) for size, name in reversed(_COUNTS) if value >= size), _COUNTS[0])
    return f"{_three(value / size)} {name}".rstrip()


def _three(value: float) -> str:
    """About three digits: `1.23`, `12.3`, `123`."""
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:.0f}"
