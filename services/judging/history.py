"""The look before, as far as it tells anything: two looks too close together see even a moving job stand still."""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

__all__ = ["APART_S", "History"]

T = TypeVar("T")

APART_S = 1.0
"""Seconds that two looks must lie apart to be compared."""


class History(Generic[T]):
    """What was found at earlier looks, as much of it as a later look may be compared with."""

    def __init__(self) -> None:
        self._past: deque[tuple[int, T]] = deque()

    def before(self, taken_at: int) -> T | None:
        """The newest of those taken at least `APART_S` before `taken_at` (ns since the epoch), None without one."""
        newest: T | None = None
        for at, found in self._past:
            if taken_at - at >= APART_S * 1e9:
                newest = found
        return newest

    def add(self, taken_at: int, found: T) -> None:
        """Remember a look; what no later look will be compared with is forgotten."""
        self._past.append((taken_at, found))
        while len(self._past) > 1 and taken_at - self._past[1][0] >= APART_S * 1e9:
            self._past.popleft()
