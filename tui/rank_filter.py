"""The filter of the rank screens: what a person types, as a test of one row of the rank table.

Terms are separated by blanks and all must hold; `!` before a term turns it round. `rank:0-63`, `host:x`,
`class:stopped,dead`, `is:marked`; anything else is looked for in host, class, reason, address and as a rank number.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..services.ranksets import RankSet, RankSetError
from .rank_classes import APPEARANCES, appearance

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..services.snapshot import RankState

__all__ = ["FilterError", "RankFilter"]

_FIELD = re.compile(r"([a-z_]+):(?!//)(.*)", re.DOTALL)
_FIELDS = "rank:0-63, host:name, class:stopped, is:marked"


class FilterError(ValueError):
    """The text is not a filter; the message says which part and what can be written."""


@dataclass(frozen=True, slots=True)
class RankFilter:
    """A parsed filter."""

    text: str
    tests: tuple[Callable[[RankState, RankSet], bool], ...]

    @classmethod
    def parse(cls, text: str) -> RankFilter:
        """
        Raises:
            FilterError: a field or its value cannot be understood.
        """
        return cls(text.strip(), tuple(_term(word) for word in text.split()))

    def matches(self, state: RankState, marked: RankSet) -> bool:
        """Whether all terms hold for this rank."""
        return all(test(state, marked) for test in self.tests)

    def __bool__(self) -> bool:
        return bool(self.tests)


def _term(word: str) -> Callable[[RankState, RankSet], bool]:
    if word.startswith("!") and len(word) > 1:
        inner = _term(word[1:])
        return lambda state, marked: not inner(state, marked)
    field = _FIELD.fullmatch(word)
    if field is None:
        return _text(word.casefold())
    name, value = field[1], field[2]
    if not value:
        raise FilterError(f"{name}: needs a value; fields are {_FIELDS}")
    match name:
        case "rank":
            return _rank(value)
        case "host":
            wanted = value.casefold()
            return lambda state, _: wanted in state.host.casefold()
        case "class":
            return _class(value)
        case "is" if value == "marked":
            return lambda state, marked: state.rank in marked
        case "is":
            raise FilterError("is: knows only is:marked")
    raise FilterError(f"{name}: is no field; fields are {_FIELDS}")


def _rank(value: str) -> Callable[[RankState, RankSet], bool]:
    try:
        ranks = RankSet.parse(value)
    except RankSetError as error:
        raise FilterError(str(error)) from error
    return lambda state, _: state.rank in ranks


def _class(value: str) -> Callable[[RankState, RankSet], bool]:
    chosen = set()
    for raw in value.split(","):
        wanted = raw.casefold().replace(" ", "_")
        found = [known for known in APPEARANCES if wanted and known.value.startswith(wanted)]
        if not found:
            raise FilterError(f"{raw!r} is no class; classes are {', '.join(known.value for known in APPEARANCES)}")
        chosen.update(found)
    return lambda state, _: state.rank_class in chosen


def _text(wanted: str) -> Callable[[RankState, RankSet], bool]:
    number = int(wanted) if wanted.isascii() and wanted.isdigit() and len(wanted) < 8 else -1

    def test(state: RankState, _marked: RankSet) -> bool:
        if state.rank == number:
            return True
        shown = appearance(state.rank_class).label
        return any(
            wanted in text.casefold()
            for text in (state.host, state.rank_class.value, shown, state.reason, state.address.registered)
        )

    return test
