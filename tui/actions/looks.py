"""What compares looks; `actions.ACTIONS` has them in their place."""

from __future__ import annotations

from .action import Action, Scope
from .conditions import needs_earlier_look

__all__ = ["COMPARISON_ACTIONS"]

_HERE = (Scope.COMPARISON,)

COMPARISON_ACTIONS: tuple[Action, ...] = (
    Action(
        "compare_looks",
        ("C",),
        "what changed",
        "What is different between the look shown and the one before it, or after it for the oldest: findings, ranks, "
        "positions, stacks, counters",
        (Scope.JOB,),
        13,
        why_not=needs_earlier_look,
        title="What changed: compare two looks",
    ),
    Action("close_comparison", ("escape", "q", "enter"), "close", "Close the comparison", _HERE, 90),
    Action("copy_comparison", ("y",), "copy", "Send the comparison to the terminal's clipboard", _HERE, 80),
    Action(
        "compare_with_earlier",
        ("comma",),
        "with an earlier look",
        "Compare with the look before the first of the two",
        _HERE,
        75,
        ", .",
    ),
    Action("compare_with_later", ("full_stop",), "with a later look", "Compare with the look after that", _HERE),
    Action(
        "compare_newest",
        ("C",),
        "the newest",
        "The newest look against the first of the two; again, the look shown",
        _HERE,
        70,
    ),
)
