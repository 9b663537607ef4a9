"""The actions of the flight recorder's screen; `actions.ACTIONS` has them in their place."""

from __future__ import annotations

from .action import Action, Scope
from .conditions import needs_ranks, needs_recorder

__all__ = ["RECORDER_ACTIONS"]

_HERE = (Scope.RECORDER,)
_ROWS = (Scope.RECORDER_ROWS,)
_WITH_DETAIL = (Scope.RECORDER_ROWS, Scope.COUNTERS)

RECORDER_ACTIONS: tuple[Action, ...] = (
    Action(
        "deeper",
        ("enter",),
        "go deeper",
        "Finding: its collective. Collective: its calls. Call: its rank's stack. Group: members. Member: its calls",
        _HERE,
        71,
        why_not=needs_recorder,
    ),
    Action("next_tab", ("tab",), "next tab", "To the next tab", _HERE, 69),
    Action("previous_tab", ("shift+tab",), "previous tab", "To the previous tab", _HERE),
    Action(
        "next_recorder_finding",
        ("f",),
        "finding",
        "To the next finding of the flight recorder",
        _HERE,
        62,
        why_not=needs_recorder,
        title="Next finding of the recorder",
    ),
    Action(
        "previous_recorder_finding",
        ("F",),
        "previous finding",
        "To the finding before",
        _HERE,
        why_not=needs_recorder,
        title="Previous finding of the recorder",
    ),
    Action(
        "calls_of_rank",
        ("m",),
        "rank's calls",
        "The calls of the selected rank",
        _HERE,
        61,
        why_not=needs_ranks,
    ),
    Action(
        "timeline_here",
        ("v",),
        "timeline",
        "The timeline of the row's group, its call under the cursor",
        _ROWS,
        55,
        why_not=needs_recorder,
        title="Timeline of the row",
    ),
    Action(
        "try_operator",
        ("T",),
        "try operator",
        "Run an operator of your choice on an op server, on inputs of the call's shapes and dtypes",
        _HERE,
        27,
        why_not=needs_recorder,
        title="Try an operator on these shapes and dtypes",
    ),
    Action(
        "next_source",
        ("c",),
        "recorder",
        "To the next flight recorder: NCCL, CPU, torchcomms",
        _HERE,
        29,
        why_not=needs_recorder,
        title="Next recorder",
    ),
    Action("detail", ("d",), "details", "Show or hide what is known of the row", _WITH_DETAIL, 51),
    Action("detail_down", ("J",), "details down", "Scroll the details down", _WITH_DETAIL),
    Action("detail_up", ("K",), "details up", "Scroll the details up", _WITH_DETAIL),
    Action(
        "export_table",
        ("e",),
        "export",
        "Write the table, as shown or whole, to a file (CSV, JSON, Markdown), or all calls as a trace for Perfetto",
        _ROWS,
        49,
        why_not=needs_recorder,
        title="Export the table, or a trace for Perfetto",
        takes_keys=True,
    ),
)
