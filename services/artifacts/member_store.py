"""Bytes of archive members kept in the spool: a few small ones in memory, many small ones in one file together."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..spool import Body, Spool
    from .artifact import Artifact
    from .limits import Budget

__all__ = ["FoundFile", "MemberStore", "MemberTooLargeError"]

_IN_MEMORY = 16 << 20
"""Bytes of small members that stay in memory together."""


class MemberTooLargeError(Exception):
    """A member has more bytes than one may have."""


@dataclass(slots=True)
class FoundFile:
    """A file or a member, and whether it is of use by its name or its first bytes."""

    artifact: Artifact
    usable: bool


class MemberStore:
    """Members of archives: small ones in memory, the rest in the spool."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._loose: list[FoundFile] = []
        """Those whose bytes are in memory."""
        self._in_memory = 0

    def free(self) -> int:
        """Bytes free on the disk of the spool.

        Raises:
            OSError: the spool's folder can't be made.
        """
        return shutil.disk_usage(self._spool.folder).free

    def keep(self, pieces: Iterable[bytes], budget: Budget) -> Body:
        """Store what comes.

        Raises:
            MemberTooLargeError: it is more than the limits let one member have.
            LimitReachedError: it is more than may be kept in all.
            OSError: it can't be stored, or not be read.
        """
        writer = self._spool.writer()
        try:
            for piece in pieces:
                if writer.size + len(piece) > budget.limits.member_bytes:
                    raise MemberTooLargeError(f"more than {budget.limits.member_bytes:,} bytes; not read")
                budget.keep(len(piece))
                writer.write(piece)
        except BaseException:
            writer.discard()
            raise
        return writer.finish()

    def settle(self, found: FoundFile) -> None:
        """Take note of a body that is used from now on; many small ones go to the disk.

        Raises:
            OSError: they can't be stored.
        """
        body = found.artifact.body
        if body.inline is None:
            return
        self._loose.append(found)
        self._in_memory += body.size
        if self._in_memory > _IN_MEMORY:
            packed = self._spool.pack([one.artifact.body for one in self._loose])
            for one, body in zip(self._loose, packed, strict=True):
                one.artifact = replace(one.artifact, body=body)
            self._loose.clear()
            self._in_memory = 0
