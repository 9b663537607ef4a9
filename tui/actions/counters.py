"""What can be done on the screen of wait counters."""

from __future__ import annotations

from .action import Action, Scope
from .conditions import needs_counters

__all__ = ["COUNTER_ACTIONS"]

_HERE = (Scope.COUNTERS,)

COUNTER_ACTIONS: tuple[Action, ...] = (
    Action(
        "next_metric",
        ("m",),
        "metric",
        "The next number: waiting now, waited in all, waits, longest, mean, waited a second, waits a second",
        _HERE,
        66,
        why_not=needs_counters,
        title="Next metric",
    ),
    Action("previous_metric", ("M",), "metric before", "The number before that", _HERE, why_not=needs_counters),
    Action(
        "stack_of_rank",
        ("enter",),
        "stack",
        "Where the selected rank is: its stack",
        _HERE,
        64,
        why_not=needs_counters,
        title="Stack of the rank",
    ),
    Action(
        "export_counters",
        ("e",),
        "export",
        "Write the counters, as shown or all, to a file: CSV, JSON or Markdown",
        _HERE,
        49,
        why_not=needs_counters,
        title="Export the counters",
        takes_keys=True,
    ),
)
