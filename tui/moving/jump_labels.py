"""Labels for jumping: which places there are, which letters each gets. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = ["Jumpable", "Place", "Spot", "labels", "spread"]

HOME = "asdfghjkl"
"""Letters of the home row."""
ALL = HOME + "qwertyuiopzxcvbnm"
APART = 3
"""Terminal cells from one label to the next at least: two letters and a gap."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Something in a widget that can be gone to."""

    x: int
    """Terminal cells from the left of what the widget paints."""
    y: int
    go: Callable[[], object]
    before: int = 0
    """Terminal cells before `x` that say nothing: a second letter need not cover what stands behind the first."""


@runtime_checkable
class Jumpable(Protocol):
    """A widget that has places of its own."""

    def jump_spots(self) -> Sequence[Spot]:
        """Those that are seen now, from the upper left to the lower right."""
        ...


@dataclass(frozen=True, slots=True)
class Place:
    """The same on the screen."""

    x: int
    y: int
    go: Callable[[], object]
    before: int = 0

    def under(self, label: str) -> Place:
        """The same where its label begins."""
        return replace(self, x=max(self.x - min(self.before, len(label) - 1), 0), before=0)


def spread(places: Iterable[Place], most: int = len(ALL) ** 2) -> list[Place]:
    """Places in the order in which they are read, without those whose label would cover part of another's.

    Args:
        most: places at most, from the top.
    """
    kept: list[Place] = []
    for place in sorted(places, key=lambda place: (place.y, place.x)):
        if not kept or kept[-1].y != place.y or place.x - kept[-1].x >= APART:
            kept.append(place)
    return kept[:most]


def labels(count: int) -> list[str]:
    """That many different labels, none of which begins another: one letter for as many as possible, the first ones,
    two for the others; all of the home row as long as these are enough.

    Raises:
        ValueError: more are wanted than there are.
    """
    letters = HOME if count <= len(HOME) ** 2 else ALL
    size = len(letters)
    if count > size**2:
        raise ValueError(f"{count} labels are more than {size**2}")
    single = size
    while single + (size - single) * size < count:
        single -= 1
    made = [*letters[:single], *(first + second for first in letters[single:] for second in letters)]
    return made[:count]
