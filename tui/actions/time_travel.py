"""The actions that go from look to look; `actions.ACTIONS` has them in their place."""

from __future__ import annotations

from .action import Action, Scope
from .conditions import needs_earlier_look

__all__ = ["TIME_ACTIONS"]

_HERE = (Scope.JOB,)

TIME_ACTIONS: tuple[Action, ...] = (
    Action(
        "previous_look",
        ("comma",),
        "look before",
        "Show the look before, on all screens: ranks, verdict, stacks, recorder and counters as they were",
        _HERE,
        14,
        ", .",
        why_not=needs_earlier_look,
        title="Look before",
    ),
    Action(
        "next_look",
        ("full_stop",),
        "look after",
        "Show the look after; after the last one what is known now",
        _HERE,
        why_not=needs_earlier_look,
        title="Look after",
    ),
    Action("first_look", (), "first look", "Show the oldest look that is kept", _HERE, why_not=needs_earlier_look),
    Action(
        "newest_look",
        (),
        "newest look",
        "Back to what is known now, from an older look",
        _HERE,
        why_not=needs_earlier_look,
    ),
    Action(
        "to_look",
        (),
        "to look …",
        "Show a look by its number, or the one that was taken at a time",
        _HERE,
        why_not=needs_earlier_look,
        title="To look …, by number or time",
    ),
)
