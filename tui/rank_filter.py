"""The filter of the rank screens: what a person types, as a test of one row of the rank table.

Terms are separated by blanks and all must hold; `!` before a term turns it round. `rank:0-63`, `host:x`,
`class:stopped,dead`, `is:marked`, `frame:x`, and `op:x` and `group:x` for the call a rank is inside; anything else is
looked for in host, class, reason, address and the frames of the stacks, and as a rank number.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..services.ranksets import RankSet, RankSetError
from .rank_classes import APPEARANCES, appearance

if TYPE_CHECKING:
    from ..services.snapshot import RankState

__all__ = ["FilterError", "Having", "Inside", "RankFilter", "nobody", "nobody_inside"]

_FIELD = re.compile(r"([a-z_]+):(?!//|:)(.*)", re.DOTALL)
"""Neither `http://...` nor `c10d::...` has a field."""
_FIELDS = "rank:0-63, host:name, class:stopped, is:marked, frame:text, op:name, group:name"

Having = Callable[[str], RankSet]
"""The ranks with a frame in which a text occurs."""
Inside = Callable[[str, str], RankSet]
"""The ranks inside a call whose operation (`op`) or group (`group`) has a text in its name."""
Test = Callable[["RankState", RankSet, Having, Inside], bool]
"""Of a row, the marked ranks, who has which frame, and who is inside which call."""


def nobody(_text: str) -> RankSet:
    """No rank has any frame."""
    return RankSet()


def nobody_inside(_field: str, _text: str) -> RankSet:
    """No rank is inside any call."""
    return RankSet()


class FilterError(ValueError):
    """The text is not a filter; the message says which part and what can be written."""


@dataclass(frozen=True, slots=True)
class RankFilter:
    """A parsed filter."""

    text: str
    tests: tuple[Test, ...]
    texts: tuple[str, ...] = ()
    """What may stand in a frame: bare texts and those of `frame:`, without those that are turned round."""

    @classmethod
    def parse(cls, text: str) -> RankFilter:
        """
        Raises:
            FilterError: a field or its value cannot be understood.
        """
        words = text.split()
        return cls(text.strip(), tuple(_term(word) for word in words), tuple(filter(None, map(_frame_text, words))))

    def matches(
        self, state: RankState, marked: RankSet, having: Having = nobody, inside: Inside = nobody_inside
    ) -> bool:
        """Whether all terms hold for this rank.

        Args:
            having: tells the ranks with a frame in which a text occurs.
            inside: tells the ranks inside a call of an operation or group.
        """
        return all(test(state, marked, having, inside) for test in self.tests)

    def __bool__(self) -> bool:
        return bool(self.tests)


def _frame_text(word: str) -> str:
    """The text of a term that may be found in a frame, empty for other terms."""
    if word.startswith("!") or _is_number(word):
        return ""
    field = _FIELD.fullmatch(word)
    if field is None:
        return word
    return field[2] if field[1] == "frame" else ""


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) < 8


def _term(word: str) -> Test:
    if word.startswith("!") and len(word) > 1:
        turned = _term(word[1:])
        return lambda *row: not turned(*row)
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
            return lambda state, *_: wanted in state.host.casefold()
        case "class":
            return _class(value)
        case "frame":
            return lambda state, _, having, __: state.rank in having(value)
        case "op" | "group":
            return lambda state, _, __, inside: state.rank in inside(name, value)
        case "is" if value == "marked":
            return lambda state, marked, *_: state.rank in marked
        case "is":
            raise FilterError("is: knows only is:marked")
    raise FilterError(f"{name}: is no field; fields are {_FIELDS}")


def _rank(value: str) -> Test:
    try:
        ranks = RankSet.parse(value)
    except RankSetError as error:
        raise FilterError(str(error)) from error
    return lambda state, *_: state.rank in ranks


def _class(value: str) -> Test:
    chosen = set()
    for raw in value.split(","):
        wanted = raw.casefold().replace(" ", "_")
        found = [known for known in APPEARANCES if wanted and known.value.startswith(wanted)]
        if not found:
            raise FilterError(f"{raw!r} is no class; classes are {', '.join(known.value for known in APPEARANCES)}")
        chosen.update(found)
    return lambda state, *_: state.rank_class in chosen


def _text(wanted: str) -> Test:
    number = int(wanted) if _is_number(wanted) else -1

    def test(state: RankState, _marked: RankSet, having: Having, _inside: Inside) -> bool:
        if state.rank == number:
            return True
        shown = appearance(state.rank_class).label
        texts = (state.host, state.rank_class.value, shown, state.reason, state.address.registered)
        # A number is a rank; in frames it would be found in nearly every line number.
        return any(wanted in text.casefold() for text in texts) or (number < 0 and state.rank in having(wanted))

    return test
