"""The filter of the flight recorder's tables: what a person types, as a mask over all rows of a table.

Terms are separated by blanks and all must hold; `!` before a term turns it round. A bare text is looked for in every
column that has texts. Texts are compared with the distinct values of a column and spread over its rows from there, so
that the cost of a term does not grow with the length of the texts times the rows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ..ranksets import RankSet, RankSetError
from .expressions import SEARCHED, ExpressionError, compiled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from .texts import Texts

__all__ = ["FIELDS", "Filtered", "Flag", "RowFilter", "RowFilterError"]

FIELDS = "rank:0-63, group:x, op:x, state:x, seq:100-200, dtype:x, is:missing|mismatch|open|p2p, re:expression"
"""What can be written, for messages and help."""

MAX_LENGTH = 1_000
"""Characters of a filter."""

_WORD = re.compile(r'(?:[^\s"]+|"[^"]*")+')
_FIELD = re.compile(r"(rank|group|op|state|seq|dtype|is|re):(.*)", re.DOTALL | re.IGNORECASE)
_RANGE = re.compile(r"#?(\d{1,20})|(\d{0,20})-(\d{0,20})", re.ASCII)
_MOST = 2**64 - 1


class RowFilterError(ValueError):
    """The text is not a filter; the message is one plain line saying which part and what can be written."""


class Flag(StrEnum):
    """What `is:` can ask of a row."""

    MISSING = "missing"
    """Ranks have not come to the call; a membership: this rank is behind its group."""
    MISMATCH = "mismatch"
    OPEN = "open"
    """Not over on some rank."""
    P2P = "p2p"


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

    text: str
    """As typed."""
    terms: tuple[Callable[[Filtered], NDArray[np.bool_]], ...] = ()

    @classmethod
    def parse(cls, text: str) -> RowFilter:
        """
        Raises:
            RowFilterError: a term cannot be understood.
        """
        text = text.strip()
        if len(text) > MAX_LENGTH:
            raise RowFilterError(f"a filter has at most {MAX_LENGTH:,} characters; this one has {len(text):,}")
        if text.count('"') % 2:
            raise RowFilterError('a " has no partner; write group:"two words"')
        words = [match[0].replace('"', "") for match in _WORD.finditer(text)]
        return cls(text, tuple(_term(word) for word in words if word))

    def __bool__(self) -> bool:
        return bool(self.terms)

    def mask(self, table: Filtered) -> NDArray[np.bool_]:
        """The rows of a table for which all terms hold, shape `(rows,)`."""
        kept = np.ones(len(table), dtype=np.bool_)
        for term in self.terms:
            kept &= term(table)
        return kept


def _term(word: str) -> Callable[[Filtered], NDArray[np.bool_]]:
    if word.startswith("!") and len(word) > 1:
        inner = _term(word[1:])
        return lambda table: ~inner(table)
    if word.startswith("#") and word[1:].isdecimal():
        return _sequence(word)
    field = _FIELD.fullmatch(word)
    if field is None:
        return _text(None, word)
    name, value = field[1].lower(), field[2]
    if not value:
        raise RowFilterError(f"{name}: needs a value; fields are {FIELDS}")
    match name:
        case "rank":
            return _ranks(value)
        case "seq":
            return _sequence(value)
        case "is":
            return _flag(value)
        case "re":
            return _expression(value)
    return _text(name, value)


def _text(field: str | None, value: str) -> Callable[[Filtered], NDArray[np.bool_]]:
    wanted = value.casefold()
    return lambda table: _any(table, table.texts(field), lambda text: wanted in text.casefold())


def _expression(value: str) -> Callable[[Filtered], NDArray[np.bool_]]:
    try:
        pattern = compiled(value)
    except ExpressionError as error:
        raise RowFilterError(f"re: {error}") from None
    return lambda table: _any(table, table.texts(None), lambda text: pattern.search(text, 0, SEARCHED) is not None)


def _any(table: Filtered, columns: Sequence[Texts], fits: Callable[[str], bool]) -> NDArray[np.bool_]:
    found = np.zeros(len(table), dtype=np.bool_)
    for column in columns:
        found |= column.having(fits)
    return found


def _ranks(value: str) -> Callable[[Filtered], NDArray[np.bool_]]:
    try:
        ranks = RankSet.parse(value)
    except RankSetError as error:
        raise RowFilterError(f"rank: {error}") from None
    return lambda table: table.of_ranks(ranks)


def _sequence(value: str) -> Callable[[Filtered], NDArray[np.bool_]]:
    spans: list[tuple[int, int]] = []
    for part in value.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None or part.strip() == "-":
            raise RowFilterError(
                f"seq: {part[:40]!r} is no number and no range; write seq:311, seq:100-200 or seq:100-"
            )
        first = int(match[1] or match[2] or 0)
        last = int(match[1] or match[3] or _MOST)
        if first > last:
            raise RowFilterError(f"seq: {part[:45]!r} holds no number; write the smaller one first")
        spans.append((first, min(last, _MOST)))
    return lambda table: np.logical_or.reduce([table.of_sequence(*span) for span in spans])


def _flag(value: str) -> Callable[[Filtered], NDArray[np.bool_]]:
    try:
        flag = Flag(value.lower())
    except ValueError:
        raise RowFilterError(
            f"is: knows {', '.join(flag.value for flag in Flag)}; {value[:40]!r} is none of them"
        ) from None
    return lambda table: table.flagged(flag)
