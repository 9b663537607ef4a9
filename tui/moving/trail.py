"""Where a person has been, for `-` and Esc."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Place", "Trail"]

KEPT = 100


@dataclass(frozen=True, slots=True)
class Place:
    """A screen and the rank selected there."""

    mode: str
    rank: int | None


class Trail:
    """Places left behind, oldest first, and the one `-` goes to."""

    def __init__(self) -> None:
        self._left: list[Place] = []
        self._last: Place | None = None

    @property
    def before(self) -> Place | None:
        """Where Esc leads; None at the beginning."""
        return self._left[-1] if self._left else None

    def leave(self, place: Place) -> None:
        """Going from `place` to another screen."""
        self._left.append(place)
        del self._left[:-KEPT]
        self._last = place

    def back(self, place: Place) -> Place | None:
        """Esc at `place`: where it came from, or None at the beginning."""
        if not self._left:
            return None
        self._last = place
        return self._left.pop()

    def last(self, place: Place) -> Place | None:
        """`-` at `place`: the last place; again leads back to `place`."""
        there, self._last = self._last, place if self._last is not None else None
        return there

    def clear(self) -> None:
        self._left.clear()
        self._last = None
