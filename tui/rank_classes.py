"""How each rank class looks, in one table: its sign, its name for people and the style it is painted with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..services.snapshot import RankClass

if TYPE_CHECKING:
    from ..services.snapshot import RankState

__all__ = ["APPEARANCES", "COMPONENTS", "POST_MORTEM", "SEVERITY_ORDER", "Appearance", "appearance", "label_of"]


@dataclass(frozen=True, slots=True)
class Appearance:
    """How one class is shown."""

    sign: str
    """One ASCII character, different for each class, so that colour is never the only sign."""
    label: str
    colour: str
    """Theme variable for its text on the usual background."""
    component: str
    """Component class of its cell in grids and tables (styles/app.tcss)."""


def _made(sign: str, label: str, colour: str, rank_class: RankClass) -> Appearance:
    return Appearance(sign, label, colour, f"rank--{rank_class.value.replace('_', '-')}")


APPEARANCES: dict[RankClass, Appearance] = {
    RankClass.DEAD: _made("X", "dead", "$text-error", RankClass.DEAD),
    RankClass.STOPPED: _made("S", "stopped", "$text-error", RankClass.STOPPED),
    RankClass.GIL_HELD: _made("G", "GIL held", "$text-warning", RankClass.GIL_HELD),
    RankClass.SERVER_ERROR: _made("E", "server error", "$text-warning", RankClass.SERVER_ERROR),
    RankClass.FOREIGN_PORT: _made("F", "foreign port", "$text-warning", RankClass.FOREIGN_PORT),
    RankClass.UNREACHABLE: _made("U", "unreachable", "$text-primary", RankClass.UNREACHABLE),
    RankClass.NAME_UNKNOWN: _made("N", "name unknown", "$text-primary", RankClass.NAME_UNKNOWN),
    RankClass.NOT_REGISTERED: _made("-", "not registered", "$text-secondary", RankClass.NOT_REGISTERED),
    RankClass.UNKNOWN: _made(".", "not known yet", "$foreground-muted", RankClass.UNKNOWN),
    RankClass.ALIVE: _made("o", "alive", "$text-success", RankClass.ALIVE),
}
"""Worst first: the order of legends and of sorting by class."""

SEVERITY_ORDER: dict[RankClass, int] = {rank_class: place for place, rank_class in enumerate(APPEARANCES)}
COMPONENTS = frozenset(shown.component for shown in APPEARANCES.values())
"""All component classes; every widget that paints ranks declares them."""


def appearance(rank_class: RankClass) -> Appearance:
    return APPEARANCES[rank_class]


POST_MORTEM = "post mortem"
"""What stands in place of a class when a rank is known from a file alone."""


def label_of(state: RankState) -> str:
    """The name of a rank's class for people."""
    if state.rank_class is RankClass.UNKNOWN and state.address.file:
        return POST_MORTEM
    return appearance(state.rank_class).label
