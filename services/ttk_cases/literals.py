"""Values written as text: the literals of Python and JSON, and nothing else. Nothing is evaluated.

value  = number | string | True False None true false null | inf nan (also Infinity, NaN, float('inf')) | sequence
sequences (a, b), (a,), [a, b], dictionaries {'a': b}; depth, length and number of values are bounded.
"""

from __future__ import annotations

import math
import re
from typing import Any

from ..plain_text import plain
from .errors import CellError

__all__ = ["DEPTH_LIMIT", "TEXT_LIMIT", "VALUE_LIMIT", "parse_literal"]

TEXT_LIMIT = 1 << 20
"""Characters of one literal."""
VALUE_LIMIT = 100_000
"""Values in one literal, at all depths."""
DEPTH_LIMIT = 32

_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"[+-]?(?:(?:\d[\d_]*)?\.\d+|\d[\d_]*\.?)(?:[eE][+-]?\d{1,5})?", re.ASCII)
_FLOAT_CALL = re.compile(r"""float\(\s*(['"])([+-]?(?:inf|infinity|nan))\1\s*\)""", re.ASCII | re.IGNORECASE)
_WORD = re.compile(r"([+-]?)([A-Za-z_][A-Za-z0-9_.]*)", re.ASCII)
_WORDS: dict[str, Any] = {
    "True": True,
    "true": True,
    "False": False,
    "false": False,
    "None": None,
    "null": None,
    **dict.fromkeys(("inf", "Infinity", "math.inf", "np.inf", "numpy.inf"), math.inf),
    **dict.fromkeys(("nan", "NaN", "math.nan", "np.nan", "numpy.nan"), math.nan),
}
_ESCAPE = re.compile(r"""\\(?:(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})|([\\'"/abfnrtv0]))""")
_ESCAPED = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_DIGITS = 300
"""Characters of one number; what is longer is beyond float64 as well."""


def parse_literal(text: str) -> Any:
    """Read one literal.

    Returns:
        None, a bool, int, float, str, tuple, list, or dict with keys that are texts or numbers.

    Raises:
        CellError: it is something else (a name, a call, an operator), or beyond the bounds; says where.
    """
    if len(text) > TEXT_LIMIT:
        raise CellError(f"not a literal that is read: {len(text):,} characters, {TEXT_LIMIT:,} at most")
    reader = _Reader(text)
    value = reader.value(0)
    reader.skip_space()
    if reader.at < len(text):
        raise reader.wrong("something follows the value")
    return value


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self._values = 0

    def wrong(self, why: str) -> CellError:
        rest = plain(self.text[self.at : self.at + 30], 40)
        found = f" at character {self.at + 1}, {rest!r}" if rest else " at its end"
        return CellError(f"not a literal: {why}{found}")

    def skip_space(self) -> None:
        found = _SPACE.match(self.text, self.at)
        assert found is not None
        self.at = found.end()

    def value(self, depth: int) -> Any:
        self.skip_space()
        self._values += 1
        if self._values > VALUE_LIMIT:
            raise self.wrong(f"more than {VALUE_LIMIT:,} values")
        start = self.text[self.at : self.at + 1]
        if start in ("(", "[", "{") and depth >= DEPTH_LIMIT:
            raise self.wrong(f"nested deeper than {DEPTH_LIMIT}")
        match start:
            case "(":
                items, comma = self._items(")", depth)
                return items[0] if len(items) == 1 and not comma else tuple(items)
            case "[":
                return self._items("]", depth)[0]
            case "{":
                return self._dictionary(depth)
            case "'" | '"':
                return self._string(start)
        return self._scalar()

    def _scalar(self) -> Any:
        number = _NUMBER.match(self.text, self.at)
        if number is not None and not self.text[number.end() : number.end() + 1].isidentifier():
            return self._number(number)
        call = _FLOAT_CALL.match(self.text, self.at)
        if call is not None:
            self.at = call.end()
            return float(call[2])
        word = _WORD.match(self.text, self.at)
        if word is not None and word[2] in _WORDS and not self.text[word.end() :].lstrip().startswith("("):
            value = _WORDS[word[2]]
            if not word[1] or isinstance(value, float):
                self.at = word.end()
                return -value if word[1] == "-" else value
        raise self.wrong("no value begins" if self.at < len(self.text) else "a value is missing")

    def _number(self, found: re.Match[str]) -> int | float:
        written = found[0]
        if len(written) > _DIGITS:
            raise self.wrong(f"a number of {len(written):,} characters")
        try:
            value = float(written) if any(sign in written for sign in ".eE") else int(written)
        except ValueError:
            raise self.wrong("no number") from None
        self.at = found.end()
        return value

    def _items(self, end: str, depth: int) -> tuple[list[Any], bool]:
        """The items up to `end`, and whether a comma came last."""
        self.at += 1
        items: list[Any] = []
        comma = False
        while not self._ends(end):
            if items and not comma:
                raise self.wrong(f"a comma or {end} is missing")
            items.append(self.value(depth + 1))
            comma = self._takes(",")
        return items, comma

    def _dictionary(self, depth: int) -> dict[Any, Any]:
        self.at += 1
        made: dict[Any, Any] = {}
        comma = True
        while not self._ends("}"):
            if not comma:
                raise self.wrong("a comma or } is missing")
            key = self.value(depth + 1)
            if not isinstance(key, str | int | float):
                raise self.wrong("a key is no text or number, before")
            if not self._takes(":"):
                raise self.wrong("a colon is missing")
            if key in made:
                raise self.wrong(f"the key {key!r} is there twice, before")
            made[key] = self.value(depth + 1)
            comma = self._takes(",")
        return made

    def _ends(self, end: str) -> bool:
        self.skip_space()
        if self.at >= len(self.text):
            raise self.wrong(f"{end} is missing")
        return self._takes(end)

    def _takes(self, sign: str) -> bool:
        self.skip_space()
        if not self.text.startswith(sign, self.at):
            return False
        self.at += 1
        return True

    def _string(self, quote: str) -> str:
        end = self.at + 1
        while (char := self.text[end : end + 1]) != quote:
            if not char:
                raise self.wrong("the text is not closed")
            end += 2 if char == "\\" else 1
        body = self.text[self.at + 1 : end]
        if "\\" in body:
            body = self._unescaped(body)
        self.at = end + 1
        return body

    def _unescaped(self, body: str) -> str:
        def replace(found: re.Match[str]) -> str:
            if found[1] is None:
                return _ESCAPED.get(found[2], found[2])
            code = int(found[1][1:], 16)
            return chr(code) if code < 0x110000 else "\ufffd"

        text = _ESCAPE.sub(replace, body)
        # JSON writes characters beyond 16 bits as two surrogates; a single one stands for nothing.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
