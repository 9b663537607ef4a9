"""The filter of the flight recorder's tables: what a person types, as a mask over all rows of a table.

The grammar is that of `filter_terms`. A bare text is looked for in every column that has texts. Texts are compared with
the distinct values of a column and spread over its rows from there, so that the cost of a term does not grow with the
length of the texts times the rows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ..filters.terms import FilterError, FilterPlace, Term
from ..ranksets import RankSet

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from .texts import Texts

__all__ = ["PLACES", "ROWS", "Filtered", "Flag", "RowFilter"]

_RANGE = re.compile(r"#?(\d{1,20})|(\d{0,20})-(\d{0,20})", re.ASCII)
_MOST = 2**64 - 1


class Flag(StrEnum):
    """What `is:` can ask of a row of itself; `is:marked` asks about its ranks."""

    MISSING = "missing"
    """Ranks have not come to the call; a membership: this rank is behind its group."""
    MISMATCH = "mismatch"
    OPEN = "open"
    """Not over on some rank."""
    P2P = "p2p"


_MARKED = "marked"
_FLAGS = (*(flag.value for flag in Flag), _MARKED)
ROWS = FilterPlace(
    "rows of the flight recorder",
    {
        "rank": "rank:0-63",
        "host": "host:x",
        "group": "group:x",
        "op": "op:x",
        "state": "state:x",
        "is": "is:missing|mismatch|open|p2p|marked",
        "seq": "seq:100-200",
        "dtype": "dtype:x",
    },
    _FLAGS,
)
"""What can be asked of one table at least."""


def _without(rows: str, *fields: str) -> FilterPlace:
    return FilterPlace(rows, {name: said for name, said in ROWS.written.items() if name not in fields}, _FLAGS)


PLACES = {
    "findings": _without("findings", "dtype"),
    "collectives": _without("collectives"),
    "calls": _without("calls"),
    "groups": _without("groups", "op", "state", "seq", "dtype"),
    "memberships": _without("memberships", "op", "state", "dtype"),
}
"""What can be asked of each table, by its name in `RecorderTables`."""


class Filtered(Protocol):
    """What a filter needs of a table. Each answer has the shape `(rows,)`."""

    def __len__(self) -> int: ...

    def texts(self, field: str | None) -> Sequence[Texts]:
        """The texts that a filter field (`group`, `op`, `state`, `dtype`) looks into; all there are for None."""
        ...

    def of_ranks(self, ranks: RankSet) -> NDArray[np.bool_]:
        """Rows about any of these ranks."""
        ...

    def of_sequence(self, first: int, last: int) -> NDArray[np.bool_]:
        """Rows with a sequence number in this range, both ends included."""
        ...

    def flagged(self, flag: Flag) -> NDArray[np.bool_]: ...


@dataclass(frozen=True, slots=True)
class RowFilter:
    """A parsed filter; the empty one leaves all rows."""

    text: str = ""
    """As typed."""
    terms: tuple[Term, ...] = ()
    hosts: Mapping[int, str] = field(default_factory=dict, compare=False)
    """The host of each rank, for `host:`."""
    marked: RankSet = field(default_factory=RankSet)
    """The ranks of `is:marked`; always none without that term."""

    @classmethod
    def parse(cls, text: str, place: FilterPlace = ROWS) -> RowFilter:
        """
        Args:
            place: what can be asked of the table; of another table what it has not leaves no row.

        Raises:
            FilterError: a term cannot be understood, or can't be asked of the table.
        """
        text = text.strip()
        terms = place.terms(text)
        for term in terms:
            if term.field == "seq":
                _spans(term.value)
        return cls(text, terms)

    def among(self, hosts: Mapping[int, str], marked: RankSet) -> RowFilter:
        """The same where it is known on which hosts ranks are and which are marked."""
        asked = any(term.field == "is" and term.value == _MARKED for term in self.terms)
        return replace(self, hosts=hosts, marked=marked if asked else RankSet())

    def __bool__(self) -> bool:
        return bool(self.terms)

    def mask(self, table: Filtered) -> NDArray[np.bool_]:
        """The rows of a table for which all terms hold, shape `(rows,)`."""
        kept = np.ones(len(table), dtype=np.bool_)
        for term in self.terms:
            kept &= self._holds(term, table) ^ term.turned
        return kept

    def _holds(self, term: Term, table: Filtered) -> NDArray[np.bool_]:
        match term.field:
            case "rank":
                return table.of_ranks(term.ranks)
            case "host":
                return table.of_ranks(RankSet(rank for rank, host in self.hosts.items() if term.finds(host)))
            case "is" if term.value == _MARKED:
                return table.of_ranks(self.marked)
            case "is":
                return table.flagged(Flag(term.value))
            case "seq":
                found = np.zeros(len(table), dtype=np.bool_)
                for span in _spans(term.value):
                    found |= table.of_sequence(*span)
                return found
            case "state":
                return _any(table, table.texts("state"), _stating(term))
        return _any(table, table.texts(None if term.is_text else term.field), term.finds)


def _stating(term: Term) -> Callable[[str], bool]:
    """Whether a text has one of the words that stand between commas."""
    parts = [part for part in term.value.casefold().split(",") if part]
    return lambda text: any(part in text.casefold() for part in parts)


def _any(table: Filtered, columns: Sequence[Texts], fits: Callable[[str], bool]) -> NDArray[np.bool_]:
    found = np.zeros(len(table), dtype=np.bool_)
    for column in columns:
        found |= column.having(fits)
    return found


def _spans(value: str) -> list[tuple[int, int]]:
    """The ranges of `seq:`, both ends included.

    Raises:
        FilterError: a part is none.
    """
    spans: list[tuple[int, int]] = []
    for part in value.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None or part.strip() == "-":
            raise FilterError(f"seq: {part[:40]!r} is no number and no range; write seq:311, seq:100-200 or seq:100-")
        first = int(match[1] or match[2] or 0)
        last = int(match[1] or match[3] or _MOST)
        if first > last:
            raise FilterError(f"seq: {part[:45]!r} holds no number; write the smaller one first")
        if first > _MOST:
            raise FilterError(f"seq: {part[:45]!r} is above every sequence number; the highest is {_MOST}")
        spans.append((first, min(last, _MOST)))
    return spans
