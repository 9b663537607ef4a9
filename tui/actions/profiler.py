"""The actions of the profiler's screen; `actions.ACTIONS` has them in their place."""

from __future__ import annotations

from .action import Action, Scope
from .conditions import can_ask

__all__ = ["PROFILER_ACTIONS"]

_HERE = (Scope.PROFILER,)

PROFILER_ACTIONS: tuple[Action, ...] = (
    Action(
        "capture",
        ("c",),
        "capture",
        "Run the profiler on the marked ranks, or on the selected one, all at the same time; asks first",
        _HERE,
        76,
        why_not=can_ask,
        title="Capture profiles",
    ),
    Action(
        "cancel_capture",
        ("x",),
        "end it",
        "Wait no longer for the ranks that have not answered; what has come is kept",
        _HERE,
        50,
        title="End the capture",
    ),
    Action("open_row", ("enter",), "open", "From a rank to its operators; open a saved capture", _HERE, 66),
    Action("next_table", ("tab",), "next tab", "Ranks, operators, collectives, gaps, difference, saved", _HERE, 68),
    Action("previous_table", ("shift+tab",), "tab before", "The tab before", _HERE),
    Action(
        "against",
        ("d",),
        "against",
        "What the difference is to: the median of the others, or one of them (marked ones, else all)",
        _HERE,
        56,
        title="Difference to another rank",
    ),
    Action(
        "perfetto",
        ("p",),
        "Perfetto",
        "Merge the traces of the marked ranks, or of the one shown, and hand them to Perfetto in the browser",
        _HERE,
        64,
        title="Open in Perfetto",
    ),
    Action("sort_profile", ("s",), "sort", "Sort by the next column", _HERE, 48, title="Sort the table"),
    Action("reverse_profile", ("S",), "reverse", "Turn the order round", _HERE, title="Turn the table round"),
    Action(
        "export_profile",
        ("e",),
        "export",
        "Write the table, as shown or whole, to a file: CSV, JSON or Markdown",
        _HERE,
        30,
        title="Export the table of the profiler",
        takes_keys=True,
    ),
    Action(
        "open_traces",
        ("o",),
        "open files",
        "Open trace files (.json, .json.gz) or a folder of them",
        _HERE,
        46,
        takes_keys=True,
        title="Open trace files",
    ),
)
