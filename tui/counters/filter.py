"""The filter of the wait counters: which counters and which ranks are shown.

The grammar is that of `services.filter_terms`. `rank:`, `host:`, `state:`, `is:marked` and `is:missing` are about
ranks; a text and `re:` are about the names of counters; `is:active` and `is:outlier` are about cells: ranks and
counters with none of them go.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...services.filters.terms import FilterPlace, Term, words_meant
from ..ranks.filter import CLASSES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from ...services.counters.sheet import CounterSheet
    from ...services.ranksets import RankSet
    from ...services.snapshot import RankState

__all__ = ["COUNTERS", "CounterFilter"]

COUNTERS = FilterPlace(
    "wait counters",
    {
        "rank": "rank:0-63",
        "host": "host:x",
        "state": "state:stopped",
        "is": "is:active|outlier|missing|marked",
    },
    ("active", "outlier", "missing", "marked"),
    {"class": "state"},
)


@dataclass(frozen=True, slots=True)
class CounterFilter:
    """A parsed filter."""

    text: str
    terms: tuple[Term, ...]

    @classmethod
    def parse(cls, text: str) -> CounterFilter:
        """
        Raises:
            FilterError: a term is none.
        """
        terms = COUNTERS.terms(text)
        for term in terms:
            if term.field == "state":
                words_meant(term, CLASSES)
        return cls(text.strip(), terms)

    def __bool__(self) -> bool:
        return bool(self.terms)

    @property
    def asks_ranks(self) -> bool:
        """Whether it asks what only the rank table knows."""
        return any(term.field in ("host", "state") for term in self.terms)

    def chosen(
        self, sheet: CounterSheet, marked: RankSet, ranks: Mapping[int, RankState]
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which rows and which columns of the sheet are shown, a truth value for each.

        Args:
            ranks: the rank table.
        """
        rows, columns = np.ones(len(sheet.ranks), np.bool_), np.ones(len(sheet.names), np.bool_)
        for term in self.terms:
            match term.field, term.value:
                case "rank", _:
                    rows &= _among(sheet, term.ranks.__contains__) ^ term.turned
                case "is", "marked":
                    rows &= _among(sheet, marked.__contains__) ^ term.turned
                case "is", "missing":
                    rows &= ~sheet.there ^ term.turned
                case "is", what:
                    cells = sheet.active if what == "active" else sheet.spread.outlying
                    rows &= np.any(cells, axis=1) ^ term.turned
                    columns &= np.any(cells, axis=0) ^ term.turned
                case "host" | "state", _:
                    rows &= _among(sheet, _fitting(term, ranks).__contains__) ^ term.turned
                case _:
                    having = (term.finds(sheet.title(number)) for number in range(len(sheet.names)))
                    columns &= np.fromiter(having, np.bool_, len(sheet.names)) ^ term.turned
        return rows, columns


def _fitting(term: Term, ranks: Mapping[int, RankState]) -> set[int]:
    if term.field == "host":
        return {rank for rank, state in ranks.items() if term.finds(state.host)}
    meant = words_meant(term, CLASSES)
    return {rank for rank, state in ranks.items() if state.rank_class.value in meant}


def _among(sheet: CounterSheet, fits: Callable[[int], bool]) -> NDArray[np.bool_]:
    return np.fromiter(map(fits, sheet.ranks.tolist()), np.bool_, len(sheet.ranks))
