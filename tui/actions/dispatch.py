"""The actions of the dispatch screen and of what is typed there; `actions.ACTIONS` has them in their place."""

from __future__ import annotations

from .action import Action, Scope

__all__ = ["DISPATCH_ACTIONS"]

_HERE = (Scope.DISPATCH,)
"""Most of its actions are carried out before the next key is looked at: what is typed ahead is for what they show."""
_EDITOR = (Scope.EDITOR,)

DISPATCH_ACTIONS: tuple[Action, ...] = (
    Action("open_case", ("enter",), "its fields", "To the fields of the case", (Scope.CASES,), 76),
    Action("open_run", ("enter",), "its result", "Show the result of the run", (Scope.RUNS,), 76),
    Action(
        "edit_field",
        ("enter",),
        "edit",
        "Edit the field in its place; enter again sets it",
        _EDITOR,
        78,
        takes_keys=True,
    ),
    Action("add_field", ("a",), "add", "Add an attribute or an input", _EDITOR, 56),
    Action("remove_field", ("delete", "d"), "take out", "Take the attribute or input out", _EDITOR, 54, "del"),
    Action("set_field", ("enter",), "set", "Set the field to what is typed", (Scope.ENTRY,), 95),
    Action("drop_field", ("escape",), "leave it", "Leave the field as it was", (Scope.ENTRY,), 94),
    Action(
        "run_case",
        ("r",),
        "run",
        "Run the case on every op server chosen",
        _HERE,
        84,
        title="Run the case",
        takes_keys=True,
    ),
    Action(
        "cancel_run",
        ("x",),
        "end it",
        "End the runs of this case, whatever they are at",
        _HERE,
        66,
        title="End the run",
        takes_keys=True,
    ),
    Action(
        "next_dispatch_pane",
        ("tab",),
        "next pane",
        "To the next of cases, fields, result, runs",
        _HERE,
        68,
        title="Next pane of dispatch",
        takes_keys=True,
    ),
    Action(
        "previous_dispatch_pane",
        ("shift+tab",),
        "pane",
        "To the pane before",
        _HERE,
        title="Previous pane",
        takes_keys=True,
    ),
    Action(
        "undo_edit",
        ("u",),
        "undo",
        "Take the latest edit of the case back",
        _HERE,
        60,
        title="Undo the latest edit",
        takes_keys=True,
    ),
    Action(
        "undo_all", ("U",), "undo all", "The case as it was loaded; u brings the edits back", _HERE, 20, takes_keys=True
    ),
    Action(
        "compare_with",
        ("c",),
        "compare with",
        "Choose what the outputs are compared with: a file, another run, another server, this machine",
        _HERE,
        58,
        takes_keys=True,
    ),
    Action("choose_servers", ("S",), "servers", "Choose the op servers that runs go to", _HERE, 57, takes_keys=True),
    Action(
        "open_cases",
        ("o",),
        "open",
        "Open a file of cases: .toml, .json, TTK .csv or .xlsx",
        _HERE,
        55,
        takes_keys=True,
    ),
    Action("export_case", ("e",), "export", "Write the case with its edits to a TOML file", _HERE, 30, takes_keys=True),
    Action("older_run", ("comma",), "older run", "Show the run before this one", _HERE, 50, ", .", takes_keys=True),
    Action("newer_run", ("full_stop",), "newer run", "Show the run after this one", _HERE, takes_keys=True),
    Action(
        "filter_cases",
        ("slash",),
        "filter",
        "Show only cases that match: text, op:x, state:failed, re:expression, !term",
        _HERE,
        52,
        takes_keys=True,
        title="Filter the cases",
    ),
    Action("next_bad_case", ("n",), "next bad", "To the next case that failed or is wrong", _HERE, 48, takes_keys=True),
    Action(
        "previous_bad_case",
        ("N",),
        "previous bad",
        "To the case before that failed or is wrong",
        _HERE,
        takes_keys=True,
    ),
    Action(
        "copy_run",
        ("y",),
        "copy",
        "Send the run, its error and numbers to the terminal's clipboard",
        _HERE,
        35,
        takes_keys=True,
    ),
    Action("leave_dispatch", ("escape",), "back", "End a run that is under way; else back, edits are kept", _HERE, 25),
    Action("take_line", ("enter",), "take it", "Take what is typed or chosen", (Scope.REQUEST,), 95),
    Action("to_choices", ("down",), "choose", "To the list below", (Scope.REQUEST,), 60, "↓"),
    Action("leave_line", ("escape",), "leave it", "Leave everything as it was", (Scope.REQUEST,), 94),
)
