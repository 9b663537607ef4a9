"""Every action once: what it is called, which keys do it, where it holds, when it cannot be done.

Bindings, the footer, the help screen and the palette are all made from `ACTIONS`. The widget, screen or app that
carries an action out has a method `do_<name>`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding

from .action import (
    Action,
    Scope,
    can_ask,
    can_look,
    has_findings,
    job_behind,
    look_under_way,
    needs_marks,
    needs_ranks,
    needs_stacks,
    needs_target,
    takes_looks,
)
from .key_names import keys_shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.binding import BindingType

__all__ = ["ACTIONS", "Action", "Scope", "actions_in", "bindings", "by_name", "keys_shown"]

_PANES = (Scope.GRID, Scope.TABLE, Scope.TREE, Scope.TEXT)

ACTIONS: tuple[Action, ...] = (
    Action("up", ("up", "k"), "move", "Up", _PANES, 55, "←↓↑→", motion=True),
    Action("down", ("down", "j"), "down", "Down", _PANES, motion=True),
    Action("left", ("left", "h"), "left", "Left", _PANES, motion=True),
    Action("right", ("right", "l"), "right", "Right", _PANES, motion=True),
    Action("page_up", ("pageup",), "page up", "A page up", _PANES, motion=True),
    Action("page_down", ("pagedown",), "page down", "A page down", _PANES, motion=True),
    Action("first", ("g", "home"), "first", "To the first", _PANES, motion=True),
    Action("last", ("G", "end"), "last", "To the last", _PANES, motion=True),
    Action("enter", ("enter",), "open", "Open the rank table at the selected rank", (Scope.OVERVIEW,), 70),
    Action(
        "next_finding",
        ("f",),
        "finding",
        "Show a finding in full and select its first rank; again, the next one; esc back to all",
        (Scope.OVERVIEW,),
        62,
        why_not=has_findings,
        title="Next finding",
    ),
    Action(
        "previous_finding",
        ("F",),
        "previous finding",
        "Show the finding before in full and select its first rank",
        (Scope.OVERVIEW,),
        why_not=has_findings,
    ),
    Action("overview", ("1",), "overview", "Overview: verdict and rank grid", (Scope.JOB,), 40),
    Action("ranks", ("2",), "ranks", "Ranks: one row a rank", (Scope.JOB,), 45),
    Action("stacks", ("3",), "stacks", "Stacks: all ranks merged, the odd ones first", (Scope.JOB,), 46),
    Action(
        "look",
        ("r",),
        "look again",
        "Look again at all ranks, or read the dumps again; try again when the target failed",
        (Scope.JOB,),
        80,
        why_not=can_look,
        after_failure=True,
    ),
    Action(
        "refresh",
        ("R",),
        "refresh interval",
        "Look again by itself: off, 2, 5, 10, 30 s",
        (Scope.JOB,),
        50,
        why_not=takes_looks,
    ),
    Action(
        "filter",
        ("slash",),
        "filter",
        "Show only ranks that match: text, rank:0-63, host:x, class:stopped, is:marked, frame:x",
        (Scope.JOB,),
        65,
        takes_keys=True,
        why_not=needs_ranks,
    ),
    Action(
        "next_match",
        ("n",),
        "next",
        "Next rank that matches the filter; without one, the next that is not well (stacks: next frame, next place)",
        (Scope.JOB,),
        60,
        why_not=needs_ranks,
        title="Next match",
    ),
    Action(
        "previous_match",
        ("N",),
        "previous",
        "Previous rank that matches, or that is not well (stacks: previous frame, previous place)",
        (Scope.JOB,),
        why_not=needs_ranks,
        title="Previous match",
    ),
    Action("sort", ("s",), "sort", "Sort by the next column", (Scope.RANKS,), 58, why_not=needs_ranks),
    Action("reverse", ("S",), "reverse", "Turn the order round", (Scope.RANKS,), 30, why_not=needs_ranks),
    Action(
        "mark",
        ("space",),
        "mark",
        "Mark the selected rank (stacks: exactly the ranks of the branch), or take the mark away",
        (Scope.JOB,),
        53,
        why_not=needs_ranks,
    ),
    Action("mark_shown", (), "mark shown", "Mark all ranks that are shown", (Scope.RANKS,), why_not=needs_ranks),
    Action("unmark_all", (), "unmark all", "Take all marks away", (Scope.JOB,), why_not=needs_marks),
    Action(
        "previous_rank",
        ("left_square_bracket",),
        "previous rank",
        "Select the rank with the next lower number; from the first, the last",
        (Scope.JOB,),
        why_not=needs_ranks,
    ),
    Action(
        "next_rank",
        ("right_square_bracket",),
        "rank",
        "Select the rank with the next higher number; from the last, the first",
        (Scope.JOB,),
        28,
        "[ ]",
        why_not=needs_ranks,
        title="Next rank",
    ),
    Action(
        "copy",
        ("y",),
        "copy",
        "Send the verdict (overview), the row (ranks), the branch, stack or text (stacks) to the terminal's clipboard",
        (Scope.JOB,),
        52,
        why_not=needs_target,
    ),
    Action("open", ("enter",), "open", "Open or close what the cursor is on", (Scope.STACKS,), 56),
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
        "pager",
        ("o",),
        "pager",
        "Open the selected rank's raw text in $PAGER",
        (Scope.STACKS,),
        42,
        why_not=needs_ranks,
    ),
    Action(
        "export",
        ("e",),
        "export",
        "Write the stacks shown to a file for speedscope, in the current folder",
        (Scope.STACKS,),
        49,
        why_not=needs_stacks,
        title="Export for speedscope",
    ),
    Action(
        "export_collapsed",
        ("E",),
        "export collapsed",
        "Write the stacks shown as collapsed stacks (flame graphs), in the current folder",
        (Scope.STACKS,),
        why_not=needs_stacks,
    ),
    Action("cancel_look", (), "cancel look", "End the look that is under way", (Scope.JOB,), why_not=look_under_way),
    Action("last_place", ("minus",), "last place", "To the last place, and back again", (Scope.JOB,), 20),
    Action(
        "back",
        ("escape",),
        "back",
        "Back: close the finding or the filter, then to where you came from",
        (Scope.JOB,),
        25,
    ),
    Action(
        "target",
        ("t",),
        "target",
        "Attach to another target; this one is kept until then",
        (Scope.JOB,),
        15,
        after_failure=True,
    ),
    Action(
        "keep_filter", ("enter",), "keep the filter", "Keep the filter and go back to the ranks", (Scope.FILTER,), 95
    ),
    Action("drop_filter", ("escape",), "take it away", "Show all ranks again", (Scope.FILTER,), 94),
    Action("submit", ("enter",), "attach", "Attach to what is typed or chosen", (Scope.START,), 95),
    Action("choices", ("down",), "choose", "To the targets used before and the demo", (Scope.START,), 60, "↓"),
    Action("leave", ("escape",), "back", "Back to the job", (Scope.START,), 90, why_not=job_behind),
    Action("close", ("escape", "question_mark", "q"), "close", "Close", (Scope.HELP,), 90),
    Action("agree", ("y", "enter"), "yes", "Do it", (Scope.QUESTION,), 90),
    Action("decline", ("n", "escape", "q"), "no", "Leave it", (Scope.QUESTION,), 89),
    Action("theme", (), "theme", "Change the colours", (Scope.APP,)),
    Action(
        "palette",
        ("colon", "ctrl+p"),
        "palette",
        "Everything that can be done here, by name",
        (Scope.APP,),
        35,
        after_failure=True,
    ),
    Action("help", ("question_mark",), "keys", "The keys of this place", (Scope.APP,), 85, after_failure=True),
    Action("quit", ("q", "ctrl+q"), "quit", "Quit", (Scope.APP,), 90, after_failure=True),
    Action(
        "interrupt",
        ("ctrl+c",),
        "interrupt",
        "Copy the text selected with the mouse; without one say how to quit, twice within 2 s quit",
        (Scope.APP,),
        motion=True,
    ),
)

by_name: dict[str, Action] = {action.name: action for action in ACTIONS}

_EVERYWHERE = frozenset(("ctrl+c", "ctrl+q"))
"""Keys that hold in dialogs and inputs too."""


def actions_in(scopes: Iterable[Scope]) -> list[Action]:
    """The actions that hold in any of the scopes, in the order of the registry."""
    wanted = set(scopes)
    return [action for action in ACTIONS if wanted & set(action.scopes)]


def bindings(scope: Scope) -> list[BindingType]:
    """The bindings of one widget, screen or the app; all of them lead to `XpudbgApp.action_perform`."""
    return [
        Binding(
            key,
            f"app.perform('{action.name}')",
            action.description,
            show=False,
            priority=action.takes_keys or key in _EVERYWHERE,
        )
        for action in actions_in((scope,))
        for key in action.keys
    ]
