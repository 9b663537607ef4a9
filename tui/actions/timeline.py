"""The actions of the timeline; `actions.ACTIONS` has them in their place."""

from __future__ import annotations

from .action import Action, Scope

__all__ = ["TIMELINE_ACTIONS"]

_HERE = (Scope.TIMELINE,)

TIMELINE_ACTIONS: tuple[Action, ...] = (
    Action("axis", ("x",), "time/sequence", "Along time, or along the calls, where late ranks show", _HERE, 66),
    Action("zoom_in", ("plus", "equals_sign"), "zoom", "Closer, about the cursor", _HERE, 63, "+ z", title="Zoom in"),
    Action("zoom_out", ("z", "underscore"), "zoom out", "Farther away", _HERE, title="Zoom out"),
    Action("fit_axis", ("0",), "all", "All of the axis", _HERE, 32, title="Zoom out to all"),
    Action("pan_left", ("H",), "half a page left", "Half a page to the left", _HERE, motion=True),
    Action("pan_right", ("L",), "half a page right", "Half a page to the right", _HERE, motion=True),
    Action("lane_order", ("w",), "worst first", "Lanes that are most often last first, or by rank", _HERE, 33),
    Action(
        "turn",
        ("u",),
        "rank/group",
        "From the ranks of a group to the groups of the rank, and back",
        _HERE,
        64,
        title="Timeline of the rank, or of the group",
    ),
)
