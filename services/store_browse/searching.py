"""What is searched for among keys and values. The grammar is that of `filter_terms`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..filters.terms import FilterError, FilterPlace, Term

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["KEYS", "StoreSearch", "keys_named", "parse_search"]

KEYS = FilterPlace("store keys", {"value": "value:x|hex:80049a"})
_HEX = re.compile(r"hex:(.*)", re.IGNORECASE | re.DOTALL)
_DIGITS = re.compile(r"(?:[0-9A-Fa-f]{2})+")


@dataclass(frozen=True, slots=True)
class _Sought:
    """Bytes, or an expression, that a key or its value holds, or does not hold."""

    wanted: bytes
    turned: bool
    exactly: bool = False
    """Upper and lower case are told apart: hex digits mean bytes."""
    term: Term | None = None
    """That of an expression."""

    def holds(self, data: bytes, lowered: bytes) -> bool:
        if self.term is not None:
            return self.term.finds(data.decode("utf-8", "backslashreplace")) is not self.turned
        return (self.wanted in (data if self.exactly else lowered)) is not self.turned


@dataclass(frozen=True, slots=True)
class StoreSearch:
    """What a key holds, and what its value holds; all of it has to fit. Case does not matter, but for hex."""

    text: str = ""
    """As it was typed."""
    of_key: tuple[_Sought, ...] = ()
    of_value: tuple[_Sought, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.of_key or self.of_value)

    @property
    def reads_values(self) -> bool:
        return bool(self.of_value)

    def names(self, key: bytes) -> bool:
        """Whether the key itself fits."""
        lowered = key.lower()
        return all(sought.holds(key, lowered) for sought in self.of_key)

    def fits(self, value: bytes) -> bool:
        """Whether the value, or what was read of it, fits."""
        lowered = value.lower()
        return all(sought.holds(value, lowered) for sought in self.of_value)


def parse_search(text: str) -> StoreSearch:
    """Texts of the key, `re:` for an expression, `value:text` and `value:hex:80049a` for its value.

    Raises:
        FilterError: a term cannot be understood, or can't be asked of keys.
    """
    terms = KEYS.terms(text)
    of_key = tuple(_sought(term) for term in terms if term.field != "value")
    of_value = tuple(_sought(term) for term in terms if term.field == "value")
    return StoreSearch(text.strip(), of_key, of_value)


def keys_named(keys: Iterable[bytes], search: StoreSearch) -> Sequence[bytes]:
    """The keys that fit by their names, in the same order."""
    return [key for key in keys if search.names(key)]


def _sought(term: Term) -> _Sought:
    if term.pattern is not None:
        return _Sought(b"", term.turned, term=term)
    found = _HEX.fullmatch(term.value) if term.field == "value" else None
    if found is None:
        return _Sought(term.value.lower().encode("utf-8", "surrogatepass"), term.turned)
    if _DIGITS.fullmatch(found[1]) is None:
        raise FilterError("value:hex: wants pairs of hex digits: value:hex:80049a")
    return _Sought(bytes.fromhex(found[1]), term.turned, exactly=True)
