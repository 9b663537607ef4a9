"""What leads to a place by its name or by a label; `actions.ACTIONS` has them in their place."""

from __future__ import annotations

from .action import Action, Scope

__all__ = ["GOING_ACTIONS"]

_PLACES = (Scope.JOB, Scope.DISPATCH)

GOING_ACTIONS: tuple[Action, ...] = (
    Action(
        "go_to",
        ("apostrophe",),
        "go to …",
        "To what is typed: a rank (12), a finding (f2), a look (look 3), a screen by name, a group (group tp), a call "
        "(#311), a key of the store, a case (case softmax) or a run (run 7); mark 0-7 marks ranks",
        _PLACES,
        24,
        title="Go to a rank, finding, look, screen …",
        takes_keys=True,
    ),
    Action(
        "jump",
        ("semicolon",),
        "jump",
        "Letters appear over what can be gone to on this screen; typing those of a place goes there",
        _PLACES,
        23,
        title="Jump to a place on this screen",
        takes_keys=True,
    ),
    Action("leave_jump", ("escape",), "stay here", "Take the letters away", (Scope.JUMP,), 90),
)
