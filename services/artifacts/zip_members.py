"""Members of a zip archive. Source: PKWARE APPNOTE 6.3.10, sections 4.3 to 4.5.

The list at the end says what there is; without one (a cut archive) the local records are walked from the start. No
size, checksum or place that either of them names is trusted: bytes are counted as they are unpacked, and members that
share bytes are refused.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..npz import zip_records as records
from .limits import LimitReachedError
from .members import Member, special_kind
from .zip_list import Listed, ZipListError, read_list, told_instant

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from .limits import Budget

__all__ = ["LocalRecord", "ZipReader", "read_local"]

_READ = 256 * 1024
_PIECE = 1 << 20
_METHODS = {1: "shrink", 6: "implode", 9: "deflate64", 12: "bzip2", 14: "lzma", 93: "zstd", 95: "xz", 98: "ppmd"}
_ENCRYPTED = 0x0001 | 0x0040 | 0x2000
_DESCRIPTORS = (12, 16, 20, 24)
"""Lengths that a data descriptor may have: with or without its signature, with sizes of 32 or 64 bits."""


@dataclass(slots=True)
class LocalRecord:
    """What stands before the bytes of a member."""

    raw_name: bytes
    flags: int
    method: int
    crc: int
    packed: int
    """Bytes of the member as it lies; not known beforehand when a descriptor follows."""
    size: int
    modified_at: int
    start: int
    """Where its bytes begin."""

    @property
    def sized_later(self) -> bool:
        return bool(self.flags & records.DESCRIPTOR_FLAG) and not self.packed


def read_local(file: BinaryIO, at: int, end: int) -> LocalRecord | None:
    """The local record at `at`; None where none stands, or not a whole one.

    Raises:
        OSError: it can't be read.
    """
    file.seek(at)
    fixed = file.read(records.LOCAL.size)
    if len(fixed) < records.LOCAL.size or not fixed.startswith(records.LOCAL_SIGNATURE):
        return None
    _, _, flags, method, time, date, crc, packed, size, name_length, extra_length = records.LOCAL.unpack(fixed)
    rest = file.read(name_length + extra_length)
    start = at + records.LOCAL.size + name_length + extra_length
    if len(rest) < name_length + extra_length or start > end:
        return None
    extra = rest[name_length:]
    if records.U32 in (packed, size):
        try:
            numbers = iter(records.zip64_extra(extra))
        except ValueError:
            return None
        size = next(numbers, size) if size == records.U32 else size
        packed = next(numbers, packed) if packed == records.U32 else packed
    modified_at = told_instant(extra, date, time)
    return LocalRecord(rest[:name_length], flags, method, crc, packed, size, modified_at, start)


class ZipReader:
    """The members of a zip archive by its list, or without one from record to record, within a budget."""

    def __init__(self, file: BinaryIO, size: int, budget: Budget) -> None:
        self.trouble = ""
        self._file = file
        self._size = size
        self._budget = budget
        self._listed: list[Listed] | None = None
        self._packed = 0
        self._unpacked = 0

    def names(self) -> list[str]:
        """All names in the list at the end, as far as the limit of members lets; empty without a list.

        Raises:
            OSError: it can't be read.
        """
        try:
            return [_text(one.raw_name, one.flags) for one in self._list()]
        except ZipListError:
            return []

    def _list(self) -> list[Listed]:
        if self._listed is None:
            self._listed = read_list(self._file, self._size, self._budget.limits.members + 1)
        return self._listed

    def __iter__(self) -> Iterator[Member]:
        try:
            listed = self._list()
        except ZipListError as error:
            self.trouble = str(error)
            yield from self._walk()
            return
        free_from = 0
        """Where the bytes of the members before end."""
        for one in sorted(listed, key=lambda one: one.offset):
            self._budget.member()
            name = _text(one.raw_name, one.flags)
            member = Member(name, one.modified_at, iter(()), _refusal(one.flags, one.method), name.endswith("/"))
            local = read_local(self._file, min(one.offset, self._size), self._size)
            if one.offset >= self._size:
                member.refusal = "damaged: it is said to lie behind the end of the archive"
            elif one.offset < free_from:
                member.refusal = "it shares bytes with another member; not unpacked"
            elif local is None or local.raw_name != one.raw_name:
                member.refusal = "damaged: its record is not where the list of members says"
            else:
                free_from = local.start + one.packed
                member.refusal = member.refusal or _special(one)
                member.pieces = self._pieces(member, local, one.packed, one.crc)
            yield member

    def _walk(self) -> Iterator[Member]:
        """The members of an archive without its list, by their local records."""
        at = 0
        while (local := read_local(self._file, at, self._size)) is not None:
            self._budget.member()
            name = _text(local.raw_name, local.flags)
            member = Member(name, local.modified_at, iter(()), _refusal(local.flags, local.method), name.endswith("/"))
            behind = [local.start + local.packed]
            if local.sized_later and (local.method != records.DEFLATED or member.refusal):
                member.refusal = member.refusal or "cut: where it ends is not known"
                yield member
                return
            packed = None if local.sized_later else local.packed
            pieces = self._pieces(member, local, packed, None if packed is None else local.crc, behind)
            member.pieces = pieces
            yield member
            if packed is None:
                for _ in pieces:  # its end is known when it has been read
                    pass
                if member.trouble:
                    return
            at = self._next_record(behind[0], described=bool(local.flags & records.DESCRIPTOR_FLAG))

    def _next_record(self, at: int, *, described: bool) -> int:
        """Where the record behind a member that ends at `at` begins."""
        if not described:
            return at
        self._file.seek(at)
        data = self._file.read(max(_DESCRIPTORS) + 4)
        for length in _DESCRIPTORS:
            if data[length : length + 4] in (records.LOCAL_SIGNATURE, records.CENTRAL_SIGNATURE):
                return at + length
        return at

    def _pieces(
        self, member: Member, local: LocalRecord, packed: int | None, crc: int | None, behind: list[int] | None = None
    ) -> Iterator[bytes]:
        """The bytes of a member.

        Args:
            member: is told what is wrong.
            local: its record.
            packed: bytes as they lie; None where only the compressed data tell the end.
            crc: what their checksum should be, None when that is not known.
            behind: gets the place behind the member in the file.
        """
        at = local.start
        end = self._size if packed is None else min(self._size, local.start + packed)
        cut = packed is not None and local.start + packed > self._size
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS) if local.method == records.DEFLATED else None
        checksum = unpacked = 0
        waiting = b""
        while unpacker is None or not unpacker.eof:
            if not waiting:
                self._file.seek(at)
                waiting = self._file.read(min(_READ, end - at))
                at += len(waiting)
                self._packed += len(waiting)
                if not waiting:
                    break
            if unpacker is None:
                piece, waiting = waiting, b""
            else:
                try:
                    piece = unpacker.decompress(waiting, _PIECE)
                except zlib.error as error:
                    member.trouble, member.damaged = f"damaged before byte {at - local.start:,} ({error})", True
                    return
                waiting = unpacker.unconsumed_tail
            unpacked += len(piece)
            self._budget.unpack(len(piece))
            checksum = zlib.crc32(piece, checksum)
            self._unpacked += len(piece)
            if self._budget.limits.is_bomb(self._packed, self._unpacked):
                raise LimitReachedError(f"it expands more than {self._budget.limits.ratio} times; the rest is not read")
            if piece:
                yield piece
        if behind is not None and unpacker is not None and packed is None:
            behind[0] = at - len(unpacker.unused_data)
        if cut or (unpacker is not None and not unpacker.eof):
            member.trouble = f"cut after {unpacked:,} bytes"
        elif crc is not None and checksum != crc:
            member.trouble, member.damaged = "damaged: its checksum is wrong", True


def _refusal(flags: int, method: int) -> str:
    if flags & _ENCRYPTED:
        return "encrypted; unpack it with its password first"
    if method not in (records.STORED, records.DEFLATED):
        return f"compressed with {_METHODS.get(method, f'method {method}')}, which is not read here; unpack it first"
    return ""


def _special(listed: Listed) -> str:
    kind = special_kind(listed.mode)
    if not kind:
        return ""
    return f"{kind}; not followed" if kind == "a symbolic link" else f"{kind}; not unpacked"


def _text(raw: bytes, flags: int) -> str:
    """A name: UTF-8 where it is that, else in the code page of DOS; backslashes of Windows separate folders."""
    try:
        name = raw.decode("utf-8")
    except UnicodeDecodeError:
        name = raw.decode("utf-8", "replace") if flags & records.UTF8_FLAG else raw.decode("cp437")
    return name.replace("\\", "/")
