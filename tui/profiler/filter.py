"""The filter of the profiler's tables. What can be asked differs by table, what it means does not.

The grammar is that of `services.filter_terms`; a text and `re:` are looked for in all cells of a row.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from ...services.filters.terms import FilterPlace, Term, words_meant
from ...services.profiles.trace_set import TraceState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...services.ranksets import RankSet
    from ...services.snapshot import RankState
    from .rows import ProfileRows

__all__ = ["PLACES", "ProfileFilter", "ProfileTab"]


class ProfileTab(StrEnum):
    """The tables."""

    RANKS = "ranks"
    OPERATORS = "operators"
    COLLECTIVES = "collectives"
    GAPS = "gaps"
    DIFFERENCE = "difference"
    SAVED = "saved"


_OP = {"op": "op:x"}
PLACES: dict[ProfileTab, FilterPlace] = {
    ProfileTab.RANKS: FilterPlace(
        "traces",
        {"rank": "rank:0-63", "host": "host:x", "state": "state:done", **_OP, "is": "is:marked"},
        ("marked",),
    ),
    ProfileTab.OPERATORS: FilterPlace("operators of a trace", _OP),
    ProfileTab.COLLECTIVES: FilterPlace("collectives of a trace", {"group": "group:x", **_OP}),
    ProfileTab.GAPS: FilterPlace("gaps of a trace", _OP),
    ProfileTab.DIFFERENCE: FilterPlace("operators of two traces", _OP),
    ProfileTab.SAVED: FilterPlace("saved captures", {}),
}
_NAMED: dict[tuple[ProfileTab, str], tuple[str, ...]] = {
    (ProfileTab.RANKS, "op"): ("top",),
    (ProfileTab.OPERATORS, "op"): ("name",),
    (ProfileTab.COLLECTIVES, "op"): ("name",),
    (ProfileTab.COLLECTIVES, "group"): ("group",),
    (ProfileTab.GAPS, "op"): ("before", "after"),
    (ProfileTab.DIFFERENCE, "op"): ("name",),
}
"""The columns in which a field looks."""
_STATES = tuple(state.value for state in TraceState)


@dataclass(frozen=True, slots=True)
class ProfileFilter:
    """A parsed filter of one table; the empty one leaves all rows."""

    tab: ProfileTab
    terms: tuple[Term, ...] = ()

    @classmethod
    def parse(cls, text: str, tab: ProfileTab) -> ProfileFilter:
        """
        Raises:
            FilterError: a term cannot be understood, or can't be asked of this table.
        """
        terms = PLACES[tab].terms(text)
        for term in terms:
            if term.field == "state":
                words_meant(term, _STATES)
        return cls(tab, terms)

    def __bool__(self) -> bool:
        return bool(self.terms)

    @property
    def asks_ranks(self) -> bool:
        """Whether it asks what only the rank table and the marks know."""
        return any(term.field in ("host", "is") for term in self.terms)

    def fits(self, rows: ProfileRows[Any], row: int, marked: RankSet, ranks: Mapping[int, RankState]) -> bool:
        """Whether all terms hold for a row.

        Args:
            row: its number; of the table of ranks that is the rank.
            ranks: the rank table.
        """
        return all(self._holds(term, rows, row, marked, ranks) is not term.turned for term in self.terms)

    def _holds(
        self, term: Term, rows: ProfileRows[Any], row: int, marked: RankSet, ranks: Mapping[int, RankState]
    ) -> bool:
        match term.field:
            case "rank":
                return row in term.ranks
            case "host":
                return row in ranks and term.finds(ranks[row].host)
            case "is":
                return row in marked
            case "state":
                return rows.items[row].row.state.value in words_meant(term, _STATES)
        named = None if term.is_text else _NAMED[self.tab, term.field]
        cells = zip(rows.columns, rows.entries(row), strict=True)
        return any(term.finds(cell.text) for column, cell in cells if named is None or column.key in named)
