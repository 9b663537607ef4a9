"""The line over a timeline that says where on the axis its cells are."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..recorder.timeline_window import Window

__all__ = ["instant_said", "ruler"]

TICK = "╷"
LEAST_GAP = 4
"""Blank cells between the words of two ticks."""
_STEPS_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200, 86_400)


def ruler(window: Window, said: Callable[[float, float], str]) -> str:
    """One line of `window.columns` cells.

    Args:
        said: words for a place on the axis, given the step between two ticks.
    """
    line = [" "] * window.columns
    step = _step(window, said)
    number = math.ceil(window.start / step)
    while (x := number * step) <= window.high:
        column = window.column(x)
        words = said(x, step) and TICK + said(x, step)
        if column + len(words) > window.columns:
            break
        if x >= window.low:
            line[column : column + len(words)] = words
        number += 1
    return "".join(line)


def _step(window: Window, said: Callable[[float, float], str]) -> float:
    """The smallest round step whose words fit."""
    step = _round_up(window.per_cell, by_call=window.by_call)
    while True:
        edges = (window.start, window.start + window.per_cell * window.columns)
        longest = max(len(said(edge // step * step, step)) for edge in edges)
        if step >= (longest + LEAST_GAP + 1) * window.per_cell:
            return step
        step = _round_up(step * 1.01, by_call=window.by_call)


def _round_up(step: float, *, by_call: bool) -> float:
    if by_call or step < 5e9:
        power = 10.0 ** math.floor(math.log10(max(step, 1)))
        return max(next(power * times for times in (1, 2, 5, 10) if power * times >= step * 0.999_999), 1.0)
    for seconds in _STEPS_S:
        if seconds * 1e9 >= step * 0.999_999:
            return seconds * 1e9
    return math.ceil(step / 86_400e9) * 86_400e9


def instant_said(x: float, step: float) -> str:
    """`-400 ms`, `0`, `+2 s`, `-1:30`, `-2:05:00`: an offset to the newest entry, in the unit of the step."""
    if abs(x) < step / 1e6:
        return "0"
    sign = "-" if x < 0 else "+"
    if step >= 1e9 and abs(x) >= 60e9:
        whole = round(abs(x) / 1e9)
        hours, rest = divmod(whole, 3600)
        minutes, seconds = divmod(rest, 60)
        return f"{sign}{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{sign}{minutes}:{seconds:02d}"
    for unit, name in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if step >= unit or (unit == 1e9 and abs(x) >= 10e9 and step >= 1e8):
            value = abs(x) / unit
            return f"{sign}{value:,.0f} {name}" if step >= unit else f"{sign}{value:,.1f} {name}"
    return f"{sign}{abs(x):,.0f} ns"
