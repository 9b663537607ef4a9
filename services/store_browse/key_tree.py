"""Keys as a tree by their slashes. Made from the sorted keys branch by branch, when one is opened. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["KeyBranch", "in_order", "key_tree"]

_NUMBER = re.compile(rb"([0-9]+)")
_NATURAL = 50_000
"""Branches that are sorted by their numbers as numbers; more stay in the order of their bytes."""


@dataclass(frozen=True, slots=True)
class KeyBranch:
    """One line of the tree: a key, or what keys below it begin with."""

    keys: Sequence[bytes] = field(repr=False, compare=False)
    """All keys, sorted."""
    begin: int = field(compare=False)
    end: int = field(compare=False)
    """The keys of this branch are keys[begin:end]."""
    prefix: bytes
    """What they begin with, up to a slash; the whole key of a leaf."""
    label: bytes
    """The part of it that the line above does not say."""
    leaf: bool = False

    def __len__(self) -> int:
        return self.end - self.begin

    @property
    def first(self) -> bytes:
        return self.keys[self.begin]

    @property
    def last(self) -> bytes:
        return self.keys[self.end - 1]

    def children(self) -> list[KeyBranch]:
        """The branches below, numbers in the order of numbers."""
        if self.leaf:
            return []
        found: list[KeyBranch] = []
        said, at = len(self.prefix), self.begin
        while at < self.end:
            branch = self._next(at, said)
            found.append(branch)
            at = branch.end
        if len(found) <= _NATURAL:
            found.sort(key=lambda one: _natural(one.label))
        return found

    def _next(self, at: int, said: int) -> KeyBranch:
        key = self.keys[at]
        slash = key.find(b"/", said)
        if slash < 0:
            return self._leaf(at, said)
        while key[slash + 1 : slash + 2] == b"/":
            slash += 1
        prefix = key[: slash + 1]
        if prefix == key:
            return self._leaf(at, said)
        end = bisect_left(self.keys, prefix[:-1] + b"0", at, self.end)  # "0" comes next after "/"
        if end - at == 1:
            return self._leaf(at, said)
        shared = _shared(key, self.keys[end - 1])
        longest = key[: key.rfind(b"/", 0, shared) + 1]  # lines that lead to one other only are left out
        if longest != key and len(longest) > len(prefix):
            prefix = longest
        return KeyBranch(self.keys, at, end, prefix, prefix[said:])

    def _leaf(self, at: int, said: int) -> KeyBranch:
        key = self.keys[at]
        return KeyBranch(self.keys, at, at + 1, key, key[said:], leaf=True)


def key_tree(keys: Sequence[bytes]) -> KeyBranch:
    """The root over sorted keys."""
    return KeyBranch(keys, 0, len(keys), b"", b"")


def in_order(root: KeyBranch) -> list[bytes]:
    """All keys in the order of the tree's lines."""
    found: list[bytes] = []
    waiting = [root]
    while waiting:
        branch = waiting.pop()
        if branch.leaf:
            found.append(branch.prefix)
        else:
            waiting += reversed(branch.children())
    return found


def _shared(one: bytes, other: bytes) -> int:
    """Bytes at the beginning of both."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _natural(label: bytes) -> list[tuple[int, bytes]]:
    pieces = _NUMBER.split(label[:512])
    return [(int(piece), b"") if index % 2 and len(piece) < 20 else (-1, piece) for index, piece in enumerate(pieces)]
