"""The actions that hand a text over: clipboard, pager, editor; `actions.ACTIONS` has them in their place."""

from __future__ import annotations

from .action import Action, Scope
from .conditions import needs_looks, needs_target

__all__ = ["TEXT_ACTIONS"]

_PLACES = (Scope.JOB, Scope.DISPATCH)
_DIALOGS = (Scope.ANSWER, Scope.DOCTOR, Scope.COMPARISON)
_PAGED = (Scope.OVERVIEW, Scope.RANKS, Scope.STACKS, Scope.RECORDER, Scope.COUNTERS, Scope.STORE)

TEXT_ACTIONS: tuple[Action, ...] = (
    Action(
        "copy",
        ("y",),
        "copy",
        "Send the verdict (overview), the row (ranks, flight recorder), the branch, stack or text (stacks) to the "
        "terminal's clipboard; a file takes what is too long for it",
        (Scope.JOB,),
        52,
        why_not=needs_target,
    ),
    Action(
        "copy_report",
        ("Y",),
        "copy the report",
        "Send the whole report, as Markdown for a ticket, to the terminal's clipboard",
        _PLACES,
        why_not=needs_looks,
    ),
    Action(
        "copy_cell",
        ("ctrl+y",),
        "copy the cell",
        "Send the value under the cursor, nothing else, to the terminal's clipboard",
        (Scope.OVERVIEW, Scope.COUNTERS, Scope.ARRAY),
        title="Copy the cell",
    ),
    Action(
        "copy_to_file",
        (),
        "copy to a file",
        "Write what is copied here to a new file in the current folder, where the terminal has no clipboard",
        _PLACES,
    ),
    Action(
        "pager",
        ("o",),
        "pager",
        "Open the text of this place in $PAGER: the verdict, the row, a raw text, the JSON, a value",
        (*_PAGED, *_DIALOGS),
        42,
        why_not=needs_target,
    ),
    Action(
        "text_in_pager",
        (),
        "text in the pager",
        "Open the row or the run under the cursor in $PAGER",
        (Scope.PROFILER, Scope.DISPATCH),
        title="Text in the pager",
    ),
    Action(
        "editor",
        ("O",),
        "editor",
        "Open the source of the frame at its line (stacks), elsewhere the text of this place, in $VISUAL or $EDITOR",
        (*_PAGED, Scope.PROFILER, Scope.DISPATCH, *_DIALOGS),
        title="Text or source in the editor",
    ),
)
