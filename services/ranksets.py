"""Sets of ranks as a value type: immutable, compact, written `0-7,12` and strided `0-62:2` (every second of them)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["MAX_RANK", "RankSet", "RankSetError", "ranks_said"]

MAX_RANK = 1_048_575
"""Highest rank accepted. A number beyond it is a typing error or a hostile store, not a job."""

_STRIDED = 5
"""Members from which `0-62:2` is shorter to read than the ranks one by one."""
_PART = re.compile(r"(\d+)(?:-(\d+)(?::(\d+))?)?", re.ASCII)


class RankSetError(ValueError):
    """The text is not a rank set; the message says which part and why."""


class RankSet:
    """An immutable set of ranks, backed by one int bitset (bit r is rank r).

    Supports `in`, iteration in ascending order, `len`, truth, equality, hash and the operators `| & - ^ <=`.
    """

    __slots__ = ("_bits",)

    _bits: int

    def __init__(self, ranks: Iterable[int] = ()) -> None:
        ordered = list(ranks)
        if ordered and (min(ordered) < 0 or max(ordered) > MAX_RANK):
            raise RankSetError(f"a rank lies outside 0-{MAX_RANK}")
        field = bytearray((max(ordered) >> 3) + 1 if ordered else 0)
        for rank in ordered:
            field[rank >> 3] |= 1 << (rank & 7)
        self._bits = int.from_bytes(field, "little")

    @classmethod
    def from_bits(cls, bits: int) -> RankSet:
        """The set whose member r is bit r of `bits`."""
        if bits < 0 or bits.bit_length() > MAX_RANK + 1:
            raise RankSetError(f"a rank lies outside 0-{MAX_RANK}")
        made = cls.__new__(cls)
        made._bits = bits
        return made

    @classmethod
    def full(cls, world_size: int) -> RankSet:
        """All ranks of a job: 0 to `world_size` - 1."""
        return cls.from_bits((1 << max(world_size, 0)) - 1)

    @classmethod
    def parse(cls, text: str) -> RankSet:
        """Read `0-7,12,16-62:2`; blanks are ignored, an empty text is the empty set.

        Raises:
            RankSetError: a part is not a rank, a range or a strided range, or lies beyond `MAX_RANK`.
        """
        bits = 0
        for raw in text.split(","):
            part = raw.strip()
            if not part:
                if text.strip():
                    raise RankSetError(f"an empty part in {text.strip()!r}; write ranks as 0-7,12 or 0-62:2")
                continue
            match = _PART.fullmatch(part)
            if match is None or len(part) > 40:
                raise RankSetError(f"{part[:40]!r} is not a rank or a range; write ranks as 0-7,12 or 0-62:2")
            first = int(match[1])
            last = int(match[2]) if match[2] else first
            step = int(match[3]) if match[3] else 1
            if last > MAX_RANK or first > MAX_RANK:
                raise RankSetError(f"{part!r}: the highest rank is {MAX_RANK}")
            if last < first or step < 1:
                raise RankSetError(f"{part!r} names no rank; write the smaller rank first and a step of at least 1")
            bits |= cls(range(first, last + 1, step))._bits
        return cls.from_bits(bits)

    def __contains__(self, rank: object) -> bool:
        return isinstance(rank, int) and rank >= 0 and bool(self._bits >> rank & 1)

    def __iter__(self) -> Iterator[int]:
        field = self._bits.to_bytes((self._bits.bit_length() + 7) // 8, "little")
        for index, byte in enumerate(field):
            while byte:
                low = byte & -byte
                yield (index << 3) + low.bit_length() - 1
                byte ^= low

    def __len__(self) -> int:
        return self._bits.bit_count()

    def __bool__(self) -> bool:
        return self._bits != 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RankSet) and self._bits == other._bits

    def __hash__(self) -> int:
        return hash(self._bits)

    def __or__(self, other: RankSet) -> RankSet:
        return RankSet.from_bits(self._bits | other._bits)

    def __and__(self, other: RankSet) -> RankSet:
        return RankSet.from_bits(self._bits & other._bits)

    def __sub__(self, other: RankSet) -> RankSet:
        return RankSet.from_bits(self._bits & ~other._bits)

    def __xor__(self, other: RankSet) -> RankSet:
        return RankSet.from_bits(self._bits ^ other._bits)

    def __le__(self, other: RankSet) -> bool:
        return self._bits & ~other._bits == 0

    @property
    def bits(self) -> int:
        """The bitset: bit r is set when rank r is a member."""
        return self._bits

    @property
    def first(self) -> int | None:
        """The lowest rank, or None when the set is empty."""
        return (self._bits & -self._bits).bit_length() - 1 if self._bits else None

    @property
    def last(self) -> int | None:
        """The highest rank, or None when the set is empty."""
        return self._bits.bit_length() - 1 if self._bits else None

    def __str__(self) -> str:
        return ",".join(_written(first, last, step) for first, last, step in _runs(list(self)))

    def __repr__(self) -> str:
        return f"RankSet.parse({str(self)!r})"


def ranks_said(ranks: RankSet, one: str = "", many: str = "") -> str:
    """`rank 3`, `ranks 0-7,12`.

    Args:
        one, many: the verb that follows for one rank and for several: `rank 3 is`, `ranks 0-7 are`.
    """
    alone = len(ranks) == 1
    verb = one if alone else many
    return f"{'rank' if alone else 'ranks'} {ranks}" + (f" {verb}" if verb else "")


def _written(first: int, last: int, step: int) -> str:
    if first == last:
        return str(first)
    if step == 1:
        return f"{first}-{last}"
    return f"{first}-{last}:{step}"


def _runs(ranks: list[int]) -> Iterator[tuple[int, int, int]]:
    """Cut ascending ranks into runs (first, last, step).

    A step above 1 needs at least `_STRIDED` members; a run of two stays a run only when its members are neighbours.
    """
    start = 0
    while start < len(ranks):
        end = start + 1
        if end < len(ranks):
            step = ranks[end] - ranks[start]
            while end + 1 < len(ranks) and ranks[end + 1] - ranks[end] == step:
                end += 1
            # The member that begins a run of neighbours belongs to that run: 0,2,3,4 is 0,2-4.
            borrowed = step > 1 and end + 1 < len(ranks) and ranks[end + 1] - ranks[end] == 1
            if borrowed:
                end -= 1
            if step == 1 or end - start + 1 >= _STRIDED:
                yield ranks[start], ranks[end], step
                start = end + 1
                continue
        yield ranks[start], ranks[start], 1
        start += 1
