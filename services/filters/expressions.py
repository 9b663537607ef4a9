"""Regular expressions that a person types, refused where they could take for ever.

Python's engine backtracks and can't be stopped: an expression that repeats something repeated needs exponential time on
some texts, and texts come from ranks. What is let through costs little more than the cube of the text that is searched.
"""

from __future__ import annotations

import re

__all__ = ["SEARCHED", "ExpressionError", "compiled"]

SEARCHED = 200
"""Characters at the start of a text in which an expression is looked for."""
_MOST_RANGES = 3
"""Repetitions of no fixed number in one expression."""
_MOST_OPTIONAL = 5
_REPEATED = re.compile(r"[*+?]|\{\d*,?\d*\}", re.ASCII)
_FIXED = re.compile(r"\{\d{0,2}\}", re.ASCII)


class ExpressionError(ValueError):
    """Why a text can't be used as an expression, in one plain line."""


def compiled(text: str) -> re.Pattern[str]:
    """The expression, blind to case.

    Raises:
        ExpressionError: it is none, or one that could take too long.
    """
    try:
        pattern = re.compile(text, re.IGNORECASE)
    except (re.error, RecursionError, OverflowError) as error:
        raise ExpressionError(f"no regular expression: {' '.join(str(error).split())}") from None
    _Walk(text).check()
    return pattern


class _Walk:
    """Through a valid expression: what is repeated may hold no repetition, no choice and no reference."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._loose = [False]
        """For each open group whether it can match in several ways so far."""

    def check(self) -> None:
        place = ranges = optional = 0
        while place < len(self._text):
            place, loose = self._atom(place)
            found = _REPEATED.match(self._text, place)
            if found is not None:
                if loose:
                    raise ExpressionError("what is repeated holds a repetition or a choice: it may take too long")
                loose = True
                optional += found[0] == "?"
                ranges += found[0] != "?" and _FIXED.fullmatch(found[0]) is None
                place = found.end()
                place += self._text.startswith(("?", "+"), place)  # lazy, or possessive
            self._loose[-1] |= loose
        if ranges > _MOST_RANGES or optional > _MOST_OPTIONAL:
            raise ExpressionError(
                f"more than {_MOST_RANGES} repetitions or {_MOST_OPTIONAL} optional parts may take too long"
            )

    def _atom(self, place: int) -> tuple[int, bool]:
        """Where the atom that begins here ends, and whether it can match in several ways."""
        text = self._text
        match text[place]:
            case "\\":
                return place + 2, text[place + 1].isdigit()
            case "[":
                return _end_of_class(text, place), False
            case "(" if text.startswith(("(?P=", "(?("), place):
                raise ExpressionError("references to groups may take too long")
            case "(":
                self._loose.append(False)
                return place + (3 if text.startswith("(?", place) else 1), False
            case ")":
                return place + 1, self._loose.pop()
            case "|":
                self._loose[-1] = True
        return place + 1, False


def _end_of_class(text: str, place: int) -> int:
    """Where a character class ends; `]` at its beginning is a character of it."""
    place += 2 if text.startswith("[^", place) else 1
    place += text.startswith("]", place)
    while place < len(text) and text[place] != "]":
        place += 2 if text[place] == "\\" else 1
    return place + 1
