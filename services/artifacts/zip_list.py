"""The list of members at the end of a zip archive, read in pieces and trusted in nothing.

Source: PKWARE APPNOTE 6.3.10, sections 4.3.12 to 4.3.16; Info-ZIP's extra field for instants (0x5455).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ..npz import zip_records as records

if TYPE_CHECKING:
    from typing import BinaryIO

__all__ = ["Listed", "ZipListError", "read_list", "told_instant"]

_COMMENT_LIMIT = 0xFFFF
_INSTANTS_EXTRA = 0x5455


class ZipListError(Exception):
    """There is no usable list of members; the message is one plain line."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A member as the list has it."""

    raw_name: bytes
    flags: int
    method: int
    crc: int
    packed: int
    offset: int
    """Of its local record."""
    mode: int
    """Unix file mode; 0 when the archive has none."""
    modified_at: int


def read_list(file: BinaryIO, size: int, most: int) -> list[Listed]:
    """Up to `most` members of an archive of `size` bytes, in the order of the list.

    Raises:
        ZipListError: there is no list, or it is broken.
        OSError: it can't be read.
    """
    count, at, end = _place_of_list(file, size)
    file.seek(at)
    members: list[Listed] = []
    while len(members) < min(count, most):
        fixed = file.read(records.CENTRAL.size)
        if len(fixed) < records.CENTRAL.size or not fixed.startswith(records.CENTRAL_SIGNATURE):
            raise ZipListError("its list of members is damaged")
        parts = records.CENTRAL.unpack(fixed)
        flags, method, time, date, crc, packed, whole = parts[3], parts[4], parts[5], parts[6], *parts[7:10]
        name_length, extra_length, comment_length, attributes, offset = parts[10], parts[11], parts[12], *parts[15:17]
        rest = file.read(name_length + extra_length)
        file.seek(comment_length, 1)
        at += len(fixed) + len(rest) + comment_length
        if len(rest) < name_length + extra_length or at > end:
            raise ZipListError("its list of members is damaged")
        extra = rest[name_length:]
        if records.U32 in (whole, packed, offset):
            try:
                numbers = iter(records.zip64_extra(extra))
            except ValueError:
                raise ZipListError("its list of members is damaged") from None
            if whole == records.U32:
                next(numbers, None)
            packed = next(numbers, packed) if packed == records.U32 else packed
            offset = next(numbers, offset) if offset == records.U32 else offset
        members.append(
            Listed(
                rest[:name_length],
                flags,
                method,
                crc,
                packed,
                offset,
                attributes >> 16,
                told_instant(extra, date, time),
            )
        )
    return members


def _place_of_list(file: BinaryIO, size: int) -> tuple[int, int, int]:
    """How many members the list has, where it begins and where it ends at the latest."""
    reach = min(size, records.END.size + _COMMENT_LIMIT)
    file.seek(size - reach)
    tail = file.read(reach)
    found = tail.rfind(records.END_SIGNATURE)
    if found < 0 or len(tail) - found < records.END.size:
        raise ZipListError("it has no list of members at its end: it was cut")
    _, _, _, _, count, length, offset, _ = records.END.unpack_from(tail, found)
    end_at = size - reach + found
    if records.U32 in (length, offset) or count == records.U16:
        locator_at = end_at - records.END64_LOCATOR.size
        if locator_at >= 0:
            file.seek(locator_at)
            locator = file.read(records.END64_LOCATOR.size)
            if locator.startswith(records.END64_LOCATOR_SIGNATURE):
                file.seek(min(records.END64_LOCATOR.unpack(locator)[2], size))
                end64 = file.read(records.END64.size)
                if len(end64) < records.END64.size or not end64.startswith(records.END64_SIGNATURE):
                    raise ZipListError("its end is damaged")
                count, length, offset = records.END64.unpack(end64)[7:10]
    if offset + length > end_at:
        raise ZipListError("its end is damaged: the list of members is not where it says")
    return count, offset, end_at


def told_instant(extra: bytes, date: int, time: int) -> int:
    """When a member was changed, ns since the epoch, 0 unknown: by the extra field, else the DOS time, read as UTC."""
    at = 0
    while at + 4 <= len(extra):
        kind, size = struct.unpack_from("<HH", extra, at)
        if kind == _INSTANTS_EXTRA and size >= 5 and at + 9 <= len(extra) and extra[at + 4] & 1:
            return max(int(struct.unpack_from("<l", extra, at + 5)[0]), 0) * 1_000_000_000
        at += 4 + size
    try:
        moment = datetime(
            1980 + (date >> 9), date >> 5 & 15, date & 31, time >> 11, time >> 5 & 63, (time & 31) * 2, tzinfo=UTC
        )
    except ValueError:
        return 0
    return int(moment.timestamp()) * 1_000_000_000
