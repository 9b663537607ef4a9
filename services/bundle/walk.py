"""Finds the members of a bundle by going from one local record to the next, as far as the file goes.

The list at the end is only held against what was found: where it is missing, the capture was interrupted.
"""

from __future__ import annotations

import os
import re
import stat
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..npz import zip_records as records
from . import members
from .errors import BundleError

if TYPE_CHECKING:
    from pathlib import Path

    from .members import Member

__all__ = ["CUT", "OWN_NAMES", "Found", "inflated", "is_bundle", "open_file", "walk"]

CUT = "cut: the capture was interrupted; what came before is here"
OWN_NAMES = re.compile(
    r"(?:meta|manifest|store|report)\.json|report\.md|bodies/[0-9a-f]{64}|"
    r"looks/(?P<look>[0-9]{4,6})/(?:opened\.json|closed\.json|(?:replies|after)-[0-9]{4,6}\.jsonl)",
    re.ASCII,
)
"""Names that members of a bundle have; others are passed over."""
_BLOCK = 16 * 1024
_HEAD = 512
_MARK = b'{"schema":"xpudbg.bundle/'
_HINT = "a bundle is what `xpudbg capture` or B on a screen has written, and no other program has changed"


@dataclass(frozen=True, slots=True)
class Found:
    """The members of a file."""

    members: tuple[Member, ...]
    """In the order of the file, each name once, ours only."""
    notes: tuple[str, ...]
    """What is wrong with the file, one plain line each."""
    cut: bool
    """Its end is missing."""


def is_bundle(path: Path) -> bool:
    """Whether a file begins as a bundle does, complete or cut. Reads its first bytes."""
    try:
        file = open_file(path)
    except (OSError, BundleError):
        return False
    try:
        return _starts_well(os.pread(file, _HEAD, 0))
    except OSError:
        return False
    finally:
        os.close(file)


def open_file(path: Path) -> int:
    """A descriptor of a regular file; others (pipes, devices, folders) are never waited for.

    Raises:
        BundleError: it is no regular file.
        OSError: it can't be opened.
    """
    file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise BundleError(f"{path.name} is no regular file", hint=_HINT)
    return file


def walk(file: int) -> Found:
    """Find the members.

    Args:
        file: descriptor of the file.

    Raises:
        BundleError: it does not begin as a bundle does.
        OSError: it can't be read.
    """
    size = os.fstat(file).st_size
    if not _starts_well(os.pread(file, _HEAD, 0)):
        raise BundleError("it does not begin as a bundle of xpudbg does", hint=_HINT)
    return _Walk(file, size).run()


def inflated(file: int, member: Member, limit: int) -> bytes:
    """The content of a member, checked against its size and CRC.

    Args:
        limit: bytes that it may have at most.

    Raises:
        BundleError: too large, cut, or damaged.
        OSError: it can't be read.
    """
    if member.size > limit:
        raise BundleError(f"{member.name} says that it has {member.size:,} bytes; more than {limit:,} are not read")
    packed = os.pread(file, member.packed, member.data_at)
    data = packed
    if member.deflated:
        try:
            data = zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, member.size + 1)
        except zlib.error as error:
            raise BundleError(f"{member.name} is damaged: {error}") from None
    if len(data) != member.size or zlib.crc32(data) != member.crc:
        raise BundleError(f"{member.name} is damaged: it is not what its record says")
    return data


def _starts_well(head: bytes) -> bool:
    if len(head) < records.LOCAL.size or not head.startswith(records.LOCAL_SIGNATURE):
        return False
    first = members.read_local(head, 0)
    return (
        not isinstance(first, str)
        and first.name == "meta.json"
        and not first.deflated
        and head.startswith(_MARK, first.data_at)
    )


class _Walk:
    """One pass over the records."""

    def __init__(self, file: int, size: int) -> None:
        self._file = file
        self._size = size
        self._block, self._block_at = b"", 0
        self._all: list[Member] = []
        self._own: dict[str, Member] = {}
        self._foreign = self._twice = 0

    def run(self) -> Found:
        notes: list[str] = []
        ended = self._members()
        cut = ended == CUT
        if ended:
            notes.append(ended)
        if self._foreign:
            notes.append(f"{self._foreign:,} members have names that no bundle has: they are passed over")
        if self._twice:
            notes.append(f"{self._twice:,} members are there a second time: only the first of each is read")
        return Found(tuple(self._own.values()), tuple(notes), cut)

    def _members(self) -> str:
        """Go through them; returns why it ended, empty when all is well."""
        at = 0
        while True:
            head = self._at(at, _HEAD)
            if head.startswith(records.CENTRAL_SIGNATURE):
                return self._directory(at)
            if not head.startswith(records.LOCAL_SIGNATURE):
                if records.LOCAL_SIGNATURE.startswith(head[:4]) or records.CENTRAL_SIGNATURE.startswith(head[:4]):
                    return CUT
                return f"damaged at byte {at:,}: neither a member nor the list of them; what follows is not read"
            if len(head) < records.LOCAL.size:
                return CUT
            member = members.read_local(head, at)
            if isinstance(member, str):
                name_length = int.from_bytes(head[26:28], "little")
                if len(head) < records.LOCAL.size + name_length and at + len(head) == self._size:
                    return CUT
                return f"{member}; what follows is not read"
            if member.end > self._size:
                return CUT
            if len(self._all) == members.MOST_MEMBERS:
                return f"more than {members.MOST_MEMBERS:,} members: what follows is not read"
            self._add(member)
            at = member.end

    def _add(self, member: Member) -> None:
        self._all.append(member)
        if OWN_NAMES.fullmatch(member.name) is None:
            self._foreign += 1
        elif member.name in self._own:
            self._twice += 1
        else:
            self._own[member.name] = member

    def _directory(self, at: int) -> str:
        expected = members.directory(self._all, at)
        there = b""
        if self._size - at <= len(expected):
            there = os.pread(self._file, len(expected), at)
        if there == expected:
            return ""
        if there and expected.startswith(there):
            return CUT
        return "its list of members is not that of its members: another program has changed it"

    def _at(self, offset: int, count: int) -> bytes:
        """Bytes of the file, fewer at its end; read in blocks, as most members are small."""
        start = offset - self._block_at
        if not 0 <= start <= len(self._block) - count:
            self._block, self._block_at, start = os.pread(self._file, _BLOCK, offset), offset, 0
        return self._block[start : start + count]
