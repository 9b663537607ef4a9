"""How each kind of cell of a timeline looks: a sign of its own beside the colour."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...services.recorder_timeline.cells import FULL, CellKind

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["COMPONENTS", "HOW_LATE", "LEGEND_BY_CALL", "LEGEND_BY_TIME", "component_of", "legend", "sign_of"]

_BARS = " ▁▂▃▄▅▆▇█"
assert len(_BARS) == FULL + 1

HOW_LATE = "▁▃▄▅▆▇"
"""Every level that looks different, also in ASCII."""

_SIGNS_BY_CALL = {
    CellKind.NOTHING: " ",
    CellKind.QUEUED: "┄",
    CellKind.MADE: "?",
    CellKind.LATE: "█",
    CellKind.MISSING: "×",
    CellKind.WAITING: "░",
    CellKind.RUNNING: "▒",
    CellKind.TIMED_OUT: "!",
}
_SIGNS_BY_TIME = _SIGNS_BY_CALL | {CellKind.MADE: "│", CellKind.LATE: "◆"}
_COMPONENTS = {kind: f"timeline--{kind.name.lower().replace('_', '-')}" for kind in CellKind}
COMPONENTS = frozenset(_COMPONENTS.values())
"""Component classes of the cells (styles/app.tcss)."""


class Meaning(NamedTuple):
    sign: str
    text: str
    kinds: frozenset[CellKind]


LEGEND_BY_CALL = (
    Meaning(HOW_LATE, "how late", frozenset((CellKind.CALL,))),
    Meaning("█", "last by far", frozenset((CellKind.LATE,))),
    Meaning("░", "waits in it", frozenset((CellKind.WAITING,))),
    Meaning("▒", "runs on the device", frozenset((CellKind.RUNNING,))),
    Meaning("×", "has not come", frozenset((CellKind.MISSING,))),
    Meaning("!", "past its timeout", frozenset((CellKind.TIMED_OUT,))),
    Meaning("?", "at no known time", frozenset((CellKind.MADE,))),
)
LEGEND_BY_TIME = (
    Meaning("▁▃▄▅▆▇█", "part of the time in calls", frozenset((CellKind.CALL,))),
    Meaning("◆", "last by far", frozenset((CellKind.LATE,))),
    Meaning("┄", "queued", frozenset((CellKind.QUEUED,))),
    Meaning("│", "a call, its end not recorded", frozenset((CellKind.MADE,))),
    Meaning("░", "waits", frozenset((CellKind.WAITING,))),
    Meaning("▒", "runs on the device", frozenset((CellKind.RUNNING,))),
    Meaning("!", "past its timeout", frozenset((CellKind.TIMED_OUT,))),
)


def sign_of(kind: CellKind, level: int, *, by_call: bool) -> str:
    """One terminal cell."""
    signs = _SIGNS_BY_CALL if by_call else _SIGNS_BY_TIME
    return signs.get(kind) or _BARS[min(level, FULL - 1) if by_call else level]  # along calls a full bar is LATE


def component_of(kind: CellKind) -> str:
    """The component class that a kind of cell is painted with."""
    return _COMPONENTS[kind]


def legend(kinds: Iterable[CellKind], *, by_call: bool) -> list[tuple[str, str, str]]:
    """(sign, component class, text) of what is on the screen."""
    there = frozenset(kinds)
    meanings = LEGEND_BY_CALL if by_call else LEGEND_BY_TIME
    return [(one.sign, component_of(min(one.kinds)), one.text) for one in meanings if one.kinds & there]
