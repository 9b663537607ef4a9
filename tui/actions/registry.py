"""Every action once: what it is called, which keys do it, where it holds, when it cannot be done.

Bindings, the footer, the help screen and the palette are all made from `ACTIONS`. The widget, screen or app that
carries an action out has a method `do_<name>`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding

from ..keys.key_names import first_key, keys_shown
from ..keys.keymap import FIXED, unbound
from .action import Action, Scope
from .conditions import (
    can_ask,
    can_look,
    counters_there,
    has_findings,
    look_under_way,
    needs_looks,
    needs_marks,
    needs_progress,
    needs_ranks,
    needs_rows,
    needs_torchcomms,
    needs_unused,
    takes_looks,
)
from .counters import COUNTER_ACTIONS
from .dialogs import DIALOG_ACTIONS
from .dispatch import DISPATCH_ACTIONS
from .going import GOING_ACTIONS
from .incident import FORM_ACTIONS, INCIDENT_ACTIONS
from .looks import COMPARISON_ACTIONS
from .profiler import PROFILER_ACTIONS
from .recorder import RECORDER_ACTIONS
from .result import RESULT_ACTIONS
from .stacks import STACK_ACTIONS
from .store import STORE_ACTIONS, needs_store
from .tables import TABLE_ACTIONS
from .text import TEXT_ACTIONS
from .time_travel import TIME_ACTIONS
from .timeline import TIMELINE_ACTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.binding import BindingType

__all__ = ["ACTIONS", "Action", "Scope", "actions_in", "bindings", "by_name", "key_of", "key_of_begin", "keys_shown"]

_PANES = (
    *(Scope.GRID, Scope.TABLE, Scope.TREE, Scope.TEXT, Scope.TIMELINE),
    *(Scope.ARRAY, Scope.HEAT),
)
_PLACES = (Scope.JOB, Scope.DISPATCH)

ACTIONS: tuple[Action, ...] = (
    Action("up", ("up", "k"), "move", "Up", _PANES, 55, "←↓↑→", motion=True),
    Action("down", ("down", "j"), "down", "Down", _PANES, motion=True),
    Action("left", ("left", "h"), "left", "Left", _PANES, motion=True),
    Action("right", ("right", "l"), "right", "Right", _PANES, motion=True),
    Action("page_up", ("pageup",), "page up", "A page up", _PANES, motion=True),
    Action("page_down", ("pagedown",), "page down", "A page down", _PANES, motion=True),
    Action("first", ("g", "home"), "first", "To the first", _PANES, motion=True),
    Action("last", ("G", "end"), "last", "To the last", _PANES, motion=True),
    Action(
        "enter",
        ("enter",),
        "open",
        "Open the rank table at the selected rank; from the progress matrix its calls in the group",
        (Scope.OVERVIEW,),
        70,
    ),
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
    Action(
        "progress",
        ("tab", "shift+tab"),
        "progress",
        "Between the rank grid and the progress matrix (how far each rank is in each group)",
        (Scope.OVERVIEW,),
        61,
        why_not=needs_progress,
        title="Progress matrix, or rank grid",
    ),
    Action(
        "sort_progress",
        ("s",),
        "sort",
        "Sort the progress matrix by lag, by rank, by the column of the cursor",
        (Scope.OVERVIEW,),
        why_not=needs_progress,
        title="Sort the progress matrix",
    ),
    Action(
        "reverse_progress",
        ("S",),
        "reverse",
        "Turn the order of the progress matrix round",
        (Scope.OVERVIEW,),
        why_not=needs_progress,
        title="Turn the progress matrix round",
    ),
    Action(
        "export_progress",
        ("e",),
        "export",
        "Write the progress matrix as a table, as shown or all, to a file: CSV, JSON or Markdown",
        (Scope.OVERVIEW,),
        why_not=needs_progress,
        title="Export the progress matrix",
        takes_keys=True,
    ),
    Action("overview", ("1",), "overview", "Overview: verdict and rank grid", _PLACES, 40),
    Action("ranks", ("2",), "ranks", "Ranks: one row a rank", _PLACES, 45),
    Action("stacks", ("3",), "stacks", "Stacks: all ranks merged, the odd ones first", _PLACES, 46),
    Action("recorder", ("4",), "recorder", "Flight recorder: findings, collectives, calls, groups", _PLACES, 47),
    Action(
        "counters",
        ("5",),
        "counters",
        "Wait counters: who waits in what now, ranks x counters",
        _PLACES,
        44,
        why_not=counters_there,
    ),
    Action("profiler", ("6",), "profiler", "Profiler: capture, top operators, differences", _PLACES, 37),
    Action("store", ("7",), "store", "Store: the job's keys and values", _PLACES, 38, why_not=needs_store),
    Action("dispatch", ("8",), "dispatch", "Dispatch: run single operators on an op server", _PLACES, 39),
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
        "unused_files",
        ("U",),
        "files not used",
        "Which of the files could not be used or were left aside, and why",
        (Scope.JOB,),
        16,
        why_not=needs_unused,
        title="Files that could not be used",
    ),
    *TIME_ACTIONS,
    *COMPARISON_ACTIONS,
    *INCIDENT_ACTIONS,
    Action(
        "filter",
        ("slash",),
        "filter",
        'Show only what matches: text, "two words", rank:0-63, host:x, state:x, group:x, op:x, is:marked, '
        "re:expression, !term; the line names the fields of its screen: frame:x of ranks, seq:100-200 and is:missing "
        "of recorder rows, is:active of counters, value:x of store keys",
        (Scope.JOB,),
        65,
        takes_keys=True,
        why_not=needs_rows,
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
    Action(
        "sort",
        ("s",),
        "sort",
        "Sort by the next column",
        (Scope.RANKS, Scope.RECORDER_ROWS, Scope.COUNTERS),
        58,
        why_not=needs_ranks,
    ),
    Action(
        "reverse",
        ("S",),
        "reverse",
        "Turn the order round",
        (Scope.RANKS, Scope.RECORDER_ROWS, Scope.COUNTERS),
        30,
        why_not=needs_ranks,
    ),
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
    Action(
        "export_ranks",
        ("e",),
        "export",
        "Write the table of ranks, as shown or all, to a file: CSV, JSON or Markdown",
        (Scope.RANKS,),
        26,
        why_not=needs_ranks,
        title="Export the table of ranks",
        takes_keys=True,
    ),
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
    *TABLE_ACTIONS,
    *TEXT_ACTIONS,
    *RECORDER_ACTIONS,
    *COUNTER_ACTIONS,
    *TIMELINE_ACTIONS,
    *STACK_ACTIONS,
    *STORE_ACTIONS,
    *PROFILER_ACTIONS,
    *DISPATCH_ACTIONS,
    *RESULT_ACTIONS,
    *FORM_ACTIONS,
    Action(
        "dump_file",
        ("D",),
        "dump file",
        "Let the marked ranks, or the selected one, write the flight recorder's dump file (torchcomms); asks first",
        (Scope.JOB,),
        why_not=needs_torchcomms,
        title="Write the recorder's dump file",
    ),
    Action(
        "call_handler",
        (),
        "call a handler",
        "Call a handler of the selected rank, one of the job's own perhaps, with a query; asks first",
        (Scope.JOB,),
        why_not=can_ask,
    ),
    Action(
        "doctor",
        (),
        "doctor",
        "Check whether this job can be debugged when it hangs: ranks, recorder, py-spy, clocks; and how to mend it",
        (Scope.JOB,),
        why_not=needs_looks,
        title="Doctor: check the job",
    ),
    Action("cancel_look", (), "cancel look", "End the look that is under way", (Scope.JOB,), why_not=look_under_way),
    *GOING_ACTIONS,
    Action("last_place", ("minus",), "last place", "To the last place, and back again", _PLACES, 20),
    Action(
        "back",
        ("escape",),
        "back",
        "Back: close the finding, the raw text or the filter, then to where you came from",
        (Scope.JOB,),
        25,
    ),
    Action(
        "target",
        ("t",),
        "target",
        "Attach to another target; this one is kept until then",
        _PLACES,
        15,
        after_failure=True,
    ),
    Action(
        "keep_filter", ("enter",), "keep the filter", "Keep the filter and go back to the ranks", (Scope.FILTER,), 95
    ),
    Action("drop_filter", ("escape",), "take it away", "Show all ranks again", (Scope.FILTER,), 94),
    *DIALOG_ACTIONS,
    Action("theme", (), "theme", "Change the colours", (Scope.APP,)),
    Action("redraw", ("ctrl+l",), "redraw", "Send the whole screen to the terminal again", (Scope.APP,)),
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


def key_of(name: str) -> str:
    """The key of an action as it is set now, for a sentence."""
    return first_key(by_name[name])


def key_of_begin(name: str) -> str:
    """The same where a sentence begins with it: Esc, not esc; a key that is one letter stays as it is."""
    key = key_of(name)
    return key[0].upper() + key[1:] if key.isalpha() and len(key) > 1 else key


def actions_in(scopes: Iterable[Scope]) -> list[Action]:
    """The actions that hold in any of the scopes, in the order of the registry."""
    wanted = set(scopes)
    return [action for action in ACTIONS if wanted & set(action.scopes)]


def bindings(scope: Scope, *, at_once: bool = False) -> list[BindingType]:
    """The bindings of one widget, screen or the app; all of them lead to `XpudbgApp.action_perform`.

    Args:
        at_once: each key is carried out before the next one is looked at, so that keys typed ahead find what those
            before them have opened.
    """
    return [
        Binding(
            key,
            f"app.perform('{action.name}')",
            action.description,
            show=False,
            priority=at_once or action.takes_keys or key in FIXED,
            id=None if key in FIXED else action.name,
        )
        for action in actions_in((scope,))
        for key in action.keys or (unbound(action.name),)
    ]
