"""The actions on the result of a run and on the values of an array; `actions.ACTIONS` has them in their place."""

from __future__ import annotations

from .action import Action, Scope

__all__ = ["RESULT_ACTIONS"]

_HERE = (Scope.RESULT,)
_VALUES = (Scope.ARRAY,)

RESULT_ACTIONS: tuple[Action, ...] = (
    Action(
        "open_element",
        ("enter",),
        "to the values",
        "Output: its values. Worst element, or region of the heat map: to the element among the values. Among the "
        "values: to the one that is furthest off",
        _HERE,
        72,
    ),
    Action(
        "next_result_view",
        ("v",),
        "view",
        "Of an output: values, worst elements, histogram of the errors, heat map, side by side with the run before",
        _HERE,
        66,
        title="Next view of the output",
    ),
    Action("previous_result_view", ("V",), "view before", "To the view before", _HERE, title="Previous view"),
    Action(
        "next_output", ("right_parenthesis",), "output", "To the next output", _HERE, 42, "( )", title="Next output"
    ),
    Action("previous_output", ("left_parenthesis",), "output before", "To the output before", _HERE),
    Action(
        "value_mode",
        ("m",),
        "actual/expected",
        "Values: what came, what is expected, the difference",
        _VALUES,
        64,
        title="Actual, expected or difference",
    ),
    Action(
        "next_plane",
        ("greater_than_sign",),
        "plane",
        "To the next plane of the array",
        _VALUES,
        63,
        "< >",
        title="Next plane",
    ),
    Action("previous_plane", ("less_than_sign",), "plane before", "To the plane before", _VALUES),
)
