"""A member of an archive as its reader hands it out, and which names are none."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["NAME_LIMIT", "ArchiveReader", "Member", "bad_name", "special_kind"]

NAME_LIMIT = 1_024
"""Characters of a member's name."""


@dataclass(slots=True)
class Member:
    """One member, to be read before the next one is asked for."""

    name: str
    """As the archive has it; not made plain."""
    modified_at: int
    """ns since the epoch."""
    pieces: Iterator[bytes]
    """Its bytes, read once; each piece is bounded."""
    refusal: str = ""
    """Why it is not read, one plain line."""
    folder: bool = False
    place: tuple[int, int] | None = None
    """Offset and size in the stream where it stands as it is."""
    trouble: str = ""
    """Set while `pieces` is read: why some of its bytes are missing."""
    damaged: bool = False
    """Set while `pieces` is read: what came is not what was packed."""


class ArchiveReader(Protocol):
    """Iterate over it for the members; then `trouble` says why it ended early, in one plain line, or nothing."""

    trouble: str

    def __iter__(self) -> Iterator[Member]:
        """
        Raises:
            LimitReachedError: enough has been read.
            OSError: it can't be read.
        """
        ...


def bad_name(name: str) -> str:
    """Why a name in an archive is not accepted; empty for a good one. Names are labels here, never paths on disk."""
    if not name.strip("/. "):
        return "a member without a name" if not name or ".." not in name.split("/") else "its name leads upwards (..)"
    if len(name) > NAME_LIMIT:
        return f"a name of {len(name):,} characters"
    if name.startswith("/") or (len(name) > 1 and name[1] == ":" and name[0].isascii() and name[0].isalpha()):
        return "its name is an absolute path"
    if ".." in name.split("/"):
        return "its name leads upwards (..)"
    return ""


def special_kind(mode: int) -> str:
    """What a file mode says when it is neither a file nor a folder; empty otherwise."""
    kinds = {
        stat.S_IFLNK: "a symbolic link",
        stat.S_IFIFO: "a FIFO",
        stat.S_IFSOCK: "a socket",
        stat.S_IFCHR: "a character device",
        stat.S_IFBLK: "a block device",
    }
    return kinds.get(stat.S_IFMT(mode), "")
