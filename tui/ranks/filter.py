"""The filter of the rank screens: what a person types, as a test of one row of the rank table.

The grammar is that of `services.filter_terms`. `op:`, `group:` and the recorder's words of `state:` are about the call
a rank is inside; a text and `re:` are looked for in host, class, reason, address and the frames of the stacks, and a
number is a rank.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...services.filters.terms import FilterPlace, Term, words_meant
from ...services.ranksets import RankSet
from .classes import APPEARANCES, appearance

if TYPE_CHECKING:
    import re

    from ...services.snapshot import RankState

__all__ = ["CLASSES", "RANKS", "Having", "Inside", "RankFilter", "nobody", "nobody_inside"]

RANKS = FilterPlace(
    "ranks",
    {
        "rank": "rank:0-63",
        "host": "host:x",
        "state": "state:stopped",
        "group": "group:x",
        "op": "op:x",
        "frame": "frame:x",
        "is": "is:marked",
    },
    ("marked",),
    {"class": "state"},
)
CLASSES = tuple(known.value for known in APPEARANCES)
"""What `state:` can ask of a rank wherever ranks are filtered."""
_RECORDED = ("scheduled", "started")
"""What it can ask beside of the call that a rank is inside: torch's words."""

Having = Callable[["str | re.Pattern[str]"], RankSet]
"""The ranks with a frame in which a text or an expression is found."""
Inside = Callable[[str, str], RankSet]
"""The ranks inside a call whose operation (`op`), group (`group`) or state (`state`) has a text in its name."""
Test = Callable[["RankState", RankSet, Having, Inside], bool]
"""Of a row, the marked ranks, who has which frame, and who is inside which call."""


def nobody(_sought: str | re.Pattern[str]) -> RankSet:
    """No rank has any frame."""
    return RankSet()


def nobody_inside(_field: str, _text: str) -> RankSet:
    """No rank is inside any call."""
    return RankSet()


@dataclass(frozen=True, slots=True)
class RankFilter:
    """A parsed filter."""

    text: str
    tests: tuple[Test, ...]
    texts: tuple[str | re.Pattern[str], ...] = ()
    """What may stand in a frame: bare texts, expressions and those of `frame:`, without those that are turned round."""

    @classmethod
    def parse(cls, text: str) -> RankFilter:
        """
        Raises:
            FilterError: a field or its value cannot be understood.
        """
        terms = RANKS.terms(text)
        sought = (term.pattern or term.value for term in terms if _in_frames(term) and not term.turned)
        return cls(text.strip(), tuple(map(_test, terms)), tuple(sought))

    def matches(
        self, state: RankState, marked: RankSet, having: Having = nobody, inside: Inside = nobody_inside
    ) -> bool:
        """Whether all terms hold for this rank.

        Args:
            having: tells the ranks with a frame in which a text or an expression is found.
            inside: tells the ranks inside a call of an operation, a group or a state.
        """
        return all(test(state, marked, having, inside) for test in self.tests)

    def __bool__(self) -> bool:
        return bool(self.tests)


def _in_frames(term: Term) -> bool:
    """Whether it is looked for in frames. A number is a rank: in frames it would be found in nearly every line."""
    return term.field == "frame" or (term.is_text and _number(term) is None)


def _number(term: Term) -> int | None:
    value = term.value
    return int(value) if not term.field and value.isascii() and value.isdigit() and len(value) < 8 else None


def _test(term: Term) -> Test:
    test = _straight(term)
    return (lambda *row: not test(*row)) if term.turned else test


def _straight(term: Term) -> Test:
    match term.field:
        case "rank":
            return lambda state, *_: state.rank in term.ranks
        case "host":
            return lambda state, *_: term.finds(state.host)
        case "state":
            return _state(term)
        case "frame":
            return lambda state, _, having, __: state.rank in having(term.value)
        case "op" | "group":
            return lambda state, _, __, inside: state.rank in inside(term.field, term.value)
        case "is":
            return lambda state, marked, *_: state.rank in marked
    return _text(term)


def _state(term: Term) -> Test:
    meant = words_meant(term, (*CLASSES, *_RECORDED))
    recorded = [word for word in _RECORDED if word in meant]

    def test(state: RankState, _marked: RankSet, _having: Having, inside: Inside) -> bool:
        if state.rank_class.value in meant:
            return True
        return any(state.rank in inside("state", word) for word in recorded)

    return test


def _text(term: Term) -> Test:
    number, sought, in_frames = _number(term), term.pattern or term.value, _in_frames(term)

    def test(state: RankState, _marked: RankSet, having: Having, _inside: Inside) -> bool:
        if state.rank == number:
            return True
        shown = appearance(state.rank_class).label
        texts = (state.host, state.rank_class.value, shown, state.reason, state.address.registered)
        return any(map(term.finds, texts)) or (in_frames and state.rank in having(sought))

    return test
