"""What an action is: what it is called, which keys do it, where it holds, when it cannot be done."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...services.session import Session

__all__ = ["Action", "Scope"]


class Scope(StrEnum):
    """Where an action holds."""

    APP = "everywhere"
    JOB = "job screens"
    OVERVIEW = "overview"
    RANKS = "ranks"
    STACKS = "stacks"
    RECORDER = "flight recorder"
    RECORDER_ROWS = "rows of the flight recorder"
    TIMELINE = "timeline"
    COUNTERS = "wait counters"
    FILTER = "filter line"
    START = "start"
    GRID = "rank grid"
    TABLE = "table"
    TREE = "tree"
    TEXT = "raw text"
    STORE = "store"
    DOCTOR = "doctor"
    ANSWER = "answer"
    COMPARISON = "comparison of looks"
    DISPATCH = "dispatch"
    CASES = "cases"
    EDITOR = "fields of a case"
    ENTRY = "field being edited"
    RUNS = "runs of a case"
    RESULT = "result of a run"
    ARRAY = "values of an array"
    HEAT = "error heat map"
    PROFILER = "profiler"
    HELP = "help"
    JUMP = "jump labels"
    QUESTION = "question"
    REQUEST = "line to be typed"
    FORM = "fields to be filled in"
    TOGGLE = "something to be switched on"
    COLUMNS = "columns of a table"


def _always(_session: Session) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a person can do."""

    name: str
    keys: tuple[str, ...]
    """As Textual names them; empty for what is in the palette only."""
    label: str
    """One or two words, for the footer; for the palette too, unless there is a `title`."""
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
    """Only moves a cursor, or is of no use by name: not in the palette."""
    title: str = ""
    """Its name in the palette where the label alone would not say it."""
    after_failure: bool = False
    """Of use when the target could not be opened, so it is in the footer then."""
    takes_keys: bool = False
    """What is typed right after it belongs to an input that it opens, so it is done before the next key is looked at.
    Inside an input its key is a character."""
