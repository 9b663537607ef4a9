"""How each rank class looks, in one table: its sign, its name for people and the style it is painted with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...services.snapshot import RankClass

if TYPE_CHECKING:
    from ...services.snapshot import RankState

__all__ = ["APPEARANCES", "COMPONENTS", "POST_MORTEM", "SEVERITY_ORDER", "Appearance", "appearance", "label_of"]


@dataclass(frozen=True, slots=True)
class Appearance:
    """How one class is shown."""

    sign: str
    """One ASCII character, different for each class, so that colour is never the only sign."""
    label: str
    colour: str
    """Variable of its text on the usual background (tui/themes.py)."""
    component: str
    """Component class of its cell in grids and tables (styles/app.tcss)."""


def _made(sign: str, label: str, rank_class: RankClass) -> Appearance:
    name = f"rank-{rank_class.value.replace('_', '-')}"
    return Appearance(sign, label, f"${name}", name.replace("rank-", "rank--", 1))


APPEARANCES: dict[RankClass, Appearance] = {
    RankClass.DEAD: _made("X", "dead", RankClass.DEAD),
    RankClass.STOPPED: _made("S", "stopped", RankClass.STOPPED),
    RankClass.GIL_HELD: _made("G", "GIL held", RankClass.GIL_HELD),
    RankClass.SERVER_ERROR: _made("E", "server error", RankClass.SERVER_ERROR),
    RankClass.FOREIGN_PORT: _made("F", "foreign port", RankClass.FOREIGN_PORT),
    RankClass.UNREACHABLE: _made("U", "unreachable", RankClass.UNREACHABLE),
    RankClass.NAME_UNKNOWN: _made("N", "name unknown", RankClass.NAME_UNKNOWN),
    RankClass.NOT_REGISTERED: _made("-", "not registered", RankClass.NOT_REGISTERED),
    RankClass.UNKNOWN: _made(".", "not known yet", RankClass.UNKNOWN),
    RankClass.ALIVE: _made("o", "alive", RankClass.ALIVE),
}
"""Worst first: the order of legends and of sorting by class."""

SEVERITY_ORDER: dict[RankClass, int] = {rank_class: place for place, rank_class in enumerate(APPEARANCES)}
COMPONENTS = frozenset(shown.component for shown in APPEARANCES.values())
"""All component classes; every widget that paints ranks declares them."""


def appearance(rank_class: RankClass) -> Appearance:
    """How ranks of a class are drawn."""
    return APPEARANCES[rank_class]


POST_MORTEM = "post mortem"
"""What stands in place of a class when a rank is known from a file alone."""


def label_of(state: RankState) -> str:
    """The name of a rank's class for people."""
    if state.rank_class is RankClass.UNKNOWN and state.address.file:
        return POST_MORTEM
    return appearance(state.rank_class).label
