"""Every action once: what it is called, which keys do it, where it holds, when it cannot be done.

Bindings, the footer, the help screen and the palette are all made from `ACTIONS`. The widget, screen or app that
carries an action out has a method `do_<name>`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from textual.binding import Binding

from ..services.session import Phase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from textual.binding import BindingType

    from ..services.session import Session

__all__ = ["ACTIONS", "Action", "Scope", "actions_in", "bindings", "by_name", "keys_shown"]


class Scope(StrEnum):
    """Where an action holds."""

    APP = "everywhere"
    JOB = "job screens"
    OVERVIEW = "overview"
    RANKS = "ranks"
    START = "start"
    GRID = "rank grid"
    TABLE = "table"
    HELP = "help"


def _always(_session: Session) -> str:
    return ""


def _needs_target(session: Session) -> str:
    return "" if session.phase is not Phase.IDLE else "nothing is attached"


def _needs_ranks(session: Session) -> str:
    return "" if session.ranks else "no rank is known yet"


def _can_look(session: Session) -> str:
    if session.under_way is not None:
        return f"look {session.under_way.id} is still under way"
    return "the target is being opened" if session.phase is Phase.OPENING else _needs_target(session)


def _look_under_way(session: Session) -> str:
    return "" if session.under_way is not None else "no look is under way"


def _needs_marks(session: Session) -> str:
    return "" if session.marked else "no rank is marked"


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a person can do."""

    name: str
    keys: tuple[str, ...]
    """As Textual names them; empty for what is in the palette only."""
    label: str
    """One or two words, for the footer."""
    description: str
    """One line, for help and palette."""
    scopes: tuple[Scope, ...]
    importance: int = 0
    """The footer keeps the highest when it is too narrow for all; 0 is never in the footer."""
    footer_keys: str = ""
    """What the footer shows as keys when it is not the first one."""
    why_not: Callable[[Session], str] = _always
    """Why it cannot be done now, empty when it can."""
    motion: bool = False
    """Only moves a cursor: not in the palette."""
    takes_keys: bool = False
    """What is typed right after it belongs to an input that it opens, so it is done before the next key is looked at.
    Inside an input its key is a character."""


_PANES = (Scope.GRID, Scope.TABLE)

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
    Action("overview", ("1",), "overview", "Overview: verdict and rank grid", (Scope.JOB,), 40),
    Action("ranks", ("2",), "ranks", "Ranks: one row a rank", (Scope.JOB,), 45),
    Action(
        "look",
        ("r",),
        "look again",
        "Look again at all ranks; try again when the target failed",
        (Scope.JOB,),
        80,
        why_not=_can_look,
    ),
    Action(
        "refresh",
        ("R",),
        "refresh interval",
        "Look again by itself: off, 2, 5, 10, 30 s",
        (Scope.JOB,),
        50,
        why_not=_needs_target,
    ),
    Action(
        "filter",
        ("slash",),
        "filter",
        "Show only ranks that match: text, rank:0-63, host:x, class:stopped, is:marked",
        (Scope.JOB,),
        65,
        takes_keys=True,
        why_not=_needs_ranks,
    ),
    Action(
        "next_match",
        ("n",),
        "next",
        "Next rank that matches the filter; without one, the next that is not well",
        (Scope.JOB,),
        60,
        why_not=_needs_ranks,
    ),
    Action("previous_match", ("N",), "previous", "The previous one", (Scope.JOB,), why_not=_needs_ranks),
    Action("sort", ("s",), "sort", "Sort by the next column", (Scope.RANKS,), 58, why_not=_needs_ranks),
    Action("reverse", ("S",), "reverse", "Turn the order round", (Scope.RANKS,), 30, why_not=_needs_ranks),
    Action(
        "mark",
        ("space",),
        "mark",
        "Mark the selected rank, or take the mark away",
        (Scope.JOB,),
        48,
        why_not=_needs_ranks,
    ),
    Action("mark_shown", (), "mark shown", "Mark all ranks that are shown", (Scope.RANKS,), why_not=_needs_ranks),
    Action("unmark_all", (), "unmark all", "Take all marks away", (Scope.JOB,), why_not=_needs_marks),
    Action(
        "previous_rank", ("left_square_bracket",), "previous rank", "Previous rank", (Scope.JOB,), why_not=_needs_ranks
    ),
    Action("next_rank", ("right_square_bracket",), "rank", "Next rank", (Scope.JOB,), 28, "[ ]", why_not=_needs_ranks),
    Action(
        "copy",
        ("y",),
        "copy",
        "Copy the verdict (overview) or the row (ranks) to the clipboard",
        (Scope.JOB,),
        52,
        why_not=_needs_target,
    ),
    Action("cancel_look", (), "cancel look", "End the look that is under way", (Scope.JOB,), why_not=_look_under_way),
    Action("last_place", ("minus",), "last place", "To the last place, and back again", (Scope.JOB,), 20),
    Action("back", ("escape",), "back", "Back: close the filter, then to where you came from", (Scope.JOB,), 25),
    Action("target", ("t",), "target", "Let go of this job and attach to another", (Scope.JOB,), 15),
    Action("choices", ("down",), "choose", "To the targets used before and the demo", (Scope.START,), 60, "↓"),
    Action("leave", ("escape",), "quit", "Quit", (Scope.START,), 90),
    Action("close", ("escape", "question_mark", "q"), "close", "Close", (Scope.HELP,), 90),
    Action("theme", (), "theme", "Change the colours", (Scope.APP,)),
    Action("palette", ("colon", "ctrl+p"), "palette", "Everything that can be done here, by name", (Scope.APP,), 35),
    Action("help", ("question_mark",), "keys", "The keys of this place", (Scope.APP,), 85),
    Action("quit", ("q",), "quit", "Quit", (Scope.APP,), 90),
)

by_name: dict[str, Action] = {action.name: action for action in ACTIONS}

_SHOWN = {
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "question_mark": "?",
    "slash": "/",
    "minus": "-",
    "colon": ":",
    "escape": "esc",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "pageup": "pgup",
    "pagedown": "pgdn",
    "enter": "enter",
}


def keys_shown(action: Action) -> list[str]:
    """The keys of an action as people write them."""
    return [_SHOWN.get(key, key) for key in action.keys]


def actions_in(scopes: Iterable[Scope]) -> list[Action]:
    """The actions that hold in any of the scopes, in the order of the registry."""
    wanted = set(scopes)
    return [action for action in ACTIONS if wanted & set(action.scopes)]


def bindings(scope: Scope) -> list[BindingType]:
    """The bindings of one widget, screen or the app; all of them lead to `XpudbgApp.action_perform`."""
    return [
        Binding(key, f"app.perform('{action.name}')", action.description, show=False, priority=action.takes_keys)
        for action in actions_in((scope,))
        for key in action.keys
    ]
