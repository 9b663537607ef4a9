"""How much is read and kept of what somebody hands over, so that no file or archive can fill the disk or the memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..flight_recorder.decode import MAX_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Budget", "LimitReachedError", "Limits"]

_MEASURE_EACH = 64 * 1024 * 1024
"""Bytes kept between two looks at how much of the disk is free."""


class LimitReachedError(Exception):
    """Nothing more is read; the message is one plain line saying which limit ended it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one intake, all archives together."""

    members: int = 100_000
    """Members of archives that are looked at."""
    files: int = 1_000_000
    """Files on disk that are looked at."""
    depth: int = 64
    """Folders below one that was given."""
    member_bytes: int = MAX_BYTES
    """Of one member after unpacking: the same as of one dump."""
    kept_bytes: int = 8 << 30
    """Unpacked and kept in the spool."""
    free_bytes: int = 1 << 30
    """Left free on the disk of the spool."""
    unpacked_bytes: int = 64 << 30
    """Unpacked in all, with what is passed over."""
    ratio: int = 500
    """Times that packed bytes may expand; text of jobs reaches 20 to 100."""
    ratio_from: int = 64 << 20
    """Unpacked bytes from which on `ratio` holds."""

    def is_bomb(self, packed: int, unpacked: int) -> bool:
        return unpacked > self.ratio_from and unpacked > self.ratio * max(packed, 1)


class Budget:
    """What has been used of the limits so far."""

    def __init__(self, limits: Limits, free: Callable[[], int]) -> None:
        """
        Args:
            limits: the bounds.
            free: bytes free on the disk of the spool now.
        """
        self.limits = limits
        self.members = 0
        self.kept = 0
        self.unpacked = 0
        self._free = free
        self._may_keep = 0
        """Bytes that may be kept before the disk is looked at again."""

    def member(self) -> None:
        """One more member is looked at.

        Raises:
            LimitReachedError: there are too many.
        """
        if self.members >= self.limits.members:
            raise LimitReachedError(f"more than {self.limits.members:,} members; the rest is not read")
        self.members += 1

    def unpack(self, count: int) -> None:
        """`count` bytes more came out of an archive.

        Raises:
            LimitReachedError: too many in all.
        """
        self.unpacked += count
        if self.unpacked > self.limits.unpacked_bytes:
            raise LimitReachedError(f"more than {self.limits.unpacked_bytes:,} bytes unpacked; the rest is not read")

    def keep(self, count: int) -> None:
        """`count` bytes more are to be kept in the spool.

        Raises:
            LimitReachedError: too many in all, or the disk would get too full.
        """
        self.kept += count
        if self.kept > self.limits.kept_bytes:
            raise LimitReachedError(f"more than {self.limits.kept_bytes:,} bytes to keep; the rest is not read")
        self._may_keep -= count
        if self._may_keep < 0:
            spare = self._free() - self.limits.free_bytes
            if spare < count:
                raise LimitReachedError(
                    f"less than {self.limits.free_bytes:,} bytes would stay free on the disk for temporary files; "
                    "the rest is not read (TMPDIR names another disk)"
                )
            self._may_keep = min(spare - count, _MEASURE_EACH)
