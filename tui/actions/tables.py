"""The actions on tables: sorting by several columns, columns shown, moved, made wider; `actions.ACTIONS` has them."""

from __future__ import annotations

from .action import Action, Scope
from .conditions import needs_ranks

__all__ = ["TABLE_ACTIONS"]

_OF_JOB = (Scope.RANKS, Scope.RECORDER_ROWS)
_LISTS = (Scope.CASES, Scope.RUNS)
_DIALOG = (Scope.COLUMNS,)

TABLE_ACTIONS: tuple[Action, ...] = (
    Action(
        "also_sort", ("a",), "sort more", "Sort by one more column; s changes which", _OF_JOB, 24, why_not=needs_ranks
    ),
    Action(
        "sort_less",
        ("A",),
        "sort less",
        "Take away the column added last to sort by; without any the table's own order holds",
        _OF_JOB,
        why_not=needs_ranks,
    ),
    Action("sort_rows", ("s",), "sort", "Sort by the next column", _LISTS, 31, title="Sort the list"),
    Action("reverse_rows", ("ctrl+s",), "reverse", "Turn the order round", _LISTS, title="Turn the list round"),
    Action(
        "also_sort_rows",
        ("a",),
        "sort more",
        "Sort by one more column; s changes which",
        (Scope.PROFILER, *_LISTS),
        24,
        title="Sort the table by one more column",
    ),
    Action(
        "sort_rows_less",
        ("A",),
        "sort less",
        "Take away the column added last to sort by; without any the table's own order holds",
        (Scope.PROFILER, *_LISTS),
        title="Sort the table by one column less",
    ),
    Action(
        "columns",
        ("vertical_line",),
        "columns",
        "Which columns of this table are shown, in which order, how wide",
        (Scope.TABLE,),
        19,
        title="Columns of this table",
    ),
    Action("turn_column", ("space",), "show or hide", "Show the column, or hide it", _DIALOG, 80),
    Action("column_up", ("K",), "move up", "Move the column to the left in the table", _DIALOG),
    Action(
        "column_down",
        ("J",),
        "move",
        "Move the column to the right in the table",
        _DIALOG,
        70,
        "J K",
        title="Move down",
    ),
    Action("wider", ("plus", "equals_sign"), "width", "Make the column wider", _DIALOG, 60, "+ -", title="Wider"),
    Action("narrower", ("minus",), "narrower", "Make the column narrower", _DIALOG),
    Action("fit_column", ("f",), "fit", "As wide as its texts by itself, this column", _DIALOG, 58),
    Action(
        "default_columns", ("d", "0"), "default", "All columns as the settings, or the table, have them", _DIALOG, 50
    ),
    Action("keep_columns", ("enter",), "keep", "Keep the columns like this; they are remembered", _DIALOG, 95),
    Action("leave_columns", ("escape", "q"), "as before", "Leave the columns as they were", _DIALOG, 94),
)
