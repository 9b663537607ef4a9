"""The filter of the wait counters: which counters and which ranks are shown.

Terms are separated by blanks and all must hold; `!` before a term turns it round. `rank:0-63`, `is:marked` and
`is:missing` are about ranks; a text is about the names of counters; `is:active` and `is:outlier` are about cells: ranks
and counters with none of them go.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..services.ranksets import RankSet, RankSetError
from .rank_filter import FilterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..services.counters.sheet import CounterSheet

__all__ = ["CounterFilter"]

_WORDS = ("active", "outlier", "marked", "missing")
_KNOWN = "a counter's name, rank:0-63, is:active, is:outlier, is:marked, is:missing"


@dataclass(frozen=True, slots=True)
class _Term:
    field: str
    text: str
    turned: bool
    ranks: RankSet


@dataclass(frozen=True, slots=True)
class CounterFilter:
    """A parsed filter."""

    text: str
    terms: tuple[_Term, ...]

    @classmethod
    def parse(cls, text: str) -> CounterFilter:
        """
        Raises:
            FilterError: a term is none.
        """
        return cls(" ".join(text.split()), tuple(_term(word) for word in text.split()))

    def __bool__(self) -> bool:
        return bool(self.terms)

    def chosen(self, sheet: CounterSheet, marked: RankSet) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which rows and which columns of the sheet are shown, a truth value for each."""
        rows, columns = np.ones(len(sheet.ranks), np.bool_), np.ones(len(sheet.names), np.bool_)
        for term in self.terms:
            match term.field, term.text:
                case "rank", _:
                    rows &= _among(sheet, term.ranks) ^ term.turned
                case "is", "marked":
                    rows &= _among(sheet, marked) ^ term.turned
                case "is", "missing":
                    rows &= ~sheet.there ^ term.turned
                case "is", what:
                    cells = sheet.active if what == "active" else sheet.spread.outlying
                    rows &= np.any(cells, axis=1) ^ term.turned
                    columns &= np.any(cells, axis=0) ^ term.turned
                case _:
                    wanted = term.text.casefold()
                    having = (wanted in sheet.title(number).casefold() for number in range(len(sheet.names)))
                    columns &= np.fromiter(having, np.bool_, len(sheet.names)) ^ term.turned
        return rows, columns


def _among(sheet: CounterSheet, ranks: RankSet) -> NDArray[np.bool_]:
    return np.fromiter((rank in ranks for rank in sheet.ranks.tolist()), np.bool_, len(sheet.ranks))


def _term(word: str) -> _Term:
    turned = word.startswith("!") and len(word) > 1
    said = word[1:] if turned else word
    field, colon, value = said.partition(":")
    if colon and field == "rank":
        try:
            return _Term("rank", value, turned, RankSet.parse(value))
        except RankSetError as error:
            raise FilterError(f"{word}: {error}") from error
    if colon and field == "is":
        if value not in _WORDS:
            raise FilterError(f"{word}: there is {_KNOWN}")
        return _Term("is", value, turned, RankSet())
    return _Term("text", said, turned, RankSet())
