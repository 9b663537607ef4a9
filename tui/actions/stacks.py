"""The actions of the stacks screen; `actions.ACTIONS` has them in their place."""

from __future__ import annotations

from .action import Action, Scope
from .conditions import can_ask, needs_ranks, needs_recorder, needs_stacks

__all__ = ["STACK_ACTIONS"]

STACK_ACTIONS: tuple[Action, ...] = (
    Action("open", ("enter",), "open", "Open or close what the cursor is on", (Scope.STACKS,), 56),
    Action(
        "call",
        ("c",),
        "call",
        "To the call the selected rank is inside, in the flight recorder",
        (Scope.STACKS,),
        48,
        why_not=needs_recorder,
        title="The rank's call",
    ),
    Action("next_pane", ("tab",), "pane", "To the next pane", (Scope.STACKS,), 44),
    Action("previous_pane", ("shift+tab",), "pane", "To the previous pane", (Scope.STACKS,), title="Previous pane"),
    Action(
        "threads",
        ("T",),
        "threads",
        "Merge the main threads, or all threads",
        (Scope.STACKS,),
        43,
        why_not=needs_stacks,
    ),
    Action(
        "boring",
        ("b",),
        "boring frames",
        "Show or leave out the frames of the interpreter and torch's wrappers",
        (Scope.STACKS,),
        51,
        why_not=needs_stacks,
    ),
    Action(
        "raw",
        ("v",),
        "raw text",
        "The selected rank's stack, its traceback as it came, its py-spy text",
        (Scope.STACKS,),
        57,
        why_not=needs_ranks,
    ),
    Action(
        "py_spy",
        ("P",),
        "py-spy",
        "Ask py-spy on the marked ranks, or on the selected one; the processes are not paused",
        (Scope.STACKS,),
        54,
        why_not=can_ask,
    ),
    Action(
        "py_spy_subprocesses",
        (),
        "py-spy with child processes",
        "The same with child processes (data loader workers); nothing is paused",
        (Scope.STACKS,),
        why_not=can_ask,
    ),
    Action(
        "py_spy_native",
        (),
        "py-spy with C and C++ frames",
        "The same with native frames: pauses each process while it is read, so it asks first",
        (Scope.STACKS,),
        why_not=can_ask,
    ),
    Action(
        "export",
        ("e",),
        "export",
        "Write the stacks shown to a file, for speedscope or as collapsed stacks",
        (Scope.STACKS,),
        49,
        why_not=needs_stacks,
        title="Export for speedscope",
        takes_keys=True,
    ),
    Action(
        "export_collapsed",
        ("E",),
        "export collapsed",
        "The same, with collapsed stacks (flame graphs) offered first",
        (Scope.STACKS,),
        why_not=needs_stacks,
        takes_keys=True,
    ),
)
