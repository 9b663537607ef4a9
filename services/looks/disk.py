"""How many bytes the replies of closed looks take on disk, and how many they may take."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ..snapshot import RankReply, Snapshot
    from ..spool import Body

__all__ = ["LOOKS_DISK", "DiskUse"]

LOOKS_DISK = 4 * 1024**3
"""Bytes that replies of looks may take in the spool; on a disk with little room half of what is free without them."""


class DiskUse:
    """Counts bodies that lie in a spool, each once however many looks and ranks have it. What is known from files and
    bundles takes nothing: a person has asked for all of it, and it lies there anyway."""

    def __init__(self, most: int | None = None) -> None:
        """
        Args:
            most: bytes that they may take; `LOOKS_DISK` when None.
        """
        self._most = most
        self.total = 0
        """Bytes."""
        self._uses: dict[tuple[Path, int], int] = {}
        """How many replies have the body, by file and place in it."""
        self._folder: Path | None = None

    def copy(self) -> DiskUse:
        """One that goes its own way from here."""
        made = DiskUse(self._most)
        made.total, made._uses, made._folder = self.total, dict(self._uses), self._folder
        return made

    def add(self, look: Snapshot) -> None:
        """A look that is kept from now on."""
        for reply in _replies(look):
            place = _place(reply.body)
            if place is None:
                continue
            uses = self._uses.get(place, 0)
            self._uses[place] = uses + 1
            if not uses:
                self.total += reply.body.size
                self._folder = place[0].parent

    def remove(self, look: Snapshot) -> None:
        """A look that was added, and is not kept any more."""
        for reply in _replies(look):
            place = _place(reply.body)
            if place is None:
                continue
            self._uses[place] -= 1
            if not self._uses[place]:
                del self._uses[place]
                self.total -= reply.body.size

    def room(self) -> int:
        """Bytes that they may take."""
        most = LOOKS_DISK if self._most is None else self._most
        if self._folder is None or not self.total:
            return most
        try:
            free = shutil.disk_usage(self._folder).free
        except OSError:  # the spool is gone, and its bodies with it
            return most
        return min(most, (self.total + free) // 2)


def _replies(look: Snapshot) -> Iterable[RankReply]:
    return () if any(state.address.file for state in look.ranks.values()) else look.replies.values()


def _place(body: Body) -> tuple[Path, int] | None:
    return (body.path, body.offset) if body.spooled and body.path is not None else None
