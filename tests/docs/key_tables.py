"""The tables of keys in docs/screens: made from the registry of actions, between two marks of each page."""

from __future__ import annotations

import re
from pathlib import Path

from xpudbg.tui.actions.registry import Scope, actions_in, keys_shown

__all__ = ["PAGES", "SCREENS", "key_table", "with_keys"]

SCREENS = Path(__file__).parents[2] / "docs" / "screens"

PAGES: dict[str, dict[str, tuple[Scope, ...]]] = {
    "index": {
        "On every screen of a job": (Scope.JOB,),
        "Everywhere": (Scope.APP,),
        "In a table, tree, grid, timeline, text or array": (
            *(Scope.GRID, Scope.TABLE, Scope.TREE, Scope.TEXT, Scope.TIMELINE),
            *(Scope.ARRAY, Scope.HEAT),
        ),
        "In the filter line": (Scope.FILTER,),
        "Where something is typed": (Scope.REQUEST, Scope.FORM, Scope.TOGGLE),
        "In the columns of a table": (Scope.COLUMNS,),
        "Where a question is asked": (Scope.QUESTION,),
        "In the comparison of looks": (Scope.COMPARISON,),
        "In the answer of a handler": (Scope.ANSWER,),
        "While letters to jump to are shown": (Scope.JUMP,),
        "In the list of keys": (Scope.HELP,),
    },
    "start": {"": (Scope.START,)},
    "overview": {"": (Scope.OVERVIEW,)},
    "ranks": {"": (Scope.RANKS,)},
    "stacks": {"": (Scope.STACKS,), "In the raw text": (Scope.TEXT,)},
    "recorder": {
        "": (Scope.RECORDER,),
        "In its tables": (Scope.RECORDER_ROWS,),
        "In the timeline": (Scope.TIMELINE,),
    },
    "counters": {"": (Scope.COUNTERS,)},
    "profiler": {"": (Scope.PROFILER,)},
    "store": {"": (Scope.STORE,)},
    "dispatch": {
        "": (Scope.DISPATCH,),
        "In the list of cases": (Scope.CASES,),
        "In the fields of a case": (Scope.EDITOR, Scope.ENTRY),
        "In the runs of a case": (Scope.RUNS,),
        "In the result": (Scope.RESULT, Scope.ARRAY, Scope.HEAT),
    },
    "doctor": {"": (Scope.DOCTOR,)},
}
"""By page the tables with their headings, and of which scopes each has the actions."""

_BEGIN = "<!-- keys: written by `python -m tests.docs` -->"
_END = "<!-- end of keys -->"
_BETWEEN = re.compile(f"{re.escape(_BEGIN)}.*?{re.escape(_END)}", re.S)
_MARKUP = str.maketrans({sign: f"\\{sign}" for sign in "\\*_`[]|"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;"})


def with_keys(page: str, text: str) -> str:
    """A page with its tables as they are now.

    Raises:
        ValueError: the page has not exactly one place for them.
    """
    if len(_BETWEEN.findall(text)) != 1:
        raise ValueError(f"docs/screens/{page}.md needs {_BEGIN} and {_END} once, one after the other")
    parts = [key_table(heading, scopes) for heading, scopes in PAGES[page].items()]
    made = "\n\n".join((_BEGIN, *parts, _END))
    return _BETWEEN.sub(lambda _found: made, text)


def key_table(heading: str, scopes: tuple[Scope, ...]) -> str:
    """One table: keys, what they do, and the name by which the settings know it."""
    lines = [f"### {heading}", ""] if heading else []
    lines += ["| keys | | name in the settings |", "|---|---|---|"]
    for action in actions_in(scopes):
        keys = " ".join(f"<kbd>{_key(key)}</kbd>" for key in keys_shown(action)) or "palette"
        lines.append(f"| {keys} | {action.description.translate(_MARKUP)} | `{action.name}` |")
    return "\n".join(lines)


def _key(key: str) -> str:
    """A key as HTML in which Markdown finds nothing."""
    return "".join(sign if sign.isalnum() or ord(sign) > 127 else f"&#{ord(sign)};" for sign in key)
