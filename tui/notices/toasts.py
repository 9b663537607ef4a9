"""How many notifications are shown at once, and for how long."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.notifications import Notification

__all__ = ["MOST", "making_room", "reading_time"]

MOST = 2
"""Notifications at once; errors are not pushed out by what is less."""
CHARACTERS_S = 20
"""Characters that are read in a second."""
LONGEST_S = 15.0
_WEIGHT = {"information": 0, "warning": 1, "error": 2}


def reading_time(message: str, least: float) -> float:
    """Seconds for which a message stays: at least `least`, and long enough to be read."""
    return max(least, min(len(message) / CHARACTERS_S, LONGEST_S))


def making_room(shown: Sequence[Notification], new: Notification) -> list[Notification]:
    """Those that go when a new one comes: what says the same, then the least severe and oldest of too many.

    Args:
        shown: oldest first.
    """
    same = [one for one in shown if (one.message, one.title) == (new.message, new.title)]
    others = [one for one in shown if one not in same]
    less = [one for one in others if _WEIGHT[one.severity] <= _WEIGHT[new.severity]]
    too_many = max(len(others) + 1 - MOST, 0)
    return [*same, *sorted(less, key=lambda one: _WEIGHT[one.severity])[:too_many]]
