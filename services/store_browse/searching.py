"""What is searched for among keys and values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["SearchError", "StoreSearch", "keys_named", "parse_search"]

_VALUE, _HEX = "value:", "hex:"


class SearchError(ValueError):
    """What is typed is no search; the message is one plain line."""


@dataclass(frozen=True, slots=True)
class StoreSearch:
    """Words that a key holds, and what its value holds; all of them have to fit. Case does not matter, but for hex."""

    text: str = ""
    """As it was typed."""
    words: tuple[bytes, ...] = ()
    without: tuple[bytes, ...] = ()
    """Words that the key does not hold."""
    in_value: tuple[bytes, ...] = ()
    bytes_in_value: tuple[bytes, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.words or self.without or self.in_value or self.bytes_in_value)

    @property
    def reads_values(self) -> bool:
        return bool(self.in_value or self.bytes_in_value)

    def names(self, key: bytes) -> bool:
        """Whether the key itself fits."""
        lowered = key.lower()
        return all(word in lowered for word in self.words) and not any(word in lowered for word in self.without)

    def fits(self, value: bytes) -> bool:
        """Whether the value, or what was read of it, fits."""
        lowered = value.lower()
        return all(word in lowered for word in self.in_value) and all(word in value for word in self.bytes_in_value)


def parse_search(text: str) -> StoreSearch:
    """Words of the key, `!word` for those it must not have, `value:text` and `value:hex:80049a` for its value.

    Raises:
        SearchError: hex digits that are none.
    """
    words: list[bytes] = []
    without: list[bytes] = []
    in_value: list[bytes] = []
    bytes_in_value: list[bytes] = []
    for word in text.split():
        lowered = word.lower()
        if lowered.startswith(_VALUE):
            wanted = word[len(_VALUE) :]
            if wanted.lower().startswith(_HEX):
                digits = wanted[len(_HEX) :]
                if not re.fullmatch(r"(?:[0-9A-Fa-f]{2})*", digits):
                    raise SearchError("value:hex: wants pairs of hex digits: value:hex:80049a")
                bytes_in_value += [bytes.fromhex(digits)] if digits else []
            elif wanted:
                in_value.append(wanted.lower().encode("utf-8", "surrogatepass"))
        elif word.startswith("!"):
            without += [lowered[1:].encode("utf-8", "surrogatepass")] if word != "!" else []
        else:
            words.append(lowered.encode("utf-8", "surrogatepass"))
    return StoreSearch(text, tuple(words), tuple(without), tuple(in_value), tuple(bytes_in_value))


def keys_named(keys: Iterable[bytes], search: StoreSearch) -> Sequence[bytes]:
    """The keys that fit by their names, in the same order."""
    return [key for key in keys if search.names(key)]
