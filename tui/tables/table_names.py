"""The names of the tables whose columns can be arranged, and the keys of their columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..dispatch.rows import CaseRows, RunRows
from ..profiler import tables as profile_tables
from ..profiler.filter import ProfileTab
from ..ranks.rows import COLUMNS
from ..stacks.entries import ENTRY_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..widgets.table_layout import Column

__all__ = ["TABLES"]

RECORDER = {
    "findings": "id kind severity confidence stands culprits group seq op waiting waited followers text",
    "collectives": "id group seq p2p_seq op state here open missing mismatch inputs outputs dtype created spread last "
    "duration age timeout created_utc record expected",
    "calls": "id collective rank group seq p2p_seq op state peer inputs outputs dtype entries created late duration "
    "age timeout created_utc completed_utc thread record",
    "groups": "group desc size known dumps hindmost foremost lag calls open how ranks",
    "memberships": "group rank host place enqueued completed lag p2p_enqueued p2p_completed dump",
}
"""Of the flight recorder, by tab; `BrowseTable.fields` has them once there is a job."""


def _keys(columns: Iterable[Column]) -> tuple[str, ...]:
    return tuple(column.key for column in columns)


TABLES: dict[str, tuple[str, ...]] = {
    "ranks": _keys(COLUMNS),
    "stacks": _keys(ENTRY_COLUMNS),
    **{name: tuple(keys.split()) for name, keys in RECORDER.items()},
    **{
        f"profile_{tab.value}": _keys(shape.columns)
        for tab, shape in (
            (ProfileTab.RANKS, profile_tables.RANKS),
            (ProfileTab.OPERATORS, profile_tables.operators("")),
            (ProfileTab.COLLECTIVES, profile_tables.COLLECTIVES),
            (ProfileTab.GAPS, profile_tables.GAPS),
            (ProfileTab.DIFFERENCE, profile_tables.DIFFERENCE),
            (ProfileTab.SAVED, profile_tables.SAVED),
        )
    },
    "cases": _keys(CaseRows.columns),
    "runs": _keys(RunRows.columns),
    "outputs": ("name", "dtype", "shape", "reference", "before", "min", "max", "mean", "NaN", "inf", "note"),
    "worst": ("place", "index", "actual", "expected", "absolute", "relative", "error", "end"),
}
"""Keys of the columns, by the name of the table."""
