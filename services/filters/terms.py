"""The grammar of every filter line: what a person types, as terms that all have to hold.

Blanks separate terms, `"two words"` is one, `!` before a term turns it round. `field:value` asks one thing of a row,
`re:expression` is a regular expression, anything else is a text that is looked for. What can be asked is said by the
place (`FilterPlace`); what it means there, by who has the rows. A field means the same wherever it is known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from ..ranksets import RankSet, RankSetError
from .expressions import SEARCHED, ExpressionError, compiled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["FIELDS", "MAX_LENGTH", "FilterError", "FilterPlace", "Term", "as_far_as_good", "words_meant"]

MAX_LENGTH = 1_000
"""Characters of a filter."""
FIELDS = frozenset(("rank", "host", "state", "class", "group", "op", "seq", "dtype", "frame", "value", "is", "re"))
"""All there are, wherever they are known."""

_WORD = re.compile(r'(?:[^\s"]+|"[^"]*")+')
_FIELD = re.compile(r"([A-Za-z_]+):(?!//|:)(.*)", re.DOTALL)
"""Neither `http://...` nor `c10d::...` has a field."""
_BACKENDS = frozenset(("nccl", "gloo", "mpi", "ucc", "xccl", "hccl"))
"""They stand before operations as torch records them: `nccl:all_reduce` is a text."""
_NUMBERED = re.compile(r"#\d{1,20}", re.ASCII)
_NAMED = 40
"""Characters of a text that a message repeats."""

_NOBODY = RankSet()

F = TypeVar("F")


class FilterError(ValueError):
    """The text is not a filter. The message is one plain line: which term, what is wrong, what can be written."""


@dataclass(frozen=True, slots=True)
class Term:
    """One of the terms."""

    value: str
    """What is looked for, without quotes; its case as typed."""
    field: str = ""
    """What is asked, `rank` for example; empty for a text that is looked for everywhere."""
    turned: bool = False
    ranks: RankSet = _NOBODY
    """Those of `rank:`."""
    pattern: re.Pattern[str] | None = None
    """That of `re:`."""

    @property
    def is_text(self) -> bool:
        """Whether it is looked for in all texts of a row: a bare text or an expression."""
        return self.field in ("", "re")

    def finds(self, text: str) -> bool:
        """Whether the value or the expression occurs in a text, upper and lower case alike, turned round or not."""
        if self.pattern is not None:
            return self.pattern.search(text, 0, SEARCHED) is not None
        return self.value.casefold() in text.casefold()


@dataclass(frozen=True, slots=True)
class FilterPlace:
    """What can be asked of the rows of one place."""

    rows: str
    """What they are, in the plural, for messages."""
    written: Mapping[str, str]
    """How each field is written there, `rank:0-63` for example, by its name; without `re`, which is everywhere."""
    flags: tuple[str, ...] = ()
    """What `is:` can ask."""
    also: Mapping[str, str] = field(default_factory=dict)
    """Other names of fields."""

    @property
    def hint(self) -> str:
        """What can be typed, for the filter line."""
        return "  ".join(("text", *self.written.values(), "re:x", "!term"))

    @property
    def fields(self) -> str:
        """The same of fields alone, for messages."""
        return f"fields here are {', '.join((*self.written.values(), 're:x'))}"

    def terms(self, text: str) -> tuple[Term, ...]:
        """
        Raises:
            FilterError: a term cannot be understood, or asks what can't be asked here.
        """
        return tuple(term for word in _words(text) if (term := self._term(word)) is not None)

    def _term(self, word: str) -> Term | None:
        """None for one that is empty: `""`."""
        said = word.lstrip("!") or "!"
        turned = (len(word) - len(said)) % 2 == 1
        if "seq" in self.written and _NUMBERED.fullmatch(said):
            return Term(said, "seq", turned)
        found = _FIELD.fullmatch(said)
        if found is None or found[1].lower() in _BACKENDS:
            value = said.replace('"', "")
            return Term(value, "", turned) if value else None
        name, value = found[1].lower(), found[2].replace('"', "")
        name = self.also.get(name, name)
        self._check(name, value)
        try:
            match name:
                case "rank":
                    return Term(value, name, turned, RankSet.parse(value))
                case "re":
                    return Term(value, name, turned, pattern=compiled(value))
        except (RankSetError, ExpressionError) as error:
            raise FilterError(f"{name}: {error}") from None
        return Term(value.lower() if name == "is" else value, name, turned)

    def _check(self, name: str, value: str) -> None:
        if name != "re" and name not in self.written:
            if name in FIELDS:
                raise FilterError(f"{name}: can't be asked of {self.rows}; {self.fields}")
            raise FilterError(f"{name[:_NAMED]}: is no field, in quotes it is a text; {self.fields}")
        if not value:
            raise FilterError(f"{name}: needs a value, as {self.written.get(name, 're:x')}")
        if name == "is" and value.lower() not in self.flags:
            raise FilterError(f"is: knows {', '.join(self.flags)}; {value[:_NAMED]!r} is none of them")


def words_meant(term: Term, known: Sequence[str]) -> frozenset[str]:
    """Those of the known words that a term names: by their beginnings, several with commas between; a blank of a word
    may be written `_`.

    Raises:
        FilterError: a part is the beginning of none.
    """
    meant: set[str] = set()
    for part in term.value.split(","):
        wanted = _spaced(part)
        found = [word for word in known if wanted and _spaced(word).startswith(wanted)]
        if not found:
            words = ", ".join(word.replace(" ", "_") for word in known)
            raise FilterError(f"{term.field}: {part[:_NAMED]!r} is none of {words}")
        meant.update(found)
    return frozenset(meant)


def as_far_as_good(text: str, parse: Callable[[str], F]) -> tuple[F, str]:
    """The filter of the terms that are good, and what is wrong with the last of the others; empty when nothing is.

    Args:
        parse: makes a filter, or raises `FilterError`; takes an empty text.
    """
    whole = wrong = ""
    try:
        words = _words(text)
    except FilterError as error:
        whole, words = str(error), _words(_closed(text))
    good = []
    for word in words:
        try:
            parse(word)
        except FilterError as error:
            wrong = str(error)
        else:
            good.append(word)
    return parse(" ".join(good)), whole or wrong


def _words(text: str) -> list[str]:
    """Terms as typed, with their quotes."""
    if len(text) > MAX_LENGTH:
        raise FilterError(f"a filter has at most {MAX_LENGTH:,} characters; this one has {len(text):,}")
    if text.count('"') % 2:
        raise FilterError('a " has no partner; two words are one term as "two words" or group:"two words"')
    return [found[0] for found in _WORD.finditer(text)]


def _closed(text: str) -> str:
    """What comes before the word whose quote has no partner; nothing of a text that is too long."""
    if len(text) > MAX_LENGTH:
        return ""
    at = text.rfind('"')
    before = [(found.start(), found.end()) for found in _WORD.finditer(text, 0, at)]
    return text[: before[-1][0] if before and before[-1][1] == at else at]


def _spaced(text: str) -> str:
    return text.casefold().replace("_", " ").strip()
