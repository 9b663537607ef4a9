"""Giving each distinct value of a column a small number, in the order of first appearance."""

from __future__ import annotations

from collections import defaultdict
from itertools import count, islice
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

__all__ = ["Interned"]

T = TypeVar("T")


class Interned(Generic[T]):
    """Distinct values found so far; `number` gives the index of a value, making it from its key when it is new."""

    __slots__ = ("_make", "_numbers", "values")

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._numbers: defaultdict[Hashable, int] = defaultdict(count().__next__)
        self._make = make
        self.values: list[T] = []

    def number(self, key: Hashable) -> int:
        """The number of one key."""
        found = self._numbers[key]
        if found == len(self.values):
            self.values.append(self._make(key))
        return found

    def numbers(self, keys: Iterable[Hashable]) -> list[int]:
        """`number` of many keys, each looked up once: hashing is most of the cost."""
        found = list(map(self._numbers.__getitem__, keys))
        self.values += map(self._make, list(islice(self._numbers, len(self.values), None)))
        return found
