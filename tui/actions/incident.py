"""The actions for incidents: bundle, watch, the fields of their dialogs; `actions.ACTIONS` has them in their place."""

from __future__ import annotations

from .action import Action, Scope
from .conditions import can_watch, needs_closed_look

__all__ = ["FORM_ACTIONS", "INCIDENT_ACTIONS"]

_HERE = (Scope.JOB,)
_FORM = (Scope.FORM,)

INCIDENT_ACTIONS: tuple[Action, ...] = (
    Action(
        "bundle",
        ("B",),
        "bundle",
        "Write looks with all that the ranks said into one file, which opens as the job does; redacted where you want",
        _HERE,
        12,
        why_not=needs_closed_look,
        title="Bundle: write looks into one file",
        takes_keys=True,
    ),
    Action(
        "watch",
        ("W",),
        "watch",
        "Watch the job: look at an interval, ring when it stands still, keep a bundle before the watchdog ends it; "
        "again: end the watch",
        _HERE,
        11,
        why_not=can_watch,
        title="Watch the job, or end the watch",
        takes_keys=True,
    ),
)
FORM_ACTIONS: tuple[Action, ...] = (
    Action("turn_toggle", ("space",), "switch", "Switch it on or off", (Scope.TOGGLE,), 80),
    Action("take_form", ("enter",), "begin", "Do it as it stands here", _FORM, 95),
    Action("next_field", ("tab", "down"), "next field", "To the next field", _FORM, 70),
    Action("previous_field", ("shift+tab", "up"), "field before", "To the field before", _FORM),
    Action("leave_form", ("escape",), "leave it", "Leave everything as it was", _FORM, 94),
)
